package submissions_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/azphalt/submissions/"

// layers says which packages of the module each package may import; imports point down only. A folder stands for what is
// below it, too.
var layers = map[string][]string{
	"finding":                   {},
	"internal/source":           {"finding"},
	"internal/jsontree":         {"finding", "internal/source"},
	"internal/build":            {},
	"internal/lazyregexp":       {},
	"internal/launch":           {},
	"internal/atomicfile":       {},
	"internal/labelled":         {},
	"internal/mend":             {"finding", "internal/source", "internal/jsontree"},
	"internal/wat":              {},
	"wasm":                      {},
	"azp":                       {"finding", "internal/source", "internal/jsontree"},
	"annotate":                  {"finding"},
	"internal/githubapp":        {},
	"internal/environ":          {},
	"internal/paging":           {},
	"internal/config":           {"azp", "finding", "internal/githubapp", "internal/source"},
	"secret":                    {"finding", "secret/internal"},
	"secret/internal/shape":     {},
	"secret/internal/shape/gen": {},
	"roleblock":                 {"finding", "internal/lazyregexp", "internal/source"},
	"check":                     {"azp", "registry", "finding", "secret", "roleblock", "wasm", "internal/launch", "internal/likeness", "internal/published", "internal/lazyregexp", "internal/source", "internal/jsontree", "internal/config"},
	"internal/doctor":           {"check", "internal/config", "internal/githubapp", "internal/source"},
	"internal/likeness":         {},
	"internal/published":        {"azp", "registry", "internal/jsontree", "internal/likeness"},
	"diff":                      {"annotate", "azp", "finding", "secret", "internal/source", "internal/jsontree"},
	"probe":                     {"check"},
	"internal/updates":          {"azp", "check", "diff", "internal/published"},
	"internal/rulecase":         {"azp", "check", "finding", "internal/config", "internal/jsontree", "internal/published", "internal/wat", "registry"},
	"internal/ruledoc":          {"annotate", "check", "finding", "internal/rulecase"},
	"internal/checkrun":         {"annotate", "finding"},
	"internal/action":           {"internal/published", "internal/updates", "annotate", "check", "finding", "azp", "internal/checkrun", "internal/build", "internal/config", "internal/gitsource", "internal/lazyregexp", "internal/paging", "internal/rolecheck", "probe"},
	"internal/gitsource":        {},
	"internal/rolecheck":        {"annotate", "check", "finding", "roleblock"},
	"internal/examplegen":       {"azp", "check", "finding", "internal/jsontree", "internal/source", "internal/atomicfile"},

	"internal/examplegen/textserver": {},

	"internal/gittest":    {},
	"internal/testtool":   {},
	"internal/pgtest":     {},
	"internal/vectortest": {},
	"internal/githubsim":  {},
	"registry":            {"azp"},
	"internal/catalog":    {"azp", "registry", "internal/jsontree"},
	"bot":                 {"annotate", "azp", "check", "finding", "registry", "internal"},
	"internal/botserver":  {"bot", "azp", "internal/environ", "internal/githubapp"},
	"cmd/bot":             {"bot", "azp", "internal/botserver", "internal/githubapp", "internal/githubsim"},
	"cmd/image":           {"internal/action", "internal/botserver"},
	"cmd/action":          {"internal/action"},
	"cmd/azp":             {"annotate", "azp", "check", "diff", "finding", "probe", "roleblock", "secret", "internal"},
}

// azp and finding may lean on the standard library and on a few libraries that neither speak to the network nor know
// GitHub.
var bareLibraries = []string{
	"filippo.io/edwards25519", "github.com/klauspost/compress", "github.com/go-json-experiment/json",
	"golang.org/x/text", "golang.org/x/mod", "golang.org/x/sync",
}

type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, ok := layers[name]
		if !ok {
			t.Errorf("%s has no place in the house: say what it may import", name)
			continue
		}
		for _, i := range p.Imports {
			below, own := strings.CutPrefix(i, module)
			if own && !slices.ContainsFunc(allowed, func(a string) bool { return below == a || strings.HasPrefix(below, a+"/") }) {
				t.Errorf("%s imports %s", name, below)
			}
			if leaf := name == "azp" || name == "finding"; leaf && !own && strings.Contains(i, ".") &&
				!slices.ContainsFunc(bareLibraries, func(l string) bool { return strings.HasPrefix(i, l) }) {
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
}

// list asks the go command for the packages of the module and what they import, tests left out.
func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.Imports) > 0 {
			packages = append(packages, p)
		}
	}
	if len(packages) < 8 {
		t.Fatalf("only %d packages", len(packages))
	}
	return packages
}
