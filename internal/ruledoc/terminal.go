package ruledoc

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
)

// terminalWidth is the width of what is written for a terminal.
const terminalWidth = 80

// Text explains a rule at a terminal.
func Text(w io.Writer, r finding.Rule) error {
	page, err := explain(r, terminalWidth-len("  "))
	if err != nil {
		return err
	}
	p := &printer{Writer: bufio.NewWriter(w)}
	p.printf("%s (%s)\n", r.ID, standing(r))
	p.printf("%s\n\n", wrap(r.Title, "", ""))
	for paragraph := range strings.SplitSeq(r.Why, "\n\n") {
		p.printf("%s\n\n", wrap(paragraph, "", ""))
	}
	p.WriteString("Fails:\n\n")
	p.plainSide(page.bad)
	if page.said != "" {
		p.said(page.said)
	}
	p.WriteString("Passes:\n\n")
	p.plainSide(page.good)
	p.printf("%s\n", check.RuleURL(r.ID))
	return p.Flush()
}

// List lists rules by group.
func List(w io.Writer, rules []finding.Rule) error {
	p := &printer{Writer: bufio.NewWriter(w)}
	widest := 0
	for _, r := range rules {
		widest = max(widest, len(r.ID))
	}
	for _, g := range byGroup(rules) {
		p.printf("Rules about %s\n", groupTitles[group(g[0].ID)])
		for _, r := range g {
			mark := " "
			if r.Reference {
				mark = "*"
			}
			p.printf("  %-*s  %-7s%s  %s\n", widest, r.ID, r.Severity, mark, r.Title)
		}
		p.WriteString("\n")
	}
	p.WriteString("* a rule of the format: it can't be turned down or waived\n`azp rules ID` explains a rule.\n")
	return p.Flush()
}

// plainSide shows an example, indented.
func (p *printer) plainSide(s side) {
	if s.empty() {
		p.printf("  %s\n\n", asIs)
	}
	if s.files != nil {
		p.printf("%s\n\n", wrap("Files: "+strings.Join(s.files, ", "), "  ", "  "))
	}
	for _, part := range s.parts {
		p.printf("  %s:\n", part.name)
		p.indented("    ", part.text)
	}
	if s.directives != "" {
		p.WriteString("  Directives:\n")
		p.indented("    ", s.directives)
	}
}

func (p *printer) indented(by, text string) {
	for line := range strings.Lines(text + "\n") {
		p.printf("%s%s", by, line)
	}
	p.WriteString("\n")
}

// said shows what the verifier says. Its words are wrapped; the line of the file and its marks stay as they are.
func (p *printer) said(text string) {
	for i, line := range strings.Split(text, "\n") {
		before, _, note := strings.Cut(line, "= ")
		switch {
		case i == 0:
			line = wrap(line, "  ", "    ")
		case note && strings.TrimSpace(before) == "":
			line = wrap(strings.TrimSpace(line), "  "+before, "    "+before)
		default:
			line = "  " + line
		}
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
	p.WriteString("\n")
}

// wrap breaks text between words, with an indent for the first line and one for those that follow.
func wrap(text, first, next string) string {
	var out strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			out.WriteString(first)
			column = utf8.RuneCountInString(first)
		case column+1+n > terminalWidth:
			out.WriteString("\n" + next)
			column = utf8.RuneCountInString(next)
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += n
	}
	return out.String()
}
