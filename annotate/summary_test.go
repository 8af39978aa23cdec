package annotate

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/azphalt/submissions/finding"
)

// github parses Markdown with GitHub's extensions.
var github = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// active matches what GitHub makes something of in running text after the Markdown is done: mentions, references to issues
// and commits, addresses, emoji names, formulas.
var active = regexp.MustCompile(`@|#[0-9]|GH-[0-9]|://|www\.|\b[0-9a-f]{7,40}\b|:[a-z+]+:|\$|\{\{`)

// activeMarkdown lists the parts of a page that the writer itself never makes.
func activeMarkdown(page []byte) (parts []string) {
	found := func(what string, text []byte) { parts = append(parts, what+": "+string(text)) }
	doc := github.Parser().Parse(text.NewReader(page))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.ListItem:
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if s := n.Segment.Value(page); active.Match(s) {
				found("text", s)
			}
		case *ast.Link:
			if !strings.HasPrefix(string(n.Destination), ruleURL("")) {
				found("link", n.Destination)
			}
		case *ast.RawHTML:
			found("HTML", n.Segments.Value(page))
		case *ast.Heading:
			if n.Level != 2 && n.Level != 3 {
				found("heading", n.Lines().Value(page))
			}
		case *ast.List:
			if n.Marker != '-' {
				found("list", []byte{n.Marker})
			}
		case *ast.Emphasis:
			if n.Level != 2 {
				found("emphasis", nil)
			}
		default:
			if kind := n.Kind().String(); !strings.HasPrefix(kind, "Table") {
				found(kind, nil)
			}
		}
		return ast.WalkContinue, nil
	})
	return parts
}

func checkMarkdownIsInert(t *testing.T, page []byte) {
	t.Helper()
	for _, part := range activeMarkdown(page) {
		t.Errorf("active %s", part)
	}
}

// checkTable holds every row of the page's table to its number of columns.
func checkTable(t *testing.T, page []byte) {
	t.Helper()
	want := strings.Count(strings.Split(tableHead, "\n")[1], "|")
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") != want {
			t.Errorf("%d bars in %q", strings.Count(line, "|"), line)
		}
	}
}

func TestSummaryOfAHostileReportIsInert(t *testing.T) {
	page := render(t, FormatMarkdown, hostileReport(), options())
	checkMarkdownIsInert(t, page)
	checkTable(t, page)
}

// The test above would prove little if it saw nothing.
func TestInertMarkdownCheckSeesWhatIsActive(t *testing.T) {
	for _, s := range []string{"@octocat", "x #1", "<b>x</b>", "[a](https://evil.example)", "![a](x)", "https://evil.example", "a@b.example",
		"# x", "* x", "1. x", "> x", "*x*", "~~x~~", "---", "0123456", ":tada:", "[^1]\n\n[^1]: x", "<!-- x -->", "    x", "- [x] y"} {
		if len(activeMarkdown([]byte(s+"\n"))) == 0 {
			t.Errorf("%q passes as inert", s)
		}
	}
}

func TestProse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a plain sentence, isn't it?", "a plain sentence, isn't it?"},
		{`server "x y" has (at most) 10 items`, "server `x y` has (at most) 10 items"},
		{`"a\"b" c`, "`a\\\"b` c"},
		{"use ${input:x}.", "use `${input:x}`."},
		{"call foo() or (bar)", "call `foo()` or (bar)"},
		{"manifest.json, remote.headers: bad", "`manifest.json`, `remote.headers`: bad"},
		{"10. item", "`10`. item"},
		{"see openWWW. next", "see `openWWW`. next"},
		{"commit defaced deadbeef1 but decade", "commit `defaced` `deadbeef1` but decade"},
		{"décadence — ünï–cöde", "décadence — `ünï–cöde`"},
		{"@x #1 a_b *c*", "`@x` `#1` `a_b` `*c*`"},
		{"tick ` and ``` ticks", "tick `` ` `` and ```` ``` ```` ticks"},
		{"x.y\"z`\"", "`x.y` `` z` ``"},
		{`"a""b"`, "`a` `b`"},
		{`a " b`, `a " b`},
		{"", ""},
		{" - x", "`-` x"},
		{"a\nb", "`a\\nb`"},
	} {
		if got := prose(c.in); got != c.want {
			t.Errorf("prose(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSummaryTellsOfModules(t *testing.T) {
	names := strings.Fields(strings.Repeat("fd_read ", 43))
	r := &finding.Report{Packages: []finding.Package{{Path: "a.azp", Shape: finding.Built, Modules: []finding.Module{
		{Path: "server/a.wasm", Size: 50, Form: "module", Valid: true, Starts: true, WASI: "preview 1", Grants: []string{"net"},
			Imports: []finding.ImportGroup{{Group: "sockets", Names: []string{"sock_send"}}, {Group: "streams", Names: names}}},
		{Path: "b.wasm", Size: 8, Form: "component"},
	}}}}
	page := string(render(t, FormatMarkdown, r, Options{}))
	for _, want := range []string{
		"\n### ✅ `a.azp`\n\n- `server/a.wasm` is a module of 50 bytes for WASI preview 1\n  - asks for `net`\n  - sockets: `sock_send`\n  - streams: `fd_read`",
		"`fd_read` and 3 more\n", "\n- `b.wasm` is a component of 8 bytes that is not valid, or could not be checked\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s\nlacks %q", page, want)
		}
	}
}

