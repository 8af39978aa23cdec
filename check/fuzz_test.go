package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
)

// FuzzManifest holds the rules to what every finding owes to its reader: a rule, a reason and, in a text that can be read,
// a place and an excerpt of one line.
func FuzzManifest(f *testing.F) {
	files, _ := filepath.Glob(testdata + "/vectors/manifests/*.json")
	more, _ := filepath.Glob(testdata + "/cases/*/*.json")
	for _, file := range append(files, more...) {
		if data, err := os.ReadFile(file); err == nil && len(data) < 8192 && !strings.Contains(file, "expected") {
			f.Add(data)
		}
	}
	c := New(Options{Limits: azp.Limits{Manifest: 1 << 18}})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := c.ManifestFile(Target{Path: "manifest.json", Shape: finding.Manifest}, data)
		for _, found := range p.Findings {
			if found.Rule == "" || found.Message == "" || found.Severity == finding.Off {
				t.Fatalf("%+v", found)
			}
			if strings.ContainsAny(found.Message, "\n\r\x1b") {
				t.Fatalf("message %q", found.Message)
			}
			if found.Range.IsZero() && !strings.HasPrefix(found.Rule, "limit/") && found.Rule != string(azp.GitLFSPointer) {
				t.Fatalf("no place: %+v", found)
			}
			if e := found.Excerpt; e != nil && (strings.ContainsAny(e.Text, "\n\r") || e.EndColumn <= e.Column || e.Column < 1) {
				t.Fatalf("excerpt %+v", e)
			}
		}
	})
}
