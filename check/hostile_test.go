package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/finding"
)

// faces renders a report in every format.
func faces(t *testing.T, p finding.Package) map[string]string {
	t.Helper()
	r := &finding.Report{Packages: []finding.Package{p}}
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
