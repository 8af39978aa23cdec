package secret

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/vectortest"
)

// corpus is where the labelled manifests are, next to the project.
const corpus = "../../shared/corpus-mcp"

type label struct {
	File, Pointer, Label string
	CredentialKey        bool `json:"credential_key"`
	Place                string
}

func readLabels(t testing.TB) []label {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the labelled corpus is not here: %v", err)
	}
	labels := vectortest.Lines[label](t, filepath.Join(corpus, "labels.jsonl"))
	for i, meta := range vectortest.Lines[label](t, filepath.Join(corpus, "values-meta.jsonl")) {
		if meta.File != labels[i].File || meta.Pointer != labels[i].Pointer {
			t.Fatalf("line %d of labels and meta differ", i+1)
		}
		labels[i].CredentialKey, labels[i].Place = meta.CredentialKey, meta.Place
	}
	return labels
}

// walker judges every string of a manifest as a rules engine does.
type walker struct{ results map[string]Result }

func (w *walker) walk(v any, pointer string, ctx Context) {
	switch v := v.(type) {
	case string:
		w.results[pointer] = Judge(v, ctx)
	case map[string]any:
		for name, member := range v {
			w.walk(member, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), Context{name, kindUnder(pointer, name)})
		}
	case []any:
		if args, ok := stringsOf(v); ok {
			for i, r := range Args(args, ctx) {
				w.results[pointer+"/"+strconv.Itoa(i)] = r
			}
			return
		}
		for i, item := range v {
			w.walk(item, pointer+"/"+strconv.Itoa(i), ctx)
		}
	}
}

func kindUnder(pointer, name string) Kind {
	switch parent := pointer[strings.LastIndexByte(pointer, '/')+1:]; {
	case parent == "env":
		return Env
	case parent == "headers":
		return Header
	case parent == "remote" && name == "url":
		return URL
	}
	return Unknown
}

func stringsOf(items []any) (out []string, ok bool) {
	for _, item := range items {
		s, isString := item.(string)
		if !isString {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// tally counts what a run over the corpus found.
type tally struct{ secrets, recalled, flagged, wrong, standIns, seen int }

// The corpus is the yardstick: at least 98 of 100 secrets are reported by a secret rule or by the naming rule of the
// format, at least 98 of 100 findings of secret rules are secrets, every stand-in under a credential's name is reported
// as one, and no reference is flagged. What is missed is named by its place, never by its value.
func TestCorpus(t *testing.T) {
	labelled := map[string]map[string]label{}
	for _, l := range readLabels(t) {
		if labelled[l.File] == nil {
			labelled[l.File] = map[string]label{}
		}
		labelled[l.File][l.Pointer] = l
	}
	var n tally
	for _, file := range slices.Sorted(maps.Keys(labelled)) {
		data, err := os.ReadFile(filepath.Join(corpus, "manifests", file))
		if err != nil {
			t.Fatal(err)
		}
		var manifest map[string]any
		if err := json.Unmarshal(data, &manifest); err != nil {
			t.Fatal(err)
		}
		delete(manifest, "files")
		w := walker{results: map[string]Result{}}
		w.walk(manifest, "", Context{})
		for _, pointer := range slices.Sorted(maps.Keys(w.results)) {
			n.count(t, file+" "+pointer, labelled[file][pointer], w.results[pointer])
		}
	}
	recall, precision := n.report(t)
	if recall < 0.98 || precision < 0.98 || n.seen < n.standIns {
		t.Error("below the figures of the design")
	}
}

// report prints the figures.
func (n *tally) report(t *testing.T) (recall, precision float64) {
	t.Helper()
	recall = float64(n.recalled) / float64(n.secrets)
	precision = 1 - float64(n.wrong)/float64(n.flagged)
	t.Logf("recall %.3f of %d secrets, precision %.3f of %d findings, %d of %d credential-keyed stand-ins",
		recall, n.secrets, precision, n.flagged, n.seen, n.standIns)
	return recall, precision
}

func (n *tally) count(t *testing.T, place string, l label, r Result) {
	if r.Verdict == Secret {
		n.flagged++
		if l.Label != "secret" {
			n.wrong++
			t.Logf("false positive, labelled %q: %s: it %s", l.Label, place, r.Matches[0].Reason)
		}
	}
	switch l.Label {
	case "secret":
		n.secrets++
		if r.Verdict == Secret || l.CredentialKey && (l.Place == "env" || l.Place == "header") {
			n.recalled++
		} else {
			t.Logf("false negative: %s is %s", place, r.Verdict)
		}
	case "placeholder":
		if !l.CredentialKey {
			return
		}
		n.standIns++
		if r.Verdict == Placeholder {
			n.seen++
		} else {
			t.Logf("stand-in not reported: %s is %s", place, r.Verdict)
		}
	case "reference":
		if r.Verdict != Reference {
			t.Errorf("reference: %s is %s", place, r.Verdict)
		}
	}
}
