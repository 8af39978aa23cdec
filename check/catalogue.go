package check

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/roleblock"
	"github.com/azphalt/submissions/secret"
)

// Each rule is one file, catalogue/GROUP/NAME.txtar: a head of "severity:", "reference:" and "title:" lines, a blank line,
// why the rule exists, and the files of a failing and a passing example under bad/ and good/. A file "build" of an example
// is not part of it: it holds the directives by which the package internal/rulecase makes a submission of the others.
//
//go:embed catalogue
var catalogueFiles embed.FS

const catalogueExt = ".txtar"

// Rules returns all rules in order of their ids: those of packages, of values, of roles and of the configuration.
var Rules = sync.OnceValue(func() []finding.Rule {
	paths, err := fs.Glob(catalogueFiles, "catalogue/*/*"+catalogueExt)
	if err != nil {
		panic(err) // the pattern is part of the program
	}
	var rules []finding.Rule
	for _, path := range paths {
		rule, _ := Rule(strings.TrimSuffix(strings.TrimPrefix(path, "catalogue/"), catalogueExt))
		rules = append(rules, rule)
	}
	for _, rule := range foreign() {
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b finding.Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
})

// foreign are the rules that other packages report, by id.
var foreign = sync.OnceValue(func() map[string]finding.Rule {
	rules := map[string]finding.Rule{}
	for _, r := range slices.Concat(config.Rules(), secret.Rules(), roleblock.Rules()) {
		rules[r.ID] = r
	}
	return rules
})

// known are the rules that have been read, by id. Most runs need few of them, and reading all takes longer than judging a
// small package.
var known sync.Map // of finding.Rule

// Rule returns the rule of an id.
func Rule(id string) (finding.Rule, bool) {
	if r, ok := known.Load(id); ok {
		return r.(finding.Rule), true
	}
	data, err := catalogueFiles.ReadFile("catalogue/" + id + catalogueExt)
	if err != nil {
		r, ok := foreign()[id]
		return r, ok
	}
	r, err := parseRule(id, data)
	if err != nil {
		panic(fmt.Sprintf("check: rule %s: %v", id, err)) // the catalogue is part of the program
	}
	known.Store(id, r)
	return r, true
}

// parseRule reads one file of the catalogue.
func parseRule(id string, data []byte) (finding.Rule, error) {
	archive := txtar.Parse(data)
	head, why, _ := strings.Cut(string(archive.Comment), "\n\n")
	rule := finding.Rule{ID: id, Why: strings.TrimSpace(why)}
	for line := range strings.Lines(head) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			return rule, fmt.Errorf("head line %q", line)
		}
		switch name {
		case "severity":
			s, err := finding.ParseSeverity(value)
			if err != nil {
				return rule, err
			}
			rule.Severity = s
		case "reference":
			rule.Reference = value == "yes"
		case "title":
			rule.Title = value
		default:
			return rule, fmt.Errorf("head line %q", line)
		}
	}
	rule.Bad, rule.Good = example(archive, "bad/"), example(archive, "good/")
	return rule, nil
}

// example returns the files under a prefix, as an archive of their own with the directives in front.
func example(archive *txtar.Archive, prefix string) string {
	var out txtar.Archive
	for _, f := range archive.Files {
		switch name, ok := strings.CutPrefix(f.Name, prefix); {
		case !ok:
		case name == "build":
			out.Comment = f.Data
		default:
			out.Files = append(out.Files, txtar.File{Name: name, Data: f.Data})
		}
	}
	return string(txtar.Format(&out))
}

// RuleURL is where a rule is explained.
func RuleURL(id string) string {
	return "https://github.com/azphalt/submissions/blob/main/docs/rules.md#" + strings.ReplaceAll(id, "/", "-")
}
