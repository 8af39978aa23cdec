package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/vectortest"
)

// TestCorpus measures the rules about secrets on the labelled corpus: a secret counts as found by any of them at its
// place, a finding of secret/… as right where the label says secret.
func TestCorpus(t *testing.T) {
	const dir = "../../shared/corpus-mcp"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the labelled corpus is not here: it is not part of this repository")
	}
	labels := map[string]map[string]string{}
	for _, l := range vectortest.Lines[struct{ File, Pointer, Label string }](t, dir+"/labels.jsonl") {
		if labels[l.File] == nil {
			labels[l.File] = map[string]string{}
		}
		labels[l.File][l.Pointer] = l.Label
	}
	c := New(Options{})
	var secrets, recalled, flagged, wrong int
	for file, byPointer := range labels {
		data, err := os.ReadFile(filepath.Join(dir, "manifests", file))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, f := range c.ManifestFile(Target{Path: file}, data).Findings {
			value := strings.HasPrefix(f.Rule, "secret/") && f.Severity == finding.Error
			if value || f.Rule == "mcp/literal-secret" || f.Rule == "sweep/secret" {
				found[f.Pointer] = true
			}
			if !value {
				continue
			}
			flagged++
			if label := byPointer[f.Pointer]; label != "secret" {
				wrong++
				t.Logf("%s %s is labelled %q, and reported as %s", file, f.Pointer, label, f.Rule)
			}
			if byPointer[f.Pointer] == "reference" {
				t.Errorf("%s %s: a reference is reported", file, f.Pointer)
			}
		}
		for pointer, label := range byPointer {
			if label != "secret" {
				continue
			}
			secrets++
			if found[pointer] {
				recalled++
			} else {
				t.Logf("%s %s is a secret, and not reported", file, pointer)
			}
		}
	}
	recall, precision := float64(recalled)/float64(secrets), 1-float64(wrong)/float64(flagged)
	t.Logf("recall %.3f of %d secrets, precision %.3f of %d findings", recall, secrets, precision, flagged)
	if recall < 0.98 || precision < 0.98 {
		t.Error("below the figures of the design")
	}
}
