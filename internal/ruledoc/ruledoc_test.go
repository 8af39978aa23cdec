package ruledoc

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
)

var update = flag.Bool("update", false, "write docs/rules.md and the golden files anew")

// golden compares with a file, or writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: go test ./internal/ruledoc -update", file)
	}
}

// wholePage is the page of all rules.
var wholePage = sync.OnceValues(func() (string, error) {
	var page strings.Builder
	err := Markdown(&page, check.Rules())
	return page.String(), err
})

func TestPageIsUpToDate(t *testing.T) {
	page, err := wholePage()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/rules.md", []byte(page))
}

func TestEveryExampleShowsSomething(t *testing.T) {
	page, err := wholePage()
	if err != nil {
		t.Fatal(err)
	}
	for _, empty := range []string{"Fails:\n\n```text\nerror[", "Fails:\n\n```text\nwarning[", "Passes:\n\n#", "```\n\n```\n"} {
		if _, after, ok := strings.Cut(page, empty); ok {
			t.Errorf("%q is followed by %.80q", empty, after)
		}
	}
	if strings.HasSuffix(page, "Passes:\n\n") {
		t.Error("the last example is empty")
	}
}

func TestTheConfigurationOnThePageIsValid(t *testing.T) {
	_, rest, _ := strings.Cut(intro, "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	c, faults := config.Parse(config.Path, []byte(text), check.Rules())
	if len(faults) > 0 || len(c.Rules) != 2 || len(c.Waivers) != 1 {
		t.Errorf("%v %v", c, faults)
	}
}

func TestLinksLeadToHeadings(t *testing.T) {
	page, err := wholePage()
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	fence := ""
	for line := range strings.Lines(page) {
		switch {
		case fence != "":
			if strings.TrimSpace(line) == fence {
				fence = ""
			}
		case strings.HasPrefix(line, "```"):
			fence = line[:strings.LastIndexByte(line, '`')+1]
		case strings.HasPrefix(line, "#"):
			a := anchor(strings.TrimSpace(strings.TrimLeft(line, "#")))
			if anchors[a] {
				t.Errorf("two headings have the anchor %s", a)
			}
			anchors[a] = true
		}
	}
	for _, r := range check.Rules() {
		_, fragment, _ := strings.Cut(check.RuleURL(r.ID), "#")
		if !anchors[fragment] {
			t.Errorf("the link to %s leads to no heading", r.ID)
		}
		if groupTitles[group(r.ID)] == "" {
			t.Errorf("the group of %s has no title", r.ID)
		}
		if !strings.Contains(page, "](#"+fragment+")") {
			t.Errorf("%s is not in the table of contents", r.ID)
		}
	}
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{
		"All rules":          "all-rules",
		"mcp-literal-secret": "mcp-literal-secret",
		"a/b (c)":            "ab-c",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("%q: %q, want %q", heading, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, id := range []string{"mcp/literal-secret", "zip/overlap", "submission/license-missing"} {
		var out bytes.Buffer
		r, _ := check.Rule(id)
		if err := Text(&out, r); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+heading(id)+".txt", out.Bytes())
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for _, r := range check.Rules() {
		var out bytes.Buffer
		if err := Text(&out, r); err != nil {
			t.Fatal(err)
		}
		explained, _, _ := strings.Cut(out.String(), "Fails:")
		for line := range strings.Lines(explained) {
			if utf8.RuneCountInString(strings.TrimSpace(line)) > terminalWidth {
				t.Errorf("%s: the line %q is too long", r.ID, line)
			}
		}
	}
}

func TestList(t *testing.T) {
	var out bytes.Buffer
	if err := List(&out, check.Rules()); err != nil {
		t.Fatal(err)
	}
	for _, r := range check.Rules() {
		if !strings.Contains(out.String(), " "+r.ID+" ") || !strings.Contains(out.String(), r.Title) {
			t.Errorf("%s is not listed", r.ID)
		}
	}
}

// A rule whose examples are no submissions is explained without words of the verifier.
func TestRulesOfOtherTrees(t *testing.T) {
	r := finding.Rule{
		ID: "role/port", Severity: finding.Error, Title: "The port is not a number", Why: "A client connects to it.",
		Bad:  "-- roles/web-app-wiki/meta/mcp.yml --\nport: http\n",
		Good: "-- roles/web-app-wiki/meta/mcp.yml --\nport: 8080\n",
	}
	var page, text bytes.Buffer
	if err := Markdown(&page, []finding.Rule{r}); err != nil {
		t.Fatal(err)
	}
	if err := Text(&text, r); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{page.String(), text.String()} {
		if !strings.Contains(out, "port: http\n") || !strings.Contains(out, "port: 8080\n") || strings.Contains(out, "error[") {
			t.Errorf("%s", out)
		}
	}
}

func TestExamplesThatDoNotBreakTheirRuleAreErrors(t *testing.T) {
	r, _ := check.Rule("mcp/literal-secret")
	r.Bad = r.Good
	if err := Text(new(bytes.Buffer), r); err == nil {
		t.Error("no error")
	}
	r.Bad = "unpack\n" + r.Good
	if err := Markdown(new(bytes.Buffer), []finding.Rule{r}); err == nil {
		t.Error("no error")
	}
}

func TestDifference(t *testing.T) {
	text := strings.Split("a b c d e f g h", " ")
	for _, c := range []struct{ other, want string }{
		{"a b c d e f g x", "…\nf\ng\nh"},
		{"x b c d e f g h", "a\nb\nc\n…"},
		{"a b c d X e f g h", "…\nc\nd\ne\nf\n…"},
		{"a b X d e f g h", "a\nb\nc\nd\ne\n…"},
	} {
		if got := difference(text, strings.Split(c.other, " ")); got != c.want {
			t.Errorf("beside %q: %q, want %q", c.other, got, c.want)
		}
	}
}
