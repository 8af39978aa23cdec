package rulecase

import (
	"context"
	"slices"
	"testing"

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
			bad := judge(t, r.Bad)
			if !slices.ContainsFunc(bad.Findings, func(f finding.Finding) bool { return f.Rule == r.ID && f.Severity == r.Severity }) {
				t.Errorf("the failing example has no %s of the rule: %v", r.Severity, said(bad))
			}
			for _, f := range bad.Findings {
				if f.Severity == finding.Error && f.Rule != r.ID && !slices.Contains(companions[r.ID], f.Rule) {
					t.Errorf("the failing example also breaks %s", f.Rule)
				}
			}
			good := judge(t, r.Good)
			if good.Verdict() != finding.Pass {
				t.Errorf("the passing example fails: %v", said(good))
			}
			if slices.ContainsFunc(good.Findings, func(f finding.Finding) bool { return f.Rule == r.ID }) {
				t.Errorf("the passing example breaks the rule: %v", said(good))
			}
		})
	}
	if ran < 150 {
		t.Errorf("only %d rules ran", ran)
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
