package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/vectortest"
)

var ruleID = regexp.MustCompile(`^[a-z]+/[a-z0-9]+(-[a-z0-9]+)*$`)

func TestEveryRuleIsExplained(t *testing.T) {
	for _, r := range Rules() {
		if !ruleID.MatchString(r.ID) {
			t.Errorf("%s is no id of a rule", r.ID)
		}
		if n := utf8.RuneCountInString(r.Title); n == 0 || n > 90 || strings.HasSuffix(r.Title, ".") || strings.Contains(r.Title, "\n") {
			t.Errorf("%s: the title %q is not one short line without a full stop", r.ID, r.Title)
		}
		if n := strings.Count(r.Why, "\n\n") + 1; r.Why == "" || n > 2 || len(r.Why) < 30 || !strings.HasSuffix(r.Why, ".") {
			t.Errorf("%s does not say in a paragraph or two why it exists:\n%s", r.ID, r.Why)
		}
		if r.Bad == "" || r.Good == "" || r.Bad == r.Good {
			t.Errorf("%s has no failing and passing example", r.ID)
		}
		if r.Severity == finding.Off {
			t.Errorf("%s has no severity", r.ID)
		}
	}
}

func TestRulesOfTheFormatAreMarked(t *testing.T) {
	reference := vectortest.Rules(t, testdata+"/rules.tsv")
	for _, r := range Rules() {
		if _, ok := reference[r.ID]; ok != r.Reference {
			t.Errorf("%s: reference is %v", r.ID, r.Reference)
		}
		if r.Reference && r.Severity != finding.Error {
			t.Errorf("%s is a rule of the format, and no error", r.ID)
		}
	}
	for id := range reference {
		if _, ok := Rule(id); !ok {
			t.Errorf("%s is not in the catalogue", id)
		}
	}
}

// TestCatalogueAndSourceAgree holds that every rule the source speaks of is in the catalogue, and that the source speaks
// of every rule that is.
func TestCatalogueAndSourceAgree(t *testing.T) {
	groups := map[string]bool{}
	for _, r := range Rules() {
		group, _, _ := strings.Cut(r.ID, "/")
		groups[group] = true
	}
	ids, names := rulesInSource(t, "..")
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		group, _, _ := strings.Cut(id, "/")
		if _, ok := Rule(id); !ok && groups[group] {
			t.Errorf("%s speaks of %s, which is not in the catalogue", ids[id], id)
		}
	}
	for _, r := range Rules() {
		_, name, _ := strings.Cut(r.ID, "/")
		if ids[r.ID] == "" && names[name] == "" {
			t.Errorf("nothing in the source speaks of %s", r.ID)
		}
	}
}

// rulesInSource returns the ids of rules in the module's source, and the names that are put together with a group there,
// each with a file that has it.
func rulesInSource(t *testing.T, root string) (ids, names map[string]string) {
	t.Helper()
	ids, names = map[string]string{}, map[string]string{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "testdata" {
			return skipDir(e, err)
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BinaryExpr:
				if name, ok := strings.CutPrefix(text(n.Y), "/"); ok {
					names[name] = path
				}
			case *ast.BasicLit:
				if id := text(n); ruleID.MatchString(id) {
					ids[id] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, names
}

func skipDir(e fs.DirEntry, err error) error {
	if err == nil && e.IsDir() {
		return fs.SkipDir
	}
	return err
}

// text returns the value of a string literal, "" for all else.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}
