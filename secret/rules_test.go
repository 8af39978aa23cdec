package secret

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// rulesIn returns the rules that the files of an archive break.
func rulesIn(t *testing.T, archive string) (broken []string) {
	t.Helper()
	for i, file := range strings.Split("\n"+archive, "\n-- ")[1:] {
		name, body, ok := strings.Cut(file, " --\n")
		if !ok {
			t.Fatalf("file %d has no name", i)
		}
		if name != "manifest.json" {
			if err := Text(strings.NewReader(body), func(m TextMatch) { broken = append(broken, m.Rule) }); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var manifest map[string]any
		if err := json.Unmarshal([]byte(body), &manifest); err != nil {
			t.Fatal(err)
		}
		w := walker{results: map[string]Result{}}
		w.walk(manifest, "", Context{})
		for _, r := range w.results {
			for _, m := range r.Matches {
				broken = append(broken, m.Rule)
			}
		}
	}
	return broken
}

func TestExamplesBreakTheirRuleAndNoOther(t *testing.T) {
	rules := Rules()
	if !slices.IsSortedFunc(rules, func(a, b finding.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rules are not in order")
	}
	for _, r := range rules {
		if got := rulesIn(t, r.Bad); !slices.Equal(got, []string{r.ID}) {
			t.Errorf("%s: the bad example breaks %v", r.ID, got)
		}
		if got := rulesIn(t, r.Good); len(got) > 0 {
			t.Errorf("%s: the good example breaks %v", r.ID, got)
		}
		if r.Title == "" || r.Why == "" || r.Severity == finding.Off || r.Reference {
			t.Errorf("%s: incomplete", r.ID)
		}
	}
}
