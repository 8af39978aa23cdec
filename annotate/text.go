package annotate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/azphalt/submissions/finding"
)

// TextOptions are the settings of [Text].
type TextOptions struct {
	Color   bool // use ANSI colours
	Width   int  // columns of the terminal, to which excerpts are cut; 0 where there is none
	Verbose bool // also show digests, whole keys and JSON pointers
}

// Text writes the report for a person at a terminal: a line for each package and role without findings, then the others
// with their findings, places, excerpts and fixes, and a last line that sums up: what needs a reader is what ends up next
// to the prompt.
//
// Every line begins with text of ours, so that none can be taken for a workflow command where the output is a step's log.
func Text(w io.Writer, r *finding.Report, o TextOptions) error {
	p := &textPrinter{Writer: bufio.NewWriter(w), TextOptions: o}
	var clean, others []section
	for _, s := range sections(r) {
		if len(s.findings) == 0 {
			clean = append(clean, s)
		} else {
			others = append(others, s)
		}
	}
	p.clean(clean)
	for _, s := range others {
		p.section(s)
	}
	p.summary(r)
	return p.Flush()
}

// textPrinter holds the state of one call of [Text]. Its writer keeps the first error.
type textPrinter struct {
	*bufio.Writer
	TextOptions
	written bool // something stands above, to be set off by an empty line
}

// The ANSI SGR parameters of what has no severity.
const (
	bold  = "1"
	dim   = "2"
	green = "1;32"
	red   = "1;31"
	blue  = "1;34"
)

func (p *textPrinter) paint(sgr, text string) string {
	if !p.Color || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (p *textPrinter) line(parts ...string) {
	p.WriteString(strings.Join(parts, ""))
	p.WriteByte('\n')
}

// gap sets off what comes next.
func (p *textPrinter) gap() {
	if p.written {
		p.WriteByte('\n')
	}
	p.written = true
}

// clean lists the subjects without findings, their details in a column of their own.
func (p *textPrinter) clean(all []section) {
	if len(all) == 0 {
		return
	}
	p.gap()
	const widest = 60 // a longer path pushes its own details only
	column := 0
	for _, s := range all {
		if n := displaywidth.String(visible(s.path(), maxName)); n <= widest {
			column = max(column, n)
		}
	}
	for _, s := range all {
		path := visible(s.path(), maxName)
		pad := strings.Repeat(" ", max(0, column-displaywidth.String(path)))
		p.line(p.mark(s), " ", path, pad, "  ", p.paint(dim, p.details(s)))
		p.digest(s)
	}
}

func (p *textPrinter) section(s section) {
	if !s.isGeneral() {
		p.gap()
		p.heading(s)
	}
	for i := range s.findings {
		p.gap()
		p.finding(&s.findings[i])
	}
}

func (p *textPrinter) mark(s section) string {
	if s.passes() {
		return p.paint(green, "✓")
	}
	return p.paint(red, "✗")
}

// details returns what is known about the subject of s, first what no stranger has chosen.
func (p *textPrinter) details(s section) string {
	if s.pkg == nil {
		return "role"
	}
	out := []string{string(s.pkg.Shape)}
	if s.pkg.Kind != "" {
		out = append(out, visible(s.pkg.Kind, maxName))
	}
	if name := strings.TrimSpace(visible(s.pkg.ID, maxName) + " " + visible(s.pkg.Version, maxName)); name != "" {
		out = append(out, name)
	}
	if text := signature(s.pkg, p.Verbose); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}

func (p *textPrinter) heading(s section) {
	verdict, colour := "passes", green
	if !s.passes() {
		verdict, colour = "fails", red
	}
	p.line(p.mark(s), " ", p.paint(bold, visible(s.path(), maxName)), " ", p.paint(colour, verdict), ": ", tallyOf(s.findings).String())
	p.line("  ", p.paint(dim, p.details(s)))
	p.digest(s)
}

// digest identifies the bytes that were judged.
func (p *textPrinter) digest(s section) {
	if p.Verbose && s.pkg != nil && s.pkg.Digest != "" {
		p.line("  ", p.paint(dim, fmt.Sprintf("digest %s · %d bytes", visible(s.pkg.Digest, maxName), s.pkg.Size)))
	}
}

func (p *textPrinter) finding(f *finding.Finding) {
	colour := levelOf(f.Severity).colour
	p.line(p.paint(colour, fmt.Sprintf("%s[%s]", f.Severity, visible(f.Rule, maxName))),
		p.paint(bold, ": "+visible(f.Message, maxMessage)))
	number := gutter(f)
	margin := strings.Repeat(" ", len(number))
	bar := p.paint(blue, "|")
	if at := place(f); at != "" {
		p.line(margin, p.paint(blue, "-->"), " ", at)
	}
	if f.Excerpt != nil {
		d := draw(f.Excerpt, max(0, p.Width-len(number)-len(" | ")))
		p.line(margin, " ", bar)
		p.line(p.paint(blue, number), " ", bar, " ", d.text)
		p.line(margin, " ", bar, " ", p.marks(colour, d.marks))
		p.line(margin, " ", bar)
	}
	for _, n := range p.notes(f) {
		p.line(margin, " ", p.paint(blue, "="), " ", p.paint(bold, n.label+":"), " ", n.text)
	}
}

// marks paints the carets, leaving the blanks before them alone.
func (p *textPrinter) marks(colour, marks string) string {
	carets := strings.TrimLeft(marks, " ")
	return marks[:len(marks)-len(carets)] + p.paint(colour, carets)
}

// note is a line below a finding.
type note struct{ label, text string }

func (p *textPrinter) notes(f *finding.Finding) []note {
	var out []note
	if f.Pointer != "" && (f.Excerpt == nil || p.Verbose) {
		out = append(out, note{"at", visible(f.Pointer, maxName)})
	}
	if f.Source != nil {
		out = append(out, note{"source", position(f.Source.File, f.Source.Range)})
	}
	if f.Fix != nil && f.Fix.Description != "" {
		out = append(out, note{"help", visible(f.Fix.Description, maxMessage)})
	}
	if verb, text := shortEdit(f.Fix); verb != "" {
		out = append(out, note{verb, text})
	}
	return out
}

func (p *textPrinter) summary(r *finding.Report) {
	p.gap()
	colour := green
	if r.Failed(finding.Error) {
		colour = red
	}
	p.line(p.paint(colour, Headline(r)))
}
