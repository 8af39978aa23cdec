package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// lintCase is the expected.json of a case. Its rule ids are proposals; verdict, place and level count.
type lintCase struct {
	Kind, Verdict string
	Findings      []struct {
		Rule, Level, Path, Entry, Inner string
		Line, Count                     int
		LastLine                        int      `json:"last_line"`
		MustNotSay                      []string `json:"must_not_say"`
		MustNotContain                  []string `json:"must_not_contain"`
		Suggest, FoundAt                string
		Hint                            string
	}
}

func TestLintCases(t *testing.T) {
	dirs, err := filepath.Glob(testdata + "/cases/*")
	if err != nil || len(dirs) < 40 {
		t.Fatal(err, len(dirs))
	}
	c := New(Options{})
	ran := 0
	for _, dir := range dirs {
		name := filepath.Base(dir)
		data, err := os.ReadFile(dir + "/expected.json")
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue // the index
		}
		if err != nil {
			t.Fatal(err)
		}
		var want lintCase
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if want.Kind == "gh-bot" || want.Kind == "gh-annotation" && len(want.Findings) == 0 {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) { lint(t, c, name, want) })
	}
	if ran < 25 {
		t.Errorf("only %d cases ran", ran)
	}
}

// lint judges all packages of a case and compares.
func lint(t *testing.T, c *Checker, name string, want lintCase) {
	dir := "cases/" + name
	var packages []finding.Package
	entries, err := os.ReadDir(testdata + "/" + dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch ext := filepath.Ext(e.Name()); {
		case e.IsDir() && e.Name() == "submissions":
			packages = append(packages, judge(t, c, dir+"/submissions")...)
		case ext == ".azp", ext == ".json" && e.Name() != "expected.json" && e.Name() != "scenario.json":
			packages = append(packages, judge(t, c, dir+"/"+e.Name())...)
		}
	}
	got := map[string]int{}
	for _, p := range packages {
		for _, f := range p.Findings {
			if f.Severity >= finding.Warning {
				got[key(strings.TrimPrefix(f.File, dir+"/"), f.Line, f.Severity)]++
			}
		}
	}
	expected := map[string]int{}
	optional := map[string]bool{"manifest.json:39 warning": name == "011-secret-in-unmodelled-field"} // another unknown field
	for _, w := range want.Findings {
		level := finding.Warning
		if w.Level == "failure" {
			level = finding.Error
		}
		line, last := w.Line, max(w.Line, w.LastLine)
		if in, n, ok := strings.Cut(w.Inner, ":"); ok && in == "manifest.json" {
			if _, err := fmt.Sscan(n, &line); err != nil {
				t.Fatalf("%s: %v", w.Inner, err)
			}
			last = line
		}
		for ; line <= last; line++ {
			expected[key(w.Path, line, level)]++
		}
	}
	compare(t, got, expected, optional, packages)
	for _, w := range want.Findings {
		checkWords(t, packages, w.MustNotSay, w.MustNotContain)
	}
}

func key(file string, line int, s finding.Severity) string {
	return fmt.Sprintf("%s:%d %s", file, line, s)
}

// compare asks for the same places and levels. A place without a line is one of the whole file.
func compare(t *testing.T, got, want map[string]int, optional map[string]bool, packages []finding.Package) {
	t.Helper()
	for k, n := range want {
		file, _, _ := strings.Cut(k, ":0 ")
		if strings.Contains(k, ":0 ") {
			if !slices.ContainsFunc(packages, func(p finding.Package) bool {
				return strings.HasSuffix(p.Path, file) && p.Verdict() == finding.Fail
			}) {
				t.Errorf("%s passes", file)
			}
			continue
		}
		if got[k] < min(n, 1) {
			t.Errorf("nothing at %s", k)
		}
	}
	for k := range got {
		whole := false
		for w := range want {
			file, _, ok := strings.Cut(w, ":0 ")
			whole = whole || ok && strings.HasPrefix(k, file+":")
		}
		if want[k] == 0 && !whole && !optional[k] {
			t.Errorf("unexpected: %s", k)
		}
	}
	if t.Failed() {
		for _, p := range packages {
			for _, f := range p.Findings {
				t.Logf("%s:%d:%d %s[%s] %s", f.File, f.Line, f.Column, f.Severity, f.Rule, f.Message)
			}
		}
	}
}

func checkWords(t *testing.T, packages []finding.Package, notSay, notContain []string) {
	t.Helper()
	for _, p := range packages {
		report, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(string(report))
		for _, f := range p.Findings {
			if f.Excerpt != nil {
				report = append(report, f.Excerpt.Text...)
			}
		}
		for _, word := range notSay {
			if strings.Contains(text, strings.ToLower(word)) {
				t.Errorf("a message says %q", word)
			}
		}
		for _, secret := range notContain {
			if strings.Contains(string(report), secret) {
				t.Errorf("the report holds %q", secret)
			}
		}
	}
}
