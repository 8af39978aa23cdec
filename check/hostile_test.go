package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/labelled"
	"github.com/azphalt/submissions/internal/source"
	"github.com/azphalt/submissions/internal/vectortest"
)

// faces renders a report in every format.
func faces(t *testing.T, judged ...finding.Package) map[string]string {
	t.Helper()
	r := &finding.Report{Packages: judged}
	out := map[string]string{}
	for _, format := range annotate.Formats() {
		var buf bytes.Buffer
		if err := annotate.Write(&buf, format, r, annotate.Options{SARIF: annotate.SARIFOptions{Rules: Rules()}}); err != nil {
			t.Fatal(err)
		}
		out[format] = buf.String()
	}
	annotations, err := json.Marshal(annotate.Annotations(r))
	if err != nil {
		t.Fatal(err)
	}
	out["check run"] = string(annotations)
	return out
}

// The scenario of the case 075-workflow-command-injection.
func TestManifestTextForgesNoCommand(t *testing.T) {
	p := judge(t, New(Options{}), "cases/075-workflow-command-injection/manifest.json")[0]
	out := faces(t, p)["github"]
	commands := 0
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "::error file=cases/075-workflow-command-injection/manifest.json,") {
			t.Errorf("line %q", line)
		}
		commands++
	}
	if commands != 2 {
		t.Errorf("%d commands, want 2", commands)
	}
}

// The scenario of the case 084-findings-must-not-echo-secrets, for the secrets that the rules for names find.
func TestNoFaceShowsASecret(t *testing.T) {
	p := judge(t, New(Options{}), "cases/084-findings-must-not-echo-secrets/manifest.json")[0]
	data, err := os.ReadFile(testdata + "/cases/084-findings-must-not-echo-secrets/scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	var scenario struct {
		Expect struct {
			NoOutputContains []string `json:"no_output_contains"`
		}
	}
	if err := json.Unmarshal(data, &scenario); err != nil || len(scenario.Expect.NoOutputContains) == 0 {
		t.Fatal(err)
	}
	for format, text := range faces(t, p) {
		for _, secret := range scenario.Expect.NoOutputContains {
			for i := 0; i+8 <= len(secret); i++ {
				if part := secret[i : i+8]; strings.Contains(text, part) {
					t.Errorf("%s shows %q", format, part)
				}
			}
		}
	}
}

