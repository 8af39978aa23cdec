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
)

// Each rule is one file, catalogue/GROUP/NAME.txtar: a head of "severity:", "reference:" and "title:" lines, a blank line,
// why the rule exists, and the files of a failing and a passing example under bad/ and good/.
//
//go:embed catalogue
var catalogueFiles embed.FS

const catalogueExt = ".txtar"

// Rules returns all rules in order of their ids: those of packages, and those of the configuration.
var Rules = sync.OnceValue(func() []finding.Rule {
	var rules []finding.Rule
	err := fs.WalkDir(catalogueFiles, "catalogue", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(catalogueFiles, path)
		if err != nil {
			return err
		}
		id := strings.TrimSuffix(strings.TrimPrefix(path, "catalogue/"), catalogueExt)
		rule, err := parseRule(id, data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rules = append(rules, rule)
		return nil
	})
	if err != nil {
		panic(err) // the catalogue is part of the program
	}
	rules = append(rules, config.Rules()...)
	slices.SortFunc(rules, func(a, b finding.Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
})

// ruleIndex returns the rules by id.
var ruleIndex = sync.OnceValue(func() map[string]finding.Rule {
	index := map[string]finding.Rule{}
	for _, r := range Rules() {
		index[r.ID] = r
	}
	return index
})

// Rule returns the rule of an id.
func Rule(id string) (finding.Rule, bool) {
	r, ok := ruleIndex()[id]
	return r, ok
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

// example returns the files under a prefix, as an archive of their own.
func example(archive *txtar.Archive, prefix string) string {
	var out txtar.Archive
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			out.Files = append(out.Files, txtar.File{Name: name, Data: f.Data})
		}
	}
	return string(txtar.Format(&out))
}

// RuleURL is where a rule is explained.
func RuleURL(id string) string {
	return "https://github.com/azphalt/submissions/blob/main/docs/rules.md#" + strings.ReplaceAll(id, "/", "")
}
