package roleblock

import (
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// ruleCase is a tree, made from an example by replacing texts in it, with the findings that it must have, in order: the
// rule without its group, an at sign, and what the line of the finding holds.
type ruleCase struct {
	name  string
	base  example
	edits []string // old, new, old, new …; each old one is there exactly once
	want  []string
}

func runCases(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			archive := c.base
			for i := 0; i < len(c.edits); i += 2 {
				archive = archive.with(c.edits[i], c.edits[i+1])
			}
			wantFindings(t, filesOf(string(archive)), c.want...)
		})
	}
}

// filesOf makes a file system of a txtar archive.
func filesOf(archive string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		out[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return out
}

func wantFindings(t *testing.T, fsys fstest.MapFS, want ...string) *Result {
	t.Helper()
	result, err := Lint(fsys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range result.Findings {
		line := ""
		if file := fsys[f.File]; file != nil {
			line = strings.Split(string(file.Data), "\n")[f.Line-1]
		}
		rule, text := "", ""
		if i < len(want) {
			rule, text, _ = strings.Cut(want[i], "@")
		}
		if f.Rule != "role/"+rule || !strings.Contains(line, text) {
			t.Errorf("finding %d is %s at %s:%d, %q (%s)", i, f.Rule, f.File, f.Line, line, f.Message)
		}
	}
	if len(result.Findings) != len(want) {
		t.Errorf("%d findings, want %q", len(result.Findings), want)
	}
	return result
}