// Of every secret of the labelled corpus that is found, no face of a report shows more than its first four characters. What
// is secret in a value is what its mend replaces.
func TestNoFaceShowsASecretOfTheCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpus-mcp/manifests/*.json")
	if len(files) == 0 {
		t.Skip("the labelled corpus is not here: it is not part of this repository")
	}
	secret := map[string]bool{}
	for _, l := range vectortest.Lines[struct{ File, Pointer, Label string }](t, "../../shared/corpus-mcp/labels.jsonl") {
		secret[l.File+l.Pointer] = l.Label == "secret"
	}
	var judged []finding.Package
	parts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := New(Options{}).ManifestFile(Target{Path: filepath.Base(file)}, text)
		judged = append(judged, p)
		places := source.New(text)
		for _, f := range p.Findings {
			if !isCredentialRule(f.Rule) || !secret[filepath.Base(file)+f.Pointer] {
				continue
			}
			for _, e := range f.Fix.Edits {
				start, _ := places.Offset(e.Line, e.Column)
				end, _ := places.Offset(e.EndLine, e.EndColumn)
				plant(parts, string(text[start:end]), file+" "+f.Pointer)
			}
		}
	}
	checkHidden(t, judged, parts)
}

// The same holds for what is drawn for the values of the table of labels, wherever the secret is found. The longest part
// that is drawn is the secret.
func TestNoFaceShowsALabelledSecret(t *testing.T) {
	values, err := labelled.Values(2)
	if err != nil {
		t.Fatal(err)
	}
	var judged []finding.Package
	parts := map[string]string{}
	for _, v := range values {
		text, pointer := v.Manifest()
		p := New(Options{}).ManifestFile(Target{Path: "m.json"}, text)
		found := slices.ContainsFunc(p.Findings, func(f finding.Finding) bool { return isCredentialRule(f.Rule) && f.Pointer == pointer })
		if v.Label == "secret" && found && len(v.Drawn) > 0 {
			judged = append(judged, p)
			plant(parts, slices.MaxFunc(v.Drawn, func(a, b string) int { return len(a) - len(b) }), v.Template)
		}
	}
	checkHidden(t, judged, parts)
}

// part is how many characters of a secret are looked for.
const part = 8

// plant remembers the parts of a secret, and whose they are. The frame of a private key is none.
func plant(parts map[string]string, secret, whose string) {
	for i := 0; i+part <= len(secret); i++ {
		if p := secret[i : i+part]; !strings.ContainsAny(p, " ") && !strings.Contains(p, "--") && p != "PRIVATE" {
			parts[p] = whose
		}
	}
}

// checkHidden looks for the parts of secrets in every face of a report.
func checkHidden(t *testing.T, judged []finding.Package, parts map[string]string) {
	t.Helper()
	if len(parts) < 500 {
		t.Fatalf("only %d parts of secrets", len(parts))
	}
	for format, text := range faces(t, judged...) {
		shown := map[string]bool{}
		for i := 0; i+part <= len(text); i++ {
			if whose, ok := parts[text[i:i+part]]; ok && !shown[whose] {
				t.Errorf("%s shows a part of the secret of %s", format, whose)
				shown[whose] = true
			}
		}
	}
}

func TestEveryFindingOfAMinifiedManifestHidesItsNeighbours(t *testing.T) {
	const secret = "ghp_Zq8vW2nR5tY7uI0pA3sD6fG9hJ1kL4zXc5Vb"
	text := fmt.Sprintf(`{"kind":"mcp","mcp":{"servers":[{"id":"s","remote":{"type":"ws","url":"https://x.example","headers":{"X-Token":%q}}}]},"Kind":1}`, secret)
	p := New(Options{}).ManifestFile(Target{Path: "m.json"}, []byte(text))
	if len(p.Findings) < 3 {
		t.Fatalf("%d findings", len(p.Findings))
	}
	for format, out := range faces(t, p) {
		if strings.Contains(out, secret[5:13]) {
			t.Errorf("%s shows the secret", format)
		}
	}
}

// TestNoNameShowsASecret puts a token in the place of every name and every string of a manifest, by itself and as the id of a
// reference: people paste them anywhere.
func TestNoNameShowsASecret(t *testing.T) {
	const token = "ghp_Zq8vW2nR5tY7uI0pA3sD6fG9hJ1kL4zXc5Vb"
	manifest := `{"azphalt":"0.1","id":"com.example.a","name":"a","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1","targetApps":["com.example.b"],
"metadata":{"a":{"b":"c"}},"files":{"LICENSE":"sha256-0"},
"mcp":{"inputs":[{"id":"i","type":"promptString","password":true}],"servers":[
{"id":"s","remote":{"type":"http","url":"https://a.example/","headers":{"X":"${input:i}"}}},
{"id":"w","local":{"wasi":{"module":"","remoteUrl":"https://a.example/x","checksum":"sha256-0","args":["a"],"env":{"A":"b"},"grants":["net"]},
"platforms":{"desktop":{"command":"npx","args":["-y","a"]},"android":{"component":"a/.B"}}}}],"offers":{"tools":["t"]}}}`
	for _, at := range regexp.MustCompile(`"[^"]*"`).FindAllStringIndex(manifest, -1) {
		for _, form := range []string{"%s", "${input:%s}", "a %s b"} {
			text := manifest[:at[0]] + `"` + fmt.Sprintf(form, token) + `"` + manifest[at[1]:]
			p := New(Options{}).ManifestFile(Target{Path: "m.json"}, []byte(text))
			out, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Findings {
				out = append(out, f.Excerpt.Text...)
			}
			if strings.Contains(string(out), token[4:12]) {
				t.Errorf("%s in place of %s: %s", form, manifest[at[0]:at[1]], out)
			}
		}
	}
}

// TestNoBrokenManifestShowsASecret holds that a manifest which is no JSON is looked through for credentials all the same.
func TestNoBrokenManifestShowsASecret(t *testing.T) {
	const token = "Kestrel-Plum-31-Zq8vW2nR"
	for _, text := range []string{`{"API_KEY":"` + token + `",}`, `{"API_KEY":"` + token, `{API_KEY:"` + token + `"}`, `{"a":"","Authorization":"Bearer ` + token + `" "b":1}`} {
		p := New(Options{}).ManifestFile(Target{Path: "m.json"}, []byte(text))
		if got := errorsOf(p); len(got) != 2 || !slices.Contains(got, "azp/manifest-not-json") {
			t.Errorf("%s: %v", text, got)
		}
		for format, out := range faces(t, p) {
			if strings.Contains(out, token[4:12]) {
				t.Errorf("%s: %s shows it", text, format)
			}
		}
	}
}
