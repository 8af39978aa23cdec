package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/wat"
)

// Servers are asked once, and as the mended manifest has them; what their answers show to be wrong is mended, too.
func TestFixAsksServersOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "com.example.notes")
	module, err := wat.Assemble(`(module (func (export "_start")))`)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"LICENSE": "MIT License\n", "server/notes.wasm": string(module),
		"manifest.json": `{"azphalt":"0.1","id":"com.example.notes","name":"Notes","version":"1.0.0","kind":"mcp","license":"mit","compat":">=0.1",
"mcp":{"servers":[{"id":"notes","local":{"wasi":{"module":"server/notes.wasm","env":{"API_KEY":"changeme"}}}}],"offers":{"tools":["readNote"]}}}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	opt := check.Options{Probe: check.Probe{Start: func(_ context.Context, l check.Launch) (*check.Answer, error) {
		asked = append(asked, l.Env["API_KEY"])
		return &check.Answer{Tools: []check.Offered{{Name: "read_note"}}}, nil
	}}}
	report, err := fixAll(io.Discard, []string{dir}, opt, func(opt check.Options) func() (*finding.Report, error) {
		return func() (*finding.Report, error) {
			return verifyPaths(t.Context(), check.New(opt), []string{dir}, newProgress(io.Discard))
		}
	})
	text, readErr := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	if strings.Join(asked, " ") != "example" || !strings.Contains(string(text), `"read_note"`) || len(report.Packages[0].Findings) > 0 {
		t.Errorf("asked with %q; %+v\n%s", asked, report.Packages[0].Findings, text)
	}
}
