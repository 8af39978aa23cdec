package annotate

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file of that name in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: output differs from the golden file (see -update)\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// sample is a report with one of everything that the writers tell apart.
func sample() *finding.Report {
	const (
		archive = "submissions/com.acme.fs/com.acme.fs-1.0.0.azp"
		source  = "submissions/com.acme.notes/manifest.json"
		key     = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
		signer  = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
	)
	return &finding.Report{
		Tool: finding.Tool{Name: "azp", Version: "1.2.3"},
		General: []finding.Finding{{
			Rule: "config/unused-waiver", Severity: finding.Warning, Message: "no finding matches this waiver of secret/value",
			File: ".github/azphalt.yml", Range: span(4, 5, 17),
			Excerpt: &finding.Excerpt{Text: `  - { rule: secret/value, path: "submissions/com.acme.old/**" }`, Column: 5, EndColumn: 17},
			Fix:     &finding.Fix{Description: "remove it"},
		}},
		Packages: []finding.Package{
			{
				Path: archive, Shape: finding.Built, ID: "com.acme.fs", Version: "1.0.0", Kind: "mcp",
				Digest: "sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Size: 1234,
				Signed: true, Signer: &finding.Signer{PublicKey: key, KeyID: "acme-1"},
				Trust: &finding.Trust{Reason: "no trusted key has counter-signed this key"},
				Findings: []finding.Finding{
					{
						Rule: "azp/payload-unlisted", Severity: finding.Error, Message: `"notes/änderung 🔑.md" is in the package but has no digest`,
						File: archive, Entry: "notes/änderung 🔑.md",
						Fix: &finding.Fix{Description: "list it in the manifest's files, or leave it out"},
					},
					{
						Rule: "mcp/literal-secret", Severity: finding.Error, Message: `server "東京-🔑" sends a literal credential in remote.headers "Authorization"`,
						File: archive, Entry: "manifest.json", Pointer: "/mcp/servers/0/remote/headers/Authorization", Range: span(12, 20, 40),
						Source:  &finding.Place{File: "submissions/com.acme.fs/manifest.json", Range: span(12, 20, 40)},
						Excerpt: &finding.Excerpt{Text: "\t\t\"東京-🔑\": {\"Auth\": \"Bearer sk-l…(48 more)\"}", Column: 20, EndColumn: 44},
						Fix: &finding.Fix{Description: "declare an input and refer to it with ${input:…}", Edits: []finding.Edit{
							{Range: span(12, 20, 40), Text: `"Bearer ${input:token}"`},
						}},
					},
					{
						Rule: "mcp/unused-input", Severity: finding.Warning, Message: `input "token" is declared but not used`,
						File: archive, Entry: "manifest.json", Pointer: "/mcp/inputs/0",
					},
				},
			},
			{Path: "submissions/com.acme.docs", Shape: finding.Source, ID: "com.acme.docs", Version: "0.2.0", Kind: "skill"},
			{
				Path: "submissions/com.acme.notes", Shape: finding.Source, ID: "com.acme.notes", Version: "0.9.0", Kind: "app",
				Findings: []finding.Finding{{
					Rule: "manifest/author", Severity: finding.Notice, Message: "author has no url", File: source, Pointer: "/author", Range: span(7, 12, 18),
					Excerpt: &finding.Excerpt{Text: `  "author": "Acme",`, Column: 13, EndColumn: 19},
				}},
			},
			{
				Path: "submissions/org.example.paint/org.example.paint-2.1.0.azp", Shape: finding.Built, ID: "org.example.paint", Version: "2.1.0",
				Kind: "app", Signed: true, Signer: &finding.Signer{PublicKey: key}, Trust: &finding.Trust{Trusted: true, Via: signer},
			},
		},
		Roles: []finding.Role{
			{Path: "roles/web-app-example", Findings: []finding.Finding{{
				Rule: "role/port", Severity: finding.Error, Message: "port is no number", File: "roles/web-app-example/meta/mcp.yml",
				Range:   span(3, 9, 13),
				Excerpt: &finding.Excerpt{Text: "  port: http", Column: 9, EndColumn: 13},
			}}},
			{Path: "roles/web-app-good"},
		},
	}
}

func ruleURL(id string) string {
	return "https://github.com/azphalt/submissions/blob/main/docs/rules.md#" + strings.ReplaceAll(id, "/", "")
}

var sampleRules = []finding.Rule{
	{
		ID: "mcp/literal-secret", Severity: finding.Error, Reference: true, Title: "A credential is written out",
		Why:  "Whoever reads the package could use the credential.\n\nDeclare an input and refer to it.",
		Bad:  "-- manifest.json --\n{\"API_KEY\": \"v\"}\n",
		Good: "-- manifest.json --\n{\"API_KEY\": \"${input:key}\"}\n",
	},
	{ID: "mcp/unused-input", Severity: finding.Warning, Title: "An input is declared but not used"},
}

func options() Options {
	return Options{Summary: SummaryOptions{RuleURL: ruleURL}, SARIF: SARIFOptions{Rules: sampleRules, RuleURL: ruleURL}}
}

func render(t testing.TB, format string, r *finding.Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGoldens(t *testing.T) {
	colour, verbose := options(), options()
	colour.Text.Color = true
	verbose.Text.Verbose = true
	narrow := options()
	narrow.Text.Width = 32
	for _, c := range []struct {
		file, format string
		report       *finding.Report
		options      Options
	}{
		{"report.txt", FormatText, sample(), options()},
		{"report-colour.txt", FormatText, sample(), colour},
		{"report-verbose.txt", FormatText, sample(), verbose},
		{"report-narrow.txt", FormatText, sample(), narrow},
		{"report.json", FormatJSON, sample(), options()},
		{"report.sarif", FormatSARIF, sample(), options()},
		{"report.commands", FormatGitHub, sample(), options()},
		{"report.md", FormatMarkdown, sample(), options()},
		{"empty.txt", FormatText, &finding.Report{}, options()},
		{"empty.json", FormatJSON, &finding.Report{}, options()},
		{"empty.sarif", FormatSARIF, &finding.Report{}, options()},
		{"empty.commands", FormatGitHub, &finding.Report{}, options()},
		{"empty.md", FormatMarkdown, &finding.Report{}, options()},
		{"hostile.txt", FormatText, hostileReport(), options()},
		{"hostile.commands", FormatGitHub, hostileReport(), options()},
		{"hostile.md", FormatMarkdown, hostileReport(), options()},
	} {
		t.Run(c.file, func(t *testing.T) { golden(t, c.file, render(t, c.format, c.report, c.options)) })
	}
}

func TestWriteKnowsEachFormatAndNoOther(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(io.Discard, format, sample(), Options{}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := Write(io.Discard, "yaml", sample(), Options{}); err == nil || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("unknown format: %v", err)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWritersReportAFailingWriter(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(brokenWriter{}, format, sample(), options()); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestWritersLeaveTheReportAlone(t *testing.T) {
	r := sample()
	before := render(t, FormatJSON, r, options())
	for _, format := range Formats() {
		render(t, format, r, options())
	}
	Annotations(r)
	if after := render(t, FormatJSON, r, options()); !bytes.Equal(before, after) {
		t.Error("a writer changed the report")
	}
}
