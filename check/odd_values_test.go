package check

import (
	"slices"
	"testing"

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
		"unknown type of input":        {oddMCP(`"inputs":[{"id":"a","type":"promptFile"}],`, ``), nil},
		"capabilities false":           {header + `false}`, nil},
		"capabilities of no length":    {header + `{"length":0}}`, []string{"manifest/type"}},
		"capabilities of a length":     {header + `{"length":2}}`, []string{"pack/header-only"}},
		"capabilities of length true":  {header + `{"length":true}}`, []string{"pack/header-only"}},
		"capabilities of length text":  {header + `{"length":"1"}}`, []string{"pack/header-only"}},
		"capabilities of length below": {header + `{"length":-1}}`, []string{"manifest/type"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range New(Options{}).ManifestFile(Target{Path: "manifest.json"}, []byte(c.manifest)).Findings {
				if f.Severity == finding.Error {
					got = append(got, f.Rule)
				}
			}
			if !slices.Equal(got, c.errors) {
				t.Errorf("errors %v, want %v", got, c.errors)
			}
		})
	}
}