func TestSummaryTellsWhatServersOffer(t *testing.T) {
	r := &finding.Report{Packages: []finding.Package{{Path: "a.azp", Shape: finding.Built, Offers: []finding.Offer{{
		Server: "text", Transport: "wasi", Name: "text-tools 1.0", Instructions: "@all\u202e hi",
		Tools:   []finding.Offered{{Name: "slugify", Title: "Slug", Description: "Makes [a](https://x) slug.", Schema: `{"type":"object"}`}},
		Prompts: []finding.Offered{{Name: "ask"}},
	}}}}}
	const want = "\n- `text` was asked what it offers (wasi); it calls itself `text-tools 1.0`\n  - instructions: `@all\\u202e hi`\n" +
		"  - tool `slugify`, titled `Slug`: `Makes [a](https://x) slug.`; takes `{\"type\":\"object\"}`\n  - prompt `ask`\n"
	if page := string(render(t, FormatMarkdown, r, Options{})); !strings.Contains(page, want) {
		t.Errorf("%s\nlacks %s", page, want)
	}
}

func TestSummaryEndsAfterAWholeFinding(t *testing.T) {
	r := &finding.Report{Packages: []finding.Package{packageWith("a", 300, finding.Error), packageWith("b", 300, finding.Warning)}}
	whole := render(t, FormatMarkdown, r, Options{})
	if bytes.Contains(whole, []byte("did not fit")) {
		t.Fatal("600 small findings don't fit in a job summary")
	}
	for _, limit := range []int{600, 1000, 5000, 20_000, len(whole)} {
		page := render(t, FormatMarkdown, r, Options{Summary: SummaryOptions{Limit: limit}})
		if len(page) > limit {
			t.Errorf("%d bytes for a limit of %d", len(page), limit)
		}
		written := bytes.Count(page, []byte("\n- "))
		missing := regexp.MustCompile(`\*\*(\d+) more finding`).FindSubmatch(page)
		if missing == nil || string(missing[1]) != strings.TrimSuffix(plural(600-written, "x"), " xs") {
			t.Errorf("limit %d: %d findings written, %q said to be missing", limit, written, missing)
		}
		if last := strings.Count(string(page), "```"); last%2 != 0 || !strings.HasSuffix(string(page), "everything.\n") {
			t.Errorf("limit %d: the page ends with %q", limit, page[len(page)-80:])
		}
	}
}

func TestSummaryNeverExceedsItsLimit(t *testing.T) {
	huge := strings.Repeat("` | @x ", 1<<17)
	r := fuzzReport(huge, huge, huge, 5)
	for i := range 3000 {
		r.Packages = append(r.Packages, packageWith(strings.Repeat("p", i%300), 1, finding.Error))
	}
	for _, limit := range []int{1, 10, 299, 300, 400, 1000, 10_000, CheckSummaryLimit, JobSummaryLimit} {
		page := render(t, FormatMarkdown, r, Options{Summary: SummaryOptions{Limit: limit, RuleURL: ruleURL}})
		if len(page) > limit {
			t.Errorf("%d bytes for a limit of %d", len(page), limit)
		}
		checkTable(t, page)
	}
	page := render(t, FormatMarkdown, r, Options{Summary: SummaryOptions{Limit: CheckSummaryLimit}})
	if !bytes.Contains(page, []byte("\n- ")) || !bytes.Contains(page, []byte("more table rows and")) {
		t.Error("a long table leaves no room for findings")
	}
}

func TestSummarySaysWhatHasNoAnnotation(t *testing.T) {
	page := render(t, FormatMarkdown, sample(), Options{Summary: SummaryOptions{Hidden: 12}})
	if !strings.Contains(string(page), "12 findings without an annotation") {
		t.Errorf("got %s", page)
	}
}

func FuzzSummary(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		page := render(t, FormatMarkdown, fuzzReport(a, b, c, n), options())
		checkMarkdownIsInert(t, page)
		checkTable(t, page)
	})
}
