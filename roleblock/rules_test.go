package roleblock_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/roleblock"
)

// tree makes a file system of a txtar archive.
func tree(archive string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		out[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return out
}

func lint(t testing.TB, fsys fs.FS) *roleblock.Result {
	t.Helper()
	r, err := roleblock.Lint(fsys, roleblock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRuleEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range roleblock.Rules() {
		if !regexp.MustCompile(`^role/[a-z0-9-]+$`).MatchString(r.ID) || seen[r.ID] {
			t.Errorf("id %q is not proper, or not new", r.ID)
		}
		seen[r.ID] = true
		if r.Severity < finding.Warning || r.Reference || r.Title == "" || strings.HasSuffix(r.Title, ".") || strings.Contains(r.Title, "\n") {
			t.Errorf("%s: %v, reference %v, title %q", r.ID, r.Severity, r.Reference, r.Title)
		}
		if !strings.HasSuffix(r.Why, ".") {
			t.Errorf("%s: why %q", r.ID, r.Why)
		}
	}
	if len(seen) != 76 {
		t.Errorf("%d rules; there are 74 about blocks, and too-large and unreadable-path", len(seen))
	}
}

// The bad example of a rule breaks that rule and no other, and the good one none at all.
func TestRuleExamples(t *testing.T) {
	for _, r := range roleblock.Rules() {
		t.Run(strings.TrimPrefix(r.ID, "role/"), func(t *testing.T) {
			bad := lint(t, tree(r.Bad)).Findings
			if len(bad) == 0 {
				t.Error("the bad example has no fault")
			}
			for _, f := range bad {
				if f.Rule != r.ID || f.Severity != r.Severity {
					t.Errorf("the bad example has %s (%v) at %s:%d: %s", f.Rule, f.Severity, f.File, f.Line, f.Message)
				}
				checkShape(t, f)
			}
			for _, f := range lint(t, tree(r.Good)).Findings {
				t.Errorf("the good example has %s at %s:%d: %s", f.Rule, f.File, f.Line, f.Message)
			}
		})
	}
}
