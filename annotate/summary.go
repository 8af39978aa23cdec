package annotate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// The room that GitHub gives to a page of Markdown, in bytes.
const (
	JobSummaryLimit   = 1 << 20 // a step's job summary; a larger one is dropped as a whole
	CheckSummaryLimit = 65535   // the summary of a check run (65,535 characters; bytes are never fewer)
)

// SummaryOptions are the settings of [Summary].
type SummaryOptions struct {
	Limit   int                    // bytes of the page at most; 0 means JobSummaryLimit
	Hidden  int                    // findings that [Commands] had no room for
	Notes   []string               // what else there is to know about the run; plain text, one paragraph each
	RuleURL func(id string) string // where a rule is documented; nil for no links
}

// Summary writes the report as a page of Markdown, for a job summary or the output of a check run: a headline, a table of
// packages, and a section with its findings for each that has any, failing ones first. Where the page would exceed its
// limit it ends after a whole finding, and says how many are missing.
//
// Nothing of a stranger's text becomes a link, an image, HTML, a mention or a reference; see [prose].
func Summary(w io.Writer, r *finding.Report, o SummaryOptions) error {
	if o.Limit <= 0 {
		o.Limit = JobSummaryLimit
	}
	p := &page{SummaryOptions: o}
	all := sections(r)
	slices.SortStableFunc(all, func(a, b section) int { return a.rank() - b.rank() })

	p.add(headline(r))
	if p.Hidden > 0 {
		p.add(fmt.Sprintf("\n%s without an annotation: GitHub shows %d of each severity for a step.\n",
			plural(p.Hidden, "finding"), CommandsPerLevel))
	}
	for _, note := range p.Notes {
		p.add("\n> " + prose(note) + "\n")
	}
	p.table(all)
	for _, s := range all {
		p.section(s)
	}
	p.end()
	_, err := w.Write(p.buf.Bytes())
	return err
}

// rank orders sections on a page: what fails, what has findings, the rest.
func (s section) rank() int {
	switch {
	case !s.passes():
		return 0
	case len(s.findings) > 0:
		return 1
	}
	return 2
}

func (s section) emoji() string {
	if s.passes() {
		return "✅"
	}
	return levelOf(finding.Error).emoji
}

func headline(r *finding.Report) string {
	emoji := "✅"
	if r.Failed(finding.Error) {
		emoji = levelOf(finding.Error).emoji
	}
	line := Headline(r)
	page := "## " + emoji + " " + capital(line) + "\n"
	if len(r.Packages)+len(r.Roles) == 0 {
		page += "\nThere is no package and no role to check.\n"
	}
	return page
}

// page is a text that takes blocks as long as they fit below its limit.
type page struct {
	SummaryOptions
	buf     bytes.Buffer
	full    bool // a finding didn't fit, so no later one is taken
	missing int  // findings that didn't fit
	rows    int  // table rows that didn't fit
}

// lastWords is room kept for what [page.end] says.
const lastWords = 300

// add appends block if it fits.
func (p *page) add(block string) bool {
	if p.buf.Len()+len(block)+lastWords > p.Limit {
		return false
	}
	p.buf.WriteString(block)
	return true
}

const tableHead = `
| | Package | Id | Version | Kind | Signed | Errors | Warnings |
| :-: | :-- | :-- | :-- | :-- | :-- | --: | --: |
`

// table lists packages and roles. It takes half of the page at most, so that findings have room.
func (p *page) table(all []section) {
	var rows []string
	for _, s := range all {
		if !s.isGeneral() {
			rows = append(rows, row(s))
		}
	}
	if len(rows) == 0 {
		return
	}
	p.add(tableHead)
	for i, row := range rows {
		if p.buf.Len() > p.Limit/2 || !p.add(row) {
			p.rows = len(rows) - i
			return
		}
	}
}

func row(s section) string {
	counts := tallyOf(s.findings)
	cells := []string{s.emoji(), code(visible(s.path(), maxName)), "", "", "role", ""}
	if p := s.pkg; p != nil {
		cells = append(cells[:2], code(visible(p.ID, maxName)), code(visible(p.Version, maxName)), prose(p.Kind), signedWord(p))
	}
	for i, c := range cells {
		cells[i] = tableCell(c)
	}
	return fmt.Sprintf("| %s | %d | %d |\n", strings.Join(cells, " | "), counts[finding.Error], counts[finding.Warning])
}

