package roleblock_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/roleblock"
)

// expected is the expected.json of a vector.
type expected struct {
	Note     string
	Findings []struct {
		Rule     string
		Severity finding.Severity
		File     string
		Line     int
		LineAny  []int `json:"line_any"`
		About    string
	}
	Derived   map[string]any
	Discovery []json.RawMessage
}

type discoveryCase struct {
	Consumer string
	roleblock.Estate
}

func TestVectors(t *testing.T) {
	dirs, err := filepath.Glob("testdata/vectors/*/expected.json")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var want expected
			readJSON(t, file, &want)
			result, err := roleblock.Lint(os.DirFS(dir), roleblock.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compareFindings(t, want, result.Findings)
			if want.Derived != nil {
				compareDerived(t, want, result.Model)
			}
			if want.Discovery != nil {
				compareDiscovery(t, want, result.Model, filepath.Join(dir, "discovery.json"))
			}
		})
	}
}

func compareFindings(t *testing.T, want expected, got []roleblock.Finding) {
	t.Helper()
	for i, f := range got {
		if i >= len(want.Findings) {
			t.Errorf("too much: %s %s:%d:%d about %q: %s", f.Rule, f.File, f.Line, f.Column, f.About, f.Message)
			continue
		}
		w := want.Findings[i]
		lines := slices.Concat(w.LineAny, []int{w.Line})
		if f.Rule != w.Rule || f.Severity != w.Severity || f.File != w.File || !slices.Contains(lines, f.Line) || w.About != "" && f.About != w.About {
			t.Errorf("finding %d is %v %s %s:%d about %q (%s), want %+v", i, f.Severity, f.Rule, f.File, f.Line, f.About, f.Message, w)
		}
		checkShape(t, f)
	}
	if len(got) < len(want.Findings) {
		t.Errorf("missing: %+v", want.Findings[len(got):])
	}
}

// checkShape holds every finding to what readers rely on.
func checkShape(t *testing.T, f roleblock.Finding) {
	t.Helper()
	switch {
	case f.Line < 1 || f.Column < 1 || f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn < f.Column:
		t.Errorf("%s has no proper place: %+v", f.Rule, f.Range)
	case f.Excerpt == nil || f.Excerpt.EndColumn <= f.Excerpt.Column || strings.ContainsAny(f.Excerpt.Text, "\r\n\x1b\x00"):
		t.Errorf("%s has no proper excerpt: %+v", f.Rule, f.Excerpt)
	case f.Message == "" || f.Fix == nil || f.Fix.Description == "":
		t.Errorf("%s does not say what is wrong and how to mend it: %q %+v", f.Rule, f.Message, f.Fix)
	}
}

func compareDerived(t *testing.T, want expected, m *roleblock.Model) {
	t.Helper()
	data, err := json.Marshal(m.Derived())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want.Derived) {
		t.Errorf("derived %v, want %v", got, want.Derived)
	}
}

func compareDiscovery(t *testing.T, want expected, m *roleblock.Model, file string) {
	t.Helper()
	var run struct{ Cases []discoveryCase }
	readJSON(t, file, &run)
	if len(run.Cases) != len(want.Discovery) {
		t.Fatalf("%d cases, %d results", len(run.Cases), len(want.Discovery))
	}
	for i, c := range run.Cases {
		d, err := m.Discover(c.Consumer, c.Estate)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := plain(t, data), plain(t, want.Discovery[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("case %d:\ngot  %v\nwant %v", i, got, want)
		}
	}
}

// plain decodes a discovery, under the name that the command gives the client.
func plain(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if consumer, ok := out["consumer"]; ok {
		out["client"] = consumer
		delete(out, "consumer")
	}
	return out
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// On a disk, too, a link is reported and nothing behind it is shown.
func TestLinksOnDisk(t *testing.T) {
	root := t.TempDir()
	meta := filepath.Join(root, "tree", "roles", "web-app-a", "meta")
	secret := filepath.Join(root, "secret.yml")
	if err := errors.Join(os.MkdirAll(meta, 0o777), os.WriteFile(secret, []byte("hunter2hunter2: [\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(meta, "mcp.yml")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	result := lint(t, os.DirFS(filepath.Join(root, "tree")))
	if len(result.Findings) != 1 || result.Findings[0].Rule != "role/unreadable-path" {
		t.Fatalf("%+v", result.Findings)
	}
	if f := result.Findings[0]; strings.Contains(f.Message+f.Excerpt.Text, "hunter2") {
		t.Errorf("the finding shows what is behind the link: %+v", f)
	}
}
