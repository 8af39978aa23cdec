package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSimulate tells the story of a package that is merged, of one that is refused, and of one that is held.
func TestSimulate(t *testing.T) {
	const example = "../../submissions-example"
	folder := t.TempDir()
	for _, name := range []string{"com.example.bad.missing-fields", "com.example.good.film-lut", "com.example.warn.lifted-chain"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(example, name))); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := simulate(t.Context(), folder, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n✗ #1 com.example.bad.missing-fields: no-merge\n    Verification found 6 errors.\n    → The author",
		"\n    com.example.bad.missing-fields/manifest.json:1\n      the manifest needs \"name\"\n      Help: add \"name\", what people call the package\n",
		"\n    and 3 more\n",
		"\n✓ #2 com.example.good.film-lut: counter-signed and merged as ",
		"\n✗ #3 com.example.warn.lifted-chain: hold\n    It passes, but the registry's key can't sign it: ",
		"\n1 merged, 2 refused.",
		"\nHosts find at the bot's /packages, 1 in all:\n  com.example.good.film-lut 1.0.0 (asset)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the story lacks %q:\n%s", want, out.String())
		}
	}
}

// A folder that is not there is said, and nothing is started.
func TestSimulateWithoutAFolder(t *testing.T) {
	var out strings.Builder
	if err := simulate(t.Context(), filepath.Join(t.TempDir(), "gone"), &out); err == nil || out.Len() > 0 {
		t.Errorf("got %v and %q", err, out.String())
	}
}
