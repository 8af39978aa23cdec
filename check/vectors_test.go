package check

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/vectortest"
)

const testdata = "../testdata"

// reference maps the reference's messages to rules.
type reference map[string]*regexp.Regexp

// ids returns the rules of messages, sorted and without repeats.
func (r reference) ids(t *testing.T, messages []string) []string {
	t.Helper()
	var out []string
	for _, m := range messages {
		matched := false
		for id, pattern := range r {
			if pattern.MatchString(m) && !strings.HasPrefix(id, "sweep/") {
				out = append(out, id)
				matched = true
			}
		}
		if !matched {
			t.Errorf("no rule matches %q", m)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// found returns the rules of the format among the errors of a package, the sweep apart.
func (r reference) found(p finding.Package) []string {
	var out []string
	for _, f := range p.Findings {
		if _, ok := r[f.Rule]; ok && !strings.HasPrefix(f.Rule, "sweep/") {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func swept(p finding.Package) bool {
	return slices.ContainsFunc(p.Findings, func(f finding.Finding) bool {
		return strings.HasPrefix(f.Rule, "sweep/") && f.Severity == finding.Error
	})
}

func rulesOf(p finding.Package) (out []string) {
	for _, f := range p.Findings {
		out = append(out, f.Severity.String()+" "+f.Rule+" "+f.Pointer)
	}
	return out
}

// judge judges the packages at a path below the test data.
func judge(t *testing.T, c *Checker, root string) []finding.Package {
	t.Helper()
	tree := os.DirFS(testdata)
	targets, err := c.Discover(tree, root, root)
	if err != nil {
		t.Fatal(err)
	}
	var out []finding.Package
	for _, target := range targets {
		p, err := c.Judge(context.Background(), tree, target)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// exceptions are vectors that say something else than a decision of the project or a case of its own.
var exceptions = map[string]string{
	"manifest-kind-case-variant":      "a key that differs from a known one by letter case is refused (decision 4)",
	"com.example.sub.ok-walk-order":   "two of its files differ by letter case, which is refused (decision 4)",
	"com.example.sub.loose-secret":    "the sweep refuses its secret at publication",
	"zip-bomb-50mb-zeros-listed":      "it stays within the limits, and memory does not grow with it",
	"zip-comment-with-eocd-signature": "several end records are refused before anything is read",
	"zip-duplicate-manifest-last-bad": "of two manifests neither is read",
	"zip-stored-csize-past-end":       "the entry runs into the directory: its data is not read",
	"zip64-eocd-huge-count":           "the end records contradict each other",
	"zip-local-offset-past-end":       "there is no entry to read",
}

func TestManifestVectors(t *testing.T) {
	type expected struct {
		Kind       string
		Errors     []string
		ParseError string
		Divergent  bool
		Want       string
	}
	rules := reference(vectortest.Rules(t, testdata+"/rules.tsv"))
	files, err := filepath.Glob(testdata + "/vectors/manifests/*.expected.json")
	if err != nil || len(files) < 100 {
		t.Fatal(err, len(files))
	}
	c := New(Options{})
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".expected.json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want expected
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			p := judge(t, c, "vectors/manifests/"+name+".json")[0]
			rejected := p.Verdict() == finding.Fail
			switch {
			case want.Divergent:
				if wantReject := want.Want != "accept-or-match"; rejected != wantReject && exceptions[name] == "" {
					t.Errorf("rejected %v, want %s: %v", rejected, want.Want, rulesOf(p))
				}
				return
			case want.ParseError != "":
				if !slices.Contains(rules.found(p), "azp/manifest-not-json") {
					t.Errorf("got %v", rulesOf(p))
				}
				return
			}
			if rejected != (len(want.Errors) > 0) {
				t.Errorf("rejected %v, want errors %v: %v", rejected, want.Errors, rulesOf(p))
			}
			if p.Kind != want.Kind { // a manifest that does not say its kind can't be judged by the rules of that kind
				return
			}
			if got, want := rules.found(p), rules.ids(t, want.Errors); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v\n%v", got, want, rulesOf(p))
			}
		})
	}
}

func TestArchiveVectors(t *testing.T) {
	type expected struct {
		Name, Group, File string
		Verify            struct {
			OK     bool
			Errors []string
		}
		VerifyErrorPatterns []string
		Scan                struct{ Verdict string }
		Divergent           bool
		Want                string
	}
	rules := reference(vectortest.Rules(t, testdata+"/rules.tsv"))
	c := New(Options{})
	for _, want := range vectortest.Lines[expected](t, testdata+"/vectors/azp/expected.jsonl") {
		t.Run(want.Name, func(t *testing.T) {
			p := judge(t, c, "vectors/"+want.File)[0]
			rejected := p.Verdict() == finding.Fail
			if want.Divergent {
				if wantReject := want.Want != "accept-or-match"; rejected != wantReject && exceptions[want.Name] == "" {
					t.Errorf("rejected %v, want %s: %v", rejected, want.Want, rulesOf(p))
				}
				return
			}
			wantReject := !want.Verify.OK || want.Scan.Verdict == "block"
			if rejected != wantReject && exceptions[want.Name] == "" {
				t.Errorf("rejected %v, want %v: %v", rejected, want.Verify.Errors, rulesOf(p))
			}
			if slices.Contains(want.VerifyErrorPatterns, "*") || exceptions[want.Name] != "" {
				return
			}
			if got, want := rules.found(p), rules.ids(t, want.Verify.Errors); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v\n%v", got, want, rulesOf(p))
			}
			if want.Verify.OK && swept(p) != (want.Scan.Verdict == "block") {
				t.Errorf("sweep: %v, want %s", rulesOf(p), want.Scan.Verdict)
			}
			flagged := slices.ContainsFunc(p.Findings, func(f finding.Finding) bool { return f.Rule == "sweep/capability-audit" })
			if want.Verify.OK && want.Scan.Verdict == "flag" && !flagged {
				t.Errorf("not flagged: %v", rulesOf(p))
			}
		})
	}
}

func TestSubmissionVectors(t *testing.T) {
	type expected struct {
		Folder    string
		OK        bool
		Errors    []string
		Divergent bool
		Want      string
		Threw     string
	}
	rules := reference(vectortest.Rules(t, testdata+"/rules.tsv"))
	c := New(Options{})
	for _, want := range vectortest.Lines[expected](t, testdata+"/vectors/submissions/expected.jsonl") {
		t.Run(want.Folder, func(t *testing.T) {
			p := judge(t, c, "vectors/submissions/sources/"+want.Folder)[0]
			rejected := p.Verdict() == finding.Fail
			if want.Divergent {
				if wantReject := want.Want != "accept-or-match"; rejected != wantReject {
					t.Errorf("rejected %v, want %s: %v", rejected, want.Want, rulesOf(p))
				}
				return
			}
			if rejected == want.OK && exceptions[want.Folder] == "" {
				t.Errorf("rejected %v, want %v: %v", rejected, want.Errors, rulesOf(p))
			}
			got, wanted := rules.found(p), rules.ids(t, want.Errors)
			for _, id := range wanted { // the reference stops before the kinds' rules where a submission's fail
				if !slices.Contains(got, id) {
					t.Errorf("got %v, want %v\n%v", got, wanted, rulesOf(p))
				}
			}
		})
	}
}

func TestRegistryPackages(t *testing.T) {
	const dir = "../../shared/vectors"
	if _, err := os.Stat(dir + "/azp-registry"); err != nil {
		t.Skip("the registry's real packages are not here: they are not part of this repository")
	}
	c := New(Options{})
	tree := os.DirFS(dir)
	targets, err := c.Discover(tree, "azp-registry", "azp-registry")
	if err != nil || len(targets) < 100 {
		t.Fatal(err, len(targets))
	}
	for _, target := range targets {
		p, err := c.Judge(context.Background(), tree, target)
		if err != nil || p.Verdict() != finding.Pass || !p.Signed {
			t.Errorf("%s: %v %v", target.Path, err, rulesOf(p))
		}
	}
}
