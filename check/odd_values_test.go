package check

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/finding"
)

// oddMCP is a manifest of kind mcp with a member in its block, or in the launch of its only server.
func oddMCP(block, launch string) string {
	return `{"azphalt":"0.1","id":"com.example.odd","name":"Odd","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1",` +
		`"mcp":{` + block + `"servers":[{"id":"s","local":{"platforms":{"desktop":{"command":"odd"` + launch + `}}}}]}}`
}

// TestOddValues judges manifests by themselves in which a value is one that nobody means to write.
func TestOddValues(t *testing.T) {
	header := `{"kind":"pack","pack":{"entries":[{"id":"com.example.a"}]},"capabilities":`
	for name, c := range map[string]struct {
		manifest string
		errors   []string
	}{
		"inputs null":                  {oddMCP(`"inputs":null,`, ``), nil},
		"inputs false":                 {oddMCP(`"inputs":false,`, ``), []string{"manifest/type"}},
		"inputs zero":                  {oddMCP(`"inputs":0.0,`, ``), []string{"manifest/type"}},
		"inputs empty text":            {oddMCP(`"inputs":"",`, ``), []string{"manifest/type"}},
		"args null":                    {oddMCP(``, `,"args":null`), nil},
		"args false":                   {oddMCP(``, `,"args":false`), []string{"manifest/type"}},
		"args zero":                    {oddMCP(``, `,"args":-0`), []string{"manifest/type"}},
		"args empty text":              {oddMCP(``, `,"args":""`), nil},
		"env false":                    {oddMCP(``, `,"env":false`), nil},
		"input without a name":         {oddMCP(`"inputs":[{"id":""}],`, ``), []string{"mcp/input-id"}},
		"unknown type of input":        {oddMCP(`"inputs":[{"id":"a","type":"promptFile"}],`, ``), []string{"mcp/input-type"}},
		"capabilities false":           {header + `false}`, nil},
		"capabilities of no length":    {header + `{"length":0}}`, []string{"manifest/type"}},
		"capabilities of a length":     {header + `{"length":2}}`, []string{"pack/header-only"}},
		"capabilities of length true":  {header + `{"length":true}}`, []string{"pack/header-only"}},
		"capabilities of length text":  {header + `{"length":"1"}}`, []string{"pack/header-only"}},
		"capabilities of length below": {header + `{"length":-1}}`, []string{"manifest/type"}},
		"capability number":            {`{"kind":"asset","capabilities":[1]}`, []string{"sweep/capability-scope"}},
		"env array with a reference":   {oddMCP(``, `,"env":["${input:a}"]`), []string{"manifest/type", "mcp/undeclared-input"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{}).ManifestFile(Target{Path: "manifest.json"}, []byte(c.manifest))
			if got := errorsOf(p); !slices.Equal(got, c.errors) {
				t.Errorf("errors %v, want %v", got, c.errors)
			}
		})
	}
}

