package rulecase

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
)

// companions are the errors that the failing example of a rule can't be without.
var companions = map[string][]string{
	"azp/files-type": {"azp/payload-missing", "azp/payload-unlisted"}, // what is no object lists no path
}

func TestExamples(t *testing.T) {
	ran := 0
	for _, r := range check.Rules() {
		if !Runs(r.ID) {
			continue
		}
		ran++
		t.Run(r.ID, func(t *testing.T) {
			bad, good := judge(t, r.Bad), judge(t, r.Good)
			fails(t, r, bad)
			if good.Verdict() != finding.Pass || slices.ContainsFunc(good.Findings, func(f finding.Finding) bool { return f.Rule == r.ID }) {
				t.Errorf("the passing example: %v", said(good))
			}
		})
	}
	if ran < 150 {
		t.Errorf("only %d rules ran", ran)
	}
}

// fails asks for a finding of the rule, with a mend, and for no other error.
func fails(t *testing.T, r finding.Rule, bad finding.Package) {
	found := false
	for _, f := range bad.Findings {
		switch {
		case f.Rule == r.ID:
			found = true
			if f.Severity != r.Severity {
				t.Errorf("severity %s, want %s", f.Severity, r.Severity)
			}
			if f.Message == "" || f.Fix == nil || f.Fix.Description == "" {
				t.Errorf("%q has no mend", f.Message)
			}
		case f.Severity == finding.Error && !slices.Contains(companions[r.ID], f.Rule):
			t.Errorf("the failing example also breaks %s: %s", f.Rule, f.Message)
		}
	}
	if !found {
		t.Errorf("the failing example does not break the rule: %v", said(bad))
	}
}

func TestEveryDirectiveServesAnExample(t *testing.T) {
	used := map[string]bool{}
	for _, r := range check.Rules() {
		for _, example := range []string{r.Bad, r.Good} {
			for line := range bytes.Lines(txtar.Parse([]byte(example)).Comment) {
				name, _, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
				used[name] = true
			}
		}
	}
	for _, d := range Directives {
		if !used[d.Name] {
			t.Errorf("no example uses %s", d.Name)
		}
	}
}

func TestFaultyExamplesAreErrors(t *testing.T) {
	const files = "-- manifest.json --\n{}\n-- LICENSE --\nMIT\n"
	for _, directives := range []string{
		"unpack",
		"pack LICENSE",
		"edit LICENSE BSD MIT",
		"edit NOTICE BSD MIT",
		`edit LICENSE "MIT`,
		`edit LICENSE "\z" MIT`,
		"repeat LICENSE M many",
		"add assets/a.txt",
		"remove NOTICE",
		"rename NOTICE LICENSE",
		"zip\nset LICENSE colour 1",
		"zip\nset LICENSE crc red",
		"zip\nset-local NOTICE crc 1",
		"zip\nnest LICENSE NOTICE",
		"zip\nappend x\nremove LICENSE",
		"zip\nappend x\nadd NOTICE x",
		"zip\ntruncate 1000",
		"zip\nrecords some",
		"zip\nsign author", // no package that could be signed
		"zip\ncountersign registry author",
		"limit patience 3",
		"limit entries few",
		"remove manifest.json\nmanifest",
		"remove manifest.json\nzip\nlist",
	} {
		if p, err := Judge(context.Background(), directives+"\n"+files); err == nil {
			t.Errorf("%q: no error, %v", directives, said(p))
		}
	}
}

func TestExamplesAreBuiltTheSameEveryTime(t *testing.T) {
	r, _ := check.Rule("azp/chain-invalid")
	if a, b := judge(t, r.Bad), judge(t, r.Bad); a.Digest == "" || a.Digest != b.Digest {
		t.Errorf("%s and %s", a.Digest, b.Digest)
	}
}

func TestRuns(t *testing.T) {
	if !Runs("mcp/literal-secret") || Runs("role/port") || Runs("config/syntax") {
		t.Error("the groups of submissions run, and no others")
	}
}

func judge(t *testing.T, example string) finding.Package {
	t.Helper()
	p, err := Judge(context.Background(), example)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// said lists what findings say.
func said(p finding.Package) (out []string) {
	for _, f := range p.Findings {
		out = append(out, f.Severity.String()+" "+f.Rule+": "+f.Message)
	}
	return out
}
