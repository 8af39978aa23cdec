package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// catalogue is a small set of all rules.
var catalogue = append(Rules(),
	finding.Rule{ID: "mcp/literal-secret", Severity: finding.Error, Reference: true},
	finding.Rule{ID: "mcp/unpinned-command", Severity: finding.Error},
	finding.Rule{ID: "mcp/unused-input", Severity: finding.Notice},
	finding.Rule{ID: "secret/value", Severity: finding.Error},
)

const sampleKey = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

func TestParseReadsEveryKey(t *testing.T) {
	got, faults := Parse(Path, []byte(`
submissions: packages
rules: { mcp/unpinned-command: warning, mcp/unused-input: off, secret/value: "notice" }
waivers: [ { rule: secret/value, path: packages/com.acme.fs/**, reason: "documented sample key", until: 2027-01-31 } ]
trust: { keys: [ { publicKey: "`+sampleKey+`", keyId: 2027-key, label: "Acme" } ] }
deny:  { digests: [ sha256-`+strings.Repeat("0a", 32)+` ], keys: [ '`+sampleKey+`' ] }
merge:
  enabled: true
  strategy: api
  method: squash
  unsigned: sign
  new-publisher: auto
  approvals: 2
  required-checks: [ build, "lint / go" ]
  hold-label: wait
  delete-branch: true
registry: { name: "Acme", path: docs/registry, url: "https://packages.acme.example/registry/" }
`), catalogue)
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s", render(faults))
	}
	got.Waivers[0].excerpt = nil
	want := &Config{
		Submissions: "packages",
		Rules: map[string]finding.Severity{
			"mcp/unpinned-command": finding.Warning, "mcp/unused-input": finding.Off, "secret/value": finding.Notice,
		},
		Waivers: []Waiver{{
			Rule: "secret/value", Path: "packages/com.acme.fs/**", Reason: "documented sample key",
			Until: time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC),
			Place: finding.Place{File: Path, Range: finding.Range{Line: 4, Column: 20, EndLine: 4, EndColumn: 32}},
		}},
		Trust: []azp.TrustedKey{{PublicKey: sampleKey, KeyID: "2027-key", Label: "Acme"}},
		Deny:  Deny{Digests: []string{"sha256-" + strings.Repeat("0a", 32)}, Keys: []string{sampleKey}},
		Merge: Merge{
			Enabled: true, Strategy: StrategyAPI, Method: MethodSquash, Unsigned: UnsignedSign, NewPublisher: NewPublisherAuto,
			Approvals: 2, RequiredChecks: []string{"build", "lint / go"}, HoldLabel: "wait", DeleteBranch: true,
		},
		Registry: Registry{Name: "Acme", Path: "docs/registry", URL: "https://packages.acme.example/registry"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseOfNothingIsTheDefault(t *testing.T) {
	for _, text := range []string{
		"", "\n", "# only a comment\n", "---\n", "---\n...\n", "~\n", "{}\n", "\r\n",
		"rules:\nwaivers: # none yet\ntrust:\n  keys:\ndeny: {}\nmerge:\nregistry: ~\n",
	} {
		got, faults := Parse(Path, []byte(text), catalogue)
		if len(faults) > 0 || !reflect.DeepEqual(got, Default()) {
			t.Errorf("%q: %+v\n%s", text, got, render(faults))
		}
	}
}

func TestDefaultNeverMerges(t *testing.T) {
	if c := Default(); c.Merge.Enabled || c.Merge.Unsigned != UnsignedReject || c.Merge.NewPublisher != NewPublisherApproval {
		t.Errorf("%+v", c.Merge)
	}
}

func TestAnyFaultLeavesTheDefault(t *testing.T) {
	got, faults := Parse(Path, []byte("merge: { enabled: true, unsigned: sign, aprovals: 1 }\nrules: { secret/value: off }\n"), catalogue)
	if len(faults) != 1 || !reflect.DeepEqual(got, Default()) {
		t.Errorf("%+v\n%s", got, render(faults))
	}
}

// TestFaults compares what is said about each file of testdata/faults with what its archive holds. Run it with -update to
// rewrite the archives.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+1 < len(archive.Files); i += 2 {
				input, want := archive.Files[i], &archive.Files[i+1]
				got, faults := Parse(Path, input.Data, catalogue)
				if text := render(faults); text != string(want.Data) {
					t.Errorf("%s: got\n%swant\n%s", input.Name, text, want.Data)
					want.Data = []byte(text)
				}
				if len(faults) == 0 || !reflect.DeepEqual(got, Default()) {
					t.Errorf("%s: %d faults, %+v", input.Name, len(faults), got)
				}
				checkPlaces(t, input.Data, faults)
				checkMends(t, input.Data, faults)
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// render shows findings as a person would see them.
func render(found []finding.Finding) string {
	var out strings.Builder
	for _, f := range found {
		fmt.Fprintf(&out, "%d:%d-%d:%d %s %s: %s\n", f.Line, f.Column, f.EndLine, f.EndColumn, f.Severity, f.Rule, f.Message)
		fmt.Fprintf(&out, "  | %s\n  | %s%s\n", f.Excerpt.Text, strings.Repeat(" ", f.Excerpt.Column-1), strings.Repeat("^", f.Excerpt.EndColumn-f.Excerpt.Column))
		fmt.Fprintf(&out, "  fix: %s\n", f.Fix.Description)
		for _, e := range f.Fix.Edits {
			fmt.Fprintf(&out, "  edit %d:%d-%d:%d %q\n", e.Line, e.Column, e.EndLine, e.EndColumn, e.Text)
		}
	}
	return out.String()
}

// checkPlaces proves what every finding owes its reader.
func checkPlaces(t *testing.T, data []byte, found []finding.Finding) {
	t.Helper()
	lines := 1 + strings.Count(string(data), "\n")
	for _, f := range found {
		r := f.Range
		if r.Line < 1 || r.Line > lines || r.Column < 1 || r.EndLine < r.Line || r.EndLine == r.Line && r.EndColumn < r.Column {
			t.Errorf("%s has no place: %+v", f.Rule, r)
		}
		if f.File != Path || f.Message == "" || f.Fix == nil || f.Fix.Description == "" || f.Excerpt == nil || f.Excerpt.EndColumn <= f.Excerpt.Column {
			t.Errorf("%s is incomplete: %+v", f.Rule, f)
			continue
		}
		for _, shown := range []string{f.Message, f.Fix.Description, strings.ReplaceAll(f.Excerpt.Text, "\t", "")} {
			if source.Visible(shown) != shown || len(shown) > 1500 {
				t.Errorf("%s shows hostile text: %q", f.Rule, shown)
			}
		}
	}
}

// checkMends proves that edits do what they are for.
func checkMends(t *testing.T, data []byte, found []finding.Finding) {
	t.Helper()
	for _, f := range found {
		if len(f.Fix.Edits) == 0 {
			continue
		}
		_, after := Parse(Path, apply(data, f.Fix.Edits[0]), catalogue)
		for _, g := range after {
			if g.Rule == f.Rule && g.Message == f.Message {
				t.Errorf("the edit does not mend %s: %s", f.Rule, f.Message)
			}
		}
	}
}

// apply carries an edit out.
func apply(data []byte, e finding.Edit) []byte {
	offset := func(line, column int) int {
		start := 0
		for range line - 1 {
			start += bytes.IndexByte(data[start:], '\n') + 1
		}
		return start + len(string([]rune(string(data[start:]))[:column-1]))
	}
	start, end := offset(e.Line, e.Column), offset(e.EndLine, e.EndColumn)
	return slices.Concat(data[:start], []byte(e.Text), data[end:])
}
