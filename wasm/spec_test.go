package wasm

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// specDir is where the library that runs modules keeps the test suite of the WebAssembly specification, as binaries.
func specDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
}

// later are the reasons for which versions 1 and 2 of the specification refuse what later ones allow, by the scripts in
// which they stand: several memories and tables, several results, constants that read any global before them.
var later = map[string]string{
	"zero flag expected": "binary", "zero byte expected": "binary", "invalid result arity": "func type", "multiple tables": "imports",
	"multiple memories": "imports memory", "unknown global": "data elem global",
}

// allowedLater reports whether an invalid module of an old suite is valid now.
func allowedLater(where, script, reason string) bool {
	const bottom = "v1/unreached-invalid.87.wasm" // a branch in code that is never reached, to targets of different types
	scripts, ok := later[reason]
	return where == bottom || ok && strings.HasPrefix(where, "v") && slices.Contains(strings.Fields(scripts), script)
}

// The test suite of the WebAssembly specification, with those of later features: what it says is valid is, and what it says
// is malformed or invalid is not.
func TestSpecification(t *testing.T) {
	suites, err := filepath.Glob(filepath.Join(specDir(t), "*", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	valid, invalid := 0, 0
	for _, dir := range suites {
		scripts, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, script := range scripts {
			v, i := runSpec(t, dir, script)
			valid, invalid = valid+v, invalid+i
		}
	}
	if valid < 2000 || invalid < 3000 {
		t.Errorf("only %d valid and %d invalid modules", valid, invalid)
	}
	t.Logf("%d valid and %d invalid modules", valid, invalid)
}

func runSpec(t *testing.T, dir, script string) (valid, invalid int) {
	data, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Commands []struct {
			Type, Filename, Text string
			ModuleType           string `json:"module_type"`
			Line                 int
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	suite, name := filepath.Base(filepath.Dir(dir)), strings.TrimSuffix(filepath.Base(script), ".json")
	for _, c := range s.Commands {
		if c.Filename == "" || c.ModuleType == "text" || filepath.Ext(c.Filename) != ".wasm" {
			continue
		}
		f, err := os.Open(filepath.Join(dir, c.Filename))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		where := suite + "/" + c.Filename
		switch c.Type {
		case "assert_invalid", "assert_malformed":
			invalid++
			if m.Fault == nil && m.Kind != Other && m.Unchecked == "" && !allowedLater(where, name, c.Text) {
				t.Errorf("%s (%s:%d) is said to be valid; want %s", where, name, c.Line, c.Text)
			}
		default:
			valid++
			if m.Fault != nil {
				t.Errorf("%s (%s:%d): %v", where, name, c.Line, m.Fault)
			}
			if m.Unchecked != "" && suite != "typed-function-references" && suite != "exception-handling" {
				t.Errorf("%s (%s:%d) was not checked: %s", where, name, c.Line, m.Unchecked)
			}
		}
	}
	return valid, invalid
}