// TestWhatHostsDoNotFillIn holds what is said of references and variables that hosts do not fill in, and that none of it is said
// twice.
func TestWhatHostsDoNotFillIn(t *testing.T) {
	const token = "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE"
	for launch, want := range map[string][]string{
		`"env":{"A_${input:a}":"1"}`:                        {"warning mcp/variable-unsupported /env/A_${input:a}"},
		`"args":["${input:}"]`:                              {"warning mcp/variable-unsupported /args/0"},
		`"args":["${input:a}","${input:a","${input:b"]`:     {"warning mcp/variable-unsupported /args/1", "warning mcp/variable-unsupported /args/2"},
		`"args":["${input:${input:a}}"]`:                    {"error mcp/undeclared-input /args/0"},
		`"args":["${T:-` + token + `}"]`:                    {"error secret/argument /args/0"},
		`"args":["$HOME/a:${B}","100%","$5","{b}","%d %m"]`: {"warning mcp/variable-unsupported /args/0", "warning mcp/variable-unsupported /args/0"},
		`"args":["--fmt","{{.ID}}","a {{b}}"]`:              nil,
		`"args":["-H","Authorization: Bearer $TOKEN"]`:      {"warning mcp/variable-unsupported /args/1"},
		`"args":["--token","{{ op://a/b/c }}"]`:             {"warning mcp/variable-unsupported /args/1"},
		`"args":["-c","API_KEY=$KEY demo --token $KEY"]`:    nil,
	} {
		text := oddMCP(`"inputs":[{"id":"a","type":"promptString"}],`, `,`+launch)
		p := New(Options{}).ManifestFile(Target{Path: "manifest.json"}, []byte(text))
		var got []string
		for _, f := range p.Findings {
			if f.Severity >= finding.Warning {
				_, at, _ := strings.Cut(f.Pointer, "/desktop")
				got = append(got, f.Severity.String()+" "+f.Rule+" "+at)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", launch, got, want)
		}
	}
	for url, want := range map[string][]string{
		"https://${TENANT}.example.com/mcp":    {"mcp/url-invalid"},
		"https://a.example.com/${env:TENANT}/": {"mcp/url-invalid"},
		"https://a.example.com/{{tenant}}/":    {"mcp/url-invalid"},
		"https://a.example.com/{a}/${input:a}": {"mcp/url-invalid"},
		"https://a.example.com/${input:}/":     {"mcp/url-invalid"},
		"https://<your-host>/mcp":              {"mcp/url-invalid"},
		"https://a.example.com/${input:a}/":    nil,
		"https://a.example.com/%7Bx%7D?a=$b":   nil,
	} {
		text := `{"kind":"mcp","mcp":{"inputs":[{"id":"a","type":"promptString"}],"servers":[{"id":"s","remote":{"type":"http","url":"` + url + `"}}]}}`
		if got := errorsOf(New(Options{}).ManifestFile(Target{Path: "manifest.json"}, []byte(text))); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

// errorsOf returns the rules of a package's errors.
func errorsOf(p finding.Package) (rules []string) {
	for _, f := range p.Findings {
		if f.Severity == finding.Error {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// TestSweptCapabilities holds that what no host minds in a manifest is a fault once the package is swept.
func TestSweptCapabilities(t *testing.T) {
	for value, want := range map[string][]string{`null`: nil, `[]`: nil, `""`: {"manifest/type"}, `false`: {"manifest/type"}} {
		p, err := New(Options{}).Source(context.Background(), Target{Path: "odd"}, fstest.MapFS{
			"manifest.json": {Data: []byte(`{"azphalt":"0.1","id":"com.example.odd","name":"Odd","version":"1.0.0","kind":"asset","license":"MIT","compat":">=0.1","capabilities":` + value + `}`)},
			"LICENSE":       {Data: []byte("MIT License\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := errorsOf(p); !slices.Equal(got, want) {
			t.Errorf("%s: errors %v, want %v", value, got, want)
		}
	}
}

// TestByteOrderMarkInSource holds that a source with a byte order mark is not JSON, and that all else is still judged.
func TestByteOrderMarkInSource(t *testing.T) {
	p, err := New(Options{}).Source(context.Background(), Target{Path: "odd"}, fstest.MapFS{
		"manifest.json": {Data: []byte("\ufeff" + `{"azphalt":"0.1","id":"com.example.odd","name":"Odd","version":"1","kind":"asset","license":"MIT","compat":">=0.1"}`)},
		"LICENSE":       {Data: []byte("MIT License\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := errorsOf(p), []string{"azp/manifest-not-json", "manifest/version-invalid"}; !slices.Equal(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
}

// TestUnlistedFiles holds that a package without files has that one fault, and not one for each path that could be listed.
func TestUnlistedFiles(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, f := range []struct{ name, text string }{
		{"manifest.json", `{"azphalt":"0.1","id":"com.example.odd","name":"Odd","version":"1.0.0","kind":"script","license":"MIT","compat":">=0.1","script":{"interpreter":"sh","entry":"script/a.sh"}}`},
		{"LICENSE", "MIT License\n"},
		{"script/a.sh", "echo\n"},
	} {
		w, err := z.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{}).Built(context.Background(), Target{Path: "odd.azp"}, bytes.NewReader(archive.Bytes()), int64(archive.Len()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := errorsOf(p), []string{"azp/files-missing"}; !slices.Equal(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
}
