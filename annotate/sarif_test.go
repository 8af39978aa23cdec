package annotate

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/azphalt/submissions/finding"
)

// officialSchema is the schema of SARIF 2.1.0 as OASIS publishes it. It is taken from the source of go-sarif, which holds it
// as an unexported constant.
var officialSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	pkg, err := build.Import("github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif", ".", build.FindOnly)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	value := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	text, err := strconv.Unquote(value)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// validateSARIF holds a log against the official schema and against go-sarif, as an independent reader.
func validateSARIF(t *testing.T, log []byte) *sarif.Report {
	t.Helper()
	schema, err := officialSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatalf("%v in %s", err, log)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v in %s", err, log)
	}
	report, err := sarif.FromBytes(log)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestSARIFIsValid(t *testing.T) {
	for name, r := range map[string]*finding.Report{"sample": sample(), "empty": {}, "hostile": hostileReport()} {
		t.Run(name, func(t *testing.T) {
			run := validateSARIF(t, render(t, FormatSARIF, r, options())).Runs[0]
			if len(run.Results) != len(r.Findings()) {
				t.Errorf("%d results for %d findings", len(run.Results), len(r.Findings()))
			}
			checkCodeScanning(t, run)
		})
	}
}

// The test above would prove little if the schema let everything pass.
func TestSARIFSchemaRefuses(t *testing.T) {
	schema, err := officialSchema()
	if err != nil {
		t.Fatal(err)
	}
	good := string(render(t, FormatSARIF, sample(), options()))
	for _, change := range [][2]string{
		{`"2.1.0"`, `"2.2"`}, {`"columnKind": "unicodeCodePoints"`, `"columnKind": "bytes"`}, {`"startLine": 12`, `"startLine": 0`},
		{`"uri": "manifest.json"`, `"uri": "a b%"`}, {`"ruleIndex"`, `"ruleNumber"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil || bad == good {
			t.Fatal(change, err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
}

// checkCodeScanning holds a run against what GitHub asks beyond the schema: a result without a path makes it refuse all.
func checkCodeScanning(t *testing.T, run *sarif.Run) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || *run.Tool.Driver.Rules[r.RuleIndex].ID != *r.RuleID {
			t.Errorf("rule %s has index %d", *r.RuleID, r.RuleIndex)
		}
		if len(r.Locations) == 0 {
			t.Fatalf("no location: %+v", r)
		}
		for _, l := range r.Locations {
			at := l.PhysicalLocation.ArtifactLocation
			if at.URI == nil || *at.URI == "" {
				t.Errorf("no path: %+v", r)
				continue
			}
			u, err := url.Parse(*at.URI)
			if err != nil || u.Host != "" || u.Scheme != "" && u.Scheme != "file" {
				t.Errorf("%q leaves the repository: %v", *at.URI, err)
			}
		}
		print := r.PartialFingerprints[fingerprintName]
		if print == "" || seen[print] {
			t.Errorf("fingerprint %q", print)
		}
		seen[print] = true
	}
}

func TestSARIFFingerprintsOutliveLineShifts(t *testing.T) {
	prints := func(r *finding.Report) (out []string) {
		for _, result := range validateSARIF(t, render(t, FormatSARIF, r, options())).Runs[0].Results {
			out = append(out, result.PartialFingerprints[fingerprintName])
		}
		return out
	}
	shifted := sample()
	for i := range shifted.Packages {
		for j := range shifted.Packages[i].Findings {
			f := &shifted.Packages[i].Findings[j]
			f.Line, f.EndLine, f.Message = f.Line+7, f.EndLine+7, "said in other words"
		}
	}
	if a, b := prints(sample()), prints(shifted); strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("%v\n%v", a, b)
	}
	moved := sample()
	moved.Packages[0].Findings[1].Pointer += "/x"
	if a, b := prints(sample()), prints(moved); a[2] == b[2] {
		t.Error("another value has the same fingerprint")
	}
}

func TestSARIFPaths(t *testing.T) {
	for path, want := range map[string]string{
		"a/b c.json": "a/b%20c.json", "a:b/c": "a%3Ab/c", "50%off?#": "50%25off%3F%23", "café": "caf%C3%A9", "a\nb\xff": "a%0Ab%FF",
		"//host/x": "%2F%2Fhost/x", "..": "..",
	} {
		if got := uri(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
	if got := artifact("/home/x/a b"); got.URI != "file:///home/x/a%20b" || got.URIBaseID != "" {
		t.Errorf("an absolute path is %+v", got)
	}
	if got := artifact(""); got.URI != ".github" {
		t.Errorf("no path is %+v", got)
	}
}

func TestSARIFFixes(t *testing.T) {
	edit := &finding.Fix{Description: "d", Edits: []finding.Edit{{Range: span(3, 1, 2), Text: "x"}}}
	same := &finding.Place{File: "m.json", Range: span(3, 1, 2)}
	other := &finding.Place{File: "m.json", Range: span(4, 1, 2)}
	for _, c := range []struct {
		name    string
		finding finding.Finding
		want    string // file that the fix changes
	}{
		{"file", finding.Finding{File: "f", Range: span(3, 1, 2), Fix: edit}, "f"},
		{"archive", finding.Finding{File: "f", Entry: "e", Range: span(3, 1, 2), Fix: edit}, ""},
		{"archive with the same source", finding.Finding{File: "f", Entry: "e", Range: span(3, 1, 2), Fix: edit, Source: same}, "m.json"},
		{"archive with another source", finding.Finding{File: "f", Entry: "e", Range: span(3, 1, 2), Fix: edit, Source: other}, ""},
		{"words alone", finding.Finding{File: "f", Fix: &finding.Fix{Description: "d"}}, ""},
		{"edit without a place", finding.Finding{File: "f", Fix: &finding.Fix{Edits: []finding.Edit{{Text: "x"}}}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fixes(&c.finding)
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("a fix: %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].ArtifactChanges[0].ArtifactLocation.URI != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A message of SARIF makes links of [text](target).
func TestSARIFMessageHoldsNoLink(t *testing.T) {
	f := finding.Finding{Message: "[click](https://evil.example)"}
	if got := resultText(&f); strings.Contains(got, "](") {
		t.Errorf("a link in %q", got)
	}
}

func FuzzSARIF(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		log := render(t, FormatSARIF, fuzzReport(a, b, c, n), options())
		checkCodeScanning(t, validateSARIF(t, log).Runs[0])
		if !json.Valid(log) {
			t.Errorf("invalid JSON: %s", log)
		}
	})
}