func signedWord(p *finding.Package) string {
	switch {
	case !p.Signed:
		return "no"
	case p.Trust == nil:
		return "yes"
	case p.Trust.Trusted:
		return "yes, trusted"
	}
	return "yes, not trusted"
}

// section writes what is in s, and its findings. Its heading comes with the first of them, so that none stands without.
func (p *page) section(s section) {
	heading := s.heading()
	for _, item := range s.items() {
		if p.add(heading + item) {
			heading = ""
		}
	}
	for i := range s.findings {
		p.full = p.full || !p.add(heading+p.finding(s, &s.findings[i]))
		if p.full {
			p.missing += len(s.findings) - i
			return
		}
		heading = ""
	}
}

// items are list items about what is in s.
func (s section) items() (items []string) {
	if s.pkg == nil {
		return nil
	}
	for i := range s.pkg.Modules {
		items = append(items, moduleItem(&s.pkg.Modules[i]))
	}
	for i := range s.pkg.Offers {
		items = append(items, offerItem(&s.pkg.Offers[i]))
	}
	return items
}

func (s section) heading() string {
	if s.isGeneral() {
		return "\n### General\n"
	}
	text := "\n### " + s.emoji() + " " + code(visible(s.path(), maxName)) + "\n"
	if s.pkg != nil {
		if words := signature(s.pkg, false); words != "" {
			text += "\n" + capital(prose(words)) + ".\n"
		}
	}
	return text
}

// finding returns a list item: rule, place and message, then the excerpt and the fix.
func (p *page) finding(s section, f *finding.Finding) string {
	l := levelOf(f.Severity)
	rule := code(visible(f.Rule, maxName))
	if p.RuleURL != nil {
		rule = link(rule, p.RuleURL(f.Rule))
	}
	item := fmt.Sprintf("\n- %s **%s** %s", l.emoji, f.Severity, rule)
	if at := s.placeWithin(f); at != "" {
		item += " at " + code(at)
	}
	item += "\n\n" + indented(prose(f.Message)+"\n")
	if f.Excerpt != nil {
		item += "\n" + indented(fenced("text", snippet(f, annotationWidth)))
	} else if f.Pointer != "" {
		item += "\n" + indented("At "+code(visible(f.Pointer, maxName))+"\n")
	}
	if help := p.help(f); help != "" {
		item += "\n" + indented(help+"\n")
	}
	return item
}

// placeWithin is place without the path that the heading of s names already.
func (s section) placeWithin(f *finding.Finding) string {
	switch {
	case f.File == "" || f.File != s.path():
		within := *f
		if rest, ok := strings.CutPrefix(f.File, s.path()+"/"); ok && !s.isGeneral() {
			within.File = rest
		}
		return place(&within)
	case f.Entry != "":
		return position(f.Entry, f.Range)
	case f.Line > 0:
		return place(f)
	}
	return ""
}

func (p *page) help(f *finding.Finding) string {
	var parts []string
	if f.Fix != nil && f.Fix.Description != "" {
		parts = append(parts, "**Help:** "+prose(f.Fix.Description))
	}
	if verb, text := shortEdit(f.Fix); verb != "" {
		parts = append(parts, capital(verb)+" "+code(text))
	}
	if f.Source != nil {
		parts = append(parts, "Source: "+code(position(f.Source.File, f.Source.Range)))
	}
	return strings.Join(parts, "\n\n")
}

// end says what didn't fit.
func (p *page) end() {
	var parts []string
	if p.rows > 0 {
		parts = append(parts, plural(p.rows, "more table row"))
	}
	if p.missing > 0 {
		parts = append(parts, plural(p.missing, "more finding"))
	}
	if len(parts) > 0 {
		fmt.Fprintf(&p.buf, "\n**%s did not fit on this page.** The JSON report has everything.\n", strings.Join(parts, " and "))
	}
	p.buf.Truncate(min(p.buf.Len(), p.Limit))
}
