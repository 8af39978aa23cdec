package ruledoc

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/rulecase"
)

// pageWidth is the width to which excerpts on the page are cut.
const pageWidth = 110

const intro = `# Rules

Every finding names the rule that it breaks. This page says of each rule why it exists, what a package looks like that
breaks it, what the verifier says then, and how the same package passes. ` + "`azp rules ID`" + ` shows the same at a terminal.

"The format" is that of azphalt packages. Its sections are: 1 the container, 2 verification, 3 signatures and trust, 4 the
kinds of packages, 5 submissions, 6 the sweep at publication.

The page is generated from ` + "`check/catalogue`" + `, and the messages on it come from a run over the examples; a test fails where
it is out of date.

## Severities

| Severity | What it does |
|---|---|
| error | The package does not pass. |
| warning | The package passes; it should be mended all the same. ` + "`--fail-on warning`" + ` has warnings fail, too. |
| notice | Worth knowing; never fails anything. |

Rules of the format are always errors: any other implementation refuses the package for the same reason. They can neither
be turned down nor waived. The severity of all others is set in ` + "`.github/azphalt.yml`" + `, on the branch into which a pull request
goes:

` + "```yaml" + `
rules:
  mcp/machine-path: error        # error | warning | notice | off
  manifest/unknown-field: off
waivers:
  - rule: mcp/extra-payload
    path: submissions/com.example.notes/**
    reason: "the build script is part of the documentation"
    until: 2027-01-31
` + "```" + `

A waiver lets single packages off a rule. It needs a reason and a last day. [config.md](config.md) describes the whole file.

## How the examples are written

Of the files of an example only what differs between the failing and the passing one is shown. Unless something else is said,
the files are a submission as its author has it, in the folder that is named for its id. Where the fault is one that only an
archive can have, directives say how the archive is made of the files, one after another. A word of a directive can be
quoted as in Go, so that it can hold blanks and any byte.

`

// Markdown writes the page of all rules.
func Markdown(w io.Writer, rules []finding.Rule) error {
	p := &printer{Writer: bufio.NewWriter(w)}
	p.WriteString(intro)
	p.directives()
	p.contents(rules)
	for _, g := range byGroup(rules) {
		p.printf("## %s\n\nRules about %s.\n\n", group(g[0].ID), groupTitles[group(g[0].ID)])
		for _, r := range g {
			if err := p.rule(r); err != nil {
				return err
			}
		}
	}
	return p.Flush()
}

// printer writes Markdown. Its writer keeps the first error.
type printer struct{ *bufio.Writer }

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.Writer, format, args...) }

// directives explains the directives of the examples.
func (p *printer) directives() {
	p.WriteString("| Directive | What it does |\n|---|---|\n")
	for _, d := range rulecase.Directives {
		p.printf("| `%s` | %s |\n", strings.Join(append([]string{d.Name}, d.Args...), " "), d.About)
	}
	p.WriteString("\n")
}

// contents writes the table of contents.
func (p *printer) contents(rules []finding.Rule) {
	p.WriteString("## All rules\n\n")
	for _, g := range byGroup(rules) {
		name := group(g[0].ID)
		p.printf("**[%s](#%s)**: %s\n\n| Rule | Severity | What is wrong |\n|---|---|---|\n", name, name, groupTitles[name])
		for _, r := range g {
			p.printf("| [`%s`](#%s) | %s | %s |\n", r.ID, anchor(heading(r.ID)), standing(r), r.Title)
		}
		p.WriteString("\n")
	}
}

// heading is the heading of a rule. It is its anchor as well, so that links to a rule can be made of its id.
func heading(id string) string { return strings.ReplaceAll(id, "/", "-") }

// anchor returns the anchor that GitHub gives to a heading: in lower case, without what is no letter, digit, hyphen,
// underscore or space, with hyphens for spaces.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		default:
			return -1
		}
	}, strings.ToLower(heading))
}

// rule explains a rule.
func (p *printer) rule(r finding.Rule) error {
	page, err := explain(r, pageWidth)
	if err != nil {
		return err
	}
	p.printf("### %s\n\n**%s**\n\n`%s` · %s\n\n%s\n\n", heading(r.ID), r.Title, r.ID, standing(r), r.Why)
	p.WriteString("Fails:\n\n")
	p.side(page.bad)
	if page.said != "" {
		p.fenced("text", page.said)
	}
	p.WriteString("Passes:\n\n")
	p.side(page.good)
	return nil
}

// side shows an example.
func (p *printer) side(s side) {
	if s.empty() {
		p.printf("%s\n\n", asIs)
	}
	if s.files != nil {
		p.printf("Files: `%s`\n\n", strings.Join(s.files, "`, `"))
	}
	for _, part := range s.parts {
		p.printf("`%s`:\n\n", part.name)
		p.fenced(language(part.name), part.text)
	}
	if steps := steps(s.directives); len(steps) > 0 {
		p.printf("Directives: `%s`\n\n", strings.Join(steps, "`, `"))
	}
}

// steps returns directives without comments.
func steps(directives string) []string {
	var out []string
	for line := range strings.Lines(directives) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// language names the language of a file for highlighting.
func language(name string) string {
	switch ext := path.Ext(name); ext {
	case ".json":
		return "json"
	case ".yml", ".yaml":
		return "yaml"
	default:
		return "text"
	}
}

// fenced writes a block of code. A fence has more backticks than any in the text.
func (p *printer) fenced(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	p.printf("%s%s\n%s\n%s\n\n", fence, language, text, fence)
}
