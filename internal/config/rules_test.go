package config

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/finding"
)

// TestRuleExamples proves that the bad example of each rule breaks that rule alone and the good one does not.
func TestRuleExamples(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Reference || rule.Title == "" || rule.Why == "" || strings.HasSuffix(rule.Title, ".") {
			t.Errorf("%s: %+v", rule.ID, rule)
		}
		bad := judgeExample(t, rule.Bad)
		if len(bad) != 1 || bad[0].Rule != rule.ID || bad[0].Severity != rule.Severity {
			t.Errorf("%s: the bad example gives\n%s", rule.ID, render(bad))
		}
		for _, f := range judgeExample(t, rule.Good) {
			if f.Rule == rule.ID || f.Severity > finding.Notice {
				t.Errorf("%s: the good example gives\n%s", rule.ID, render([]finding.Finding{f}))
			}
		}
	}
}

func judgeExample(t *testing.T, archive string) []finding.Finding {
	t.Helper()
	files := txtar.Parse([]byte(archive)).Files
	if len(files) != 1 || files[0].Name != Path {
		t.Fatalf("no archive of the file: %s", archive)
	}
	c, found := Parse(Path, files[0].Data, catalogue)
	r := finding.Report{General: found}
	c.ApplyWaivers(&r, today, all)
	return r.General
}
