// Package ruledoc explains the rules: as a page of Markdown and at a terminal. What it shows of the verifier's words comes
// from judging the examples, so that it can't be out of date.
package ruledoc

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/rulecase"
)

// groupTitles say what the rules of a group are about.
var groupTitles = map[string]string{
	"app":        "apps",
	"azp":        "the package and its signature",
	"code":       "packages with code",
	"config":     "the registry's configuration",
	"json":       "JSON texts",
	"limit":      "limits",
	"manifest":   "what a manifest says",
	"mcp":        "MCP servers",
	"offers":     "what servers offer",
	"pack":       "packs",
	"provenance": "packages that imitate others",
	"publisher":  "what is published already, and by whom",
	"role":       "service blocks of Ansible roles",
	"script":     "scripts",
	"secret":     "secrets",
	"skill":      "skills",
	"submission": "submissions",
	"sweep":      "the sweep at publication",
	"wasm":       "WebAssembly modules",
	"zip":        "the ZIP container",
}

// group returns the group of a rule.
func group(id string) string {
	name, _, _ := strings.Cut(id, "/")
	return name
}

// byGroup cuts rules, which are in order of their ids, into their groups.
func byGroup(rules []finding.Rule) [][]finding.Rule {
	var groups [][]finding.Rule
	for i, r := range rules {
		if i == 0 || group(r.ID) != group(rules[i-1].ID) {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], r)
	}
	return groups
}

// standing says how grave a finding of the rule is, and whether that can be changed.
func standing(r finding.Rule) string {
	if r.Reference {
		return r.Severity.String() + ", a rule of the format"
	}
	return r.Severity.String()
}

// page is what there is to show of a rule.
type page struct {
	finding.Rule
	bad, good side
	said      string // what the verifier says of the failing example; "" where that is run elsewhere
}

// explain puts together what there is to show of a rule, for a terminal of the given width.
func explain(r finding.Rule, width int) (page, error) {
	p := page{Rule: r}
	bad, good := txtar.Parse([]byte(r.Bad)), txtar.Parse([]byte(r.Good))
	p.bad, p.good = compare(bad, good), compare(good, bad)
	if !rulecase.Runs(r.ID) {
		return p, nil
	}
	judged, err := rulecase.Judge(context.Background(), r.Bad)
	if err != nil {
		return p, fmt.Errorf("the failing example of %s: %w", r.ID, err)
	}
	p.said, err = said(judged, r.ID, width)
	return p, err
}

// said returns what the verifier prints of the first finding of a rule.
func said(p finding.Package, rule string, width int) (string, error) {
	i := slices.IndexFunc(p.Findings, func(f finding.Finding) bool { return f.Rule == rule })
	if i < 0 {
		return "", fmt.Errorf("the failing example does not break %s", rule)
	}
	p.Findings = p.Findings[i : i+1]
	var out bytes.Buffer
	if err := annotate.Text(&out, &finding.Report{Packages: []finding.Package{p}}, annotate.TextOptions{Width: width}); err != nil {
		return "", err
	}
	// Around the finding stand the package's heading and a last line that sums up.
	paragraphs := strings.Split(out.String(), "\n\n")
	return strings.TrimSpace(paragraphs[1]), nil
}
