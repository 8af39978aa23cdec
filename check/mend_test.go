package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/labelled"
	"github.com/azphalt/submissions/internal/mend"
)

// credentialRules are the rules whose mends put inputs in the place of credentials, and of what stands for them.
func isCredentialRule(rule string) bool {
	switch rule {
	case "mcp/literal-secret", "mcp/literal-beside-reference", "mcp/placeholder", "sweep/secret":
		return true
	}
	return strings.HasPrefix(rule, "secret/")
}

// mendOnce makes all edits of a report at once, and returns the report of the new text.
func mendOnce(text []byte) finding.Package {
	c := New(Options{})
	text, _ = mend.Apply(text, c.ManifestFile(Target{Path: "manifest.json"}, text).Findings)
	return c.ManifestFile(Target{Path: "manifest.json"}, text)
}

// Every credential finding of the labelled corpus carries the edits that mend it, and one application of all of them gives
// a manifest without errors.
func TestCorpusIsMended(t *testing.T) {
	const dir = "../../shared/corpus-mcp/manifests"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the labelled corpus is not here: it is not part of this repository")
	}
	files, _ := filepath.Glob(dir + "/*.json")
	checkMended(t, files)
}

// The same holds for the cases that the engine for secrets has; other faults stay.
func TestCasesAreMended(t *testing.T) {
	files, err := filepath.Glob("../secret/testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	checkMended(t, files)
}

func checkMended(t *testing.T, files []string) {
	t.Helper()
	c := New(Options{})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before := c.ManifestFile(Target{Path: "manifest.json"}, text)
		for _, f := range before.Findings {
			if isCredentialRule(f.Rule) && len(f.Fix.Edits) == 0 {
				t.Errorf("%s %s: %s has no edits", file, f.Pointer, f.Rule)
			}
		}
		after := mendOnce(text)
		rules := map[string]bool{}
		for _, f := range before.Findings {
			rules[f.Rule] = !isCredentialRule(f.Rule)
		}
		for _, f := range after.Findings {
			if f.Severity == finding.Error && !rules[f.Rule] || isCredentialRule(f.Rule) {
				t.Errorf("%s %s: %s is left: %s", file, f.Pointer, f.Rule, f.Message)
			}
		}
	}
}

// The same holds for every value of the table of labels, alone in a manifest.
func TestLabelledValuesAreMended(t *testing.T) {
	values, err := labelled.Values(1)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	found := 0
	for _, v := range values {
		text, _ := v.Manifest()
		for _, f := range c.ManifestFile(Target{Path: "manifest.json"}, text).Findings {
			if isCredentialRule(f.Rule) {
				found++
				if len(f.Fix.Edits) == 0 {
					t.Errorf("%s: %s has no edits", v.Template, f.Rule)
				}
			}
		}
		after := mendOnce(text)
		for _, f := range after.Findings {
			if isCredentialRule(f.Rule) || strings.HasPrefix(f.Rule, "json/") {
				t.Errorf("%s: %s is left at %s: %s", v.Template, f.Rule, f.Pointer, f.Message)
			}
		}
	}
	if found < len(values)/2 {
		t.Errorf("only %d findings", found)
	}
}

// Whatever the manifest, its mends leave a JSON text that is no worse.
func FuzzMends(f *testing.F) {
	values, err := labelled.Values(3)
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(values); i += 40 {
		text, _ := values[i].Manifest()
		f.Add(text)
	}
	files, _ := filepath.Glob("../secret/testdata/cases/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"kind":"mcp","mcp":{"servers":[{"id":"a","remote":{"url":"x","headers":{"Authorization":"Bearer \u003ckey\u003e${input:a}"}}}],"inputs":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, faults := jsontree.Parse(text)
		mended, _ := mend.JSON(text, New(Options{}).ManifestFile(Target{Path: "manifest.json"}, text).Findings)
		if _, left := jsontree.Parse(mended); len(left) > len(faults) {
			t.Errorf("%q\nbecomes %q", text, mended)
		}
	})
}
