package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// Case 074: the exact lines for paths that hold what a command is made of.
func TestCommandLinesOfCase074(t *testing.T) {
	data, err := os.ReadFile("../../shared/cases/074-annotation-odd-paths/scenario.json")
	if err != nil {
		t.Skip("the shared cases are not here: ", err)
	}
	var scenario struct {
		Given struct {
			Findings []struct {
				Path, Title, Message string
				Line                 int
			}
		}
		Expect struct {
			Lines []string `json:"stdout_lines"`
			Paths []string `json:"checks_api_paths"`
		}
	}
	if err := json.Unmarshal(data, &scenario); err != nil {
		t.Fatal(err)
	}
	var report finding.Report
	for i, f := range scenario.Given.Findings {
		at := finding.Range{Line: f.Line}
		got := Command{Severity: finding.Error, File: f.Path, Range: at, Title: f.Title, Message: f.Message}.String()
		if got != scenario.Expect.Lines[i] {
			t.Errorf("got  %s\nwant %s", got, scenario.Expect.Lines[i])
		}
		report.General = append(report.General, finding.Finding{Severity: finding.Error, File: f.Path, Range: at})
	}
	for i, a := range Annotations(&report) {
		if a.Path != scenario.Expect.Paths[i] {
			t.Errorf("path %q, want %q", a.Path, scenario.Expect.Paths[i])
		}
	}
	if len(scenario.Expect.Lines) == 0 || len(scenario.Expect.Paths) != len(scenario.Expect.Lines) {
		t.Error("the case is empty")
	}
}

func TestCommandProperties(t *testing.T) {
	for _, c := range []struct {
		name    string
		command Command
		want    string
	}{
		{"nothing but a message", Command{Severity: finding.Notice, Message: "m"}, "::notice::m"},
		{"title alone", Command{Severity: finding.Warning, Title: "t", Message: "m"}, "::warning title=t::m"},
		{"no line", Command{Severity: finding.Error, File: "f", Title: "t", Message: "m"}, "::error file=f,title=t::m"},
		{"line", Command{Severity: finding.Error, File: "f", Range: finding.Range{Line: 3, EndLine: 3}, Message: "m"}, "::error file=f,line=3::m"},
		{"columns", Command{Severity: finding.Error, File: "f", Range: span(3, 4, 9), Message: "m"}, "::error file=f,line=3,col=4,endColumn=9::m"},
		{"column without an end", Command{Severity: finding.Error, File: "f", Range: finding.Range{Line: 3, Column: 4}, Message: "m"}, "::error file=f,line=3,col=4::m"},
		{"end before column", Command{Severity: finding.Error, File: "f", Range: span(3, 4, 2), Message: "m"}, "::error file=f,line=3,col=4::m"},
		{"several lines", Command{Severity: finding.Error, File: "f", Range: finding.Range{Line: 3, Column: 4, EndLine: 5, EndColumn: 2}, Message: "m"}, "::error file=f,line=3,endLine=5::m"},
		{"end before line", Command{Severity: finding.Error, File: "f", Range: finding.Range{Line: 3, EndLine: 1}, Message: "m"}, "::error file=f,line=3::m"},
		{"place without a file", Command{Severity: finding.Error, Range: span(3, 4, 9), Message: "m"}, "::error::m"},
		{"percent first", Command{Severity: finding.Error, File: "%0A", Message: "%0A%25"}, "::error file=%250A::%250A%2525"},
		{"hidden in a message", Command{Severity: finding.Error, Message: "a\x1b\u202eb\tc"}, `::error::a\x1b\u202eb\tc`},
		{"hidden in a path", Command{Severity: finding.Error, File: "a\x1b\u0085\u2028\u202e\xff", Message: "m"}, "::error file=a\\x1b\\u0085\\u2028\u202e\\xff::m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.command.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func commandLines(t *testing.T, r *finding.Report, o CommandOptions) (lines []string, shownCount, hidden int) {
	t.Helper()
	var b bytes.Buffer
	shownCount, hidden, err := Commands(&b, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), shownCount, hidden
}

func packageWith(path string, n int, s finding.Severity) finding.Package {
	p := finding.Package{Path: path}
	for i := range n {
		p.Findings = append(p.Findings, finding.Finding{Rule: "x/y", Severity: s, File: path, Range: finding.Range{Line: i + 1}, Message: "m"})
	}
	return p
}

func TestCommandsSharesTheRoomAmongPackages(t *testing.T) {
	r := &finding.Report{Packages: []finding.Package{
		packageWith("a", 30, finding.Error), packageWith("b", 2, finding.Error), packageWith("c", 12, finding.Warning), packageWith("d", 40, finding.Error),
	}}
	lines, shownCount, hidden := commandLines(t, r, CommandOptions{})
	if shownCount != 20 || hidden != 64 || len(lines) != 20 {
		t.Errorf("%d shown, %d hidden, %d lines", shownCount, hidden, len(lines))
	}
	want := []string{}
	for _, p := range []struct {
		level, path string
		n           int
	}{{"error", "a", 4}, {"error", "b", 2}, {"error", "d", 4}, {"warning", "c", 10}} {
		for i := range p.n {
			want = append(want, fmt.Sprintf("::%s file=%s,line=%d,title=x/y::m", p.level, p.path, i+1))
		}
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A finding in an archive is shown in its source file first; the archive gets what room is left.
func TestCommandsPrefersTheSourceOfAnArchive(t *testing.T) {
	r := &finding.Report{Packages: []finding.Package{{Path: "a.azp"}}}
	for i := range 3 {
		r.Packages[0].Findings = append(r.Packages[0].Findings, finding.Finding{
			Rule: "x/y", Severity: finding.Error, File: "a.azp", Entry: "manifest.json", Range: span(i+1, 1, 2), Message: "m",
			Source: &finding.Place{File: "manifest.json", Range: span(i+1, 1, 2)},
		})
	}
	lines, shownCount, hidden := commandLines(t, r, CommandOptions{PerLevel: 4})
	if shownCount != 3 || hidden != 0 || len(lines) != 4 {
		t.Fatalf("%d shown, %d hidden in %q", shownCount, hidden, lines)
	}
	for i, prefix := range []string{
		"::error file=manifest.json,line=1,", "::error file=a.azp,title=x/y::manifest.json:1:1: m",
		"::error file=manifest.json,line=2,", "::error file=manifest.json,line=3,",
	} {
		if !strings.HasPrefix(lines[i], prefix) {
			t.Errorf("line %d is %q", i, lines[i])
		}
	}
}

// unescape undoes what GitHub's runner undoes.
func unescape(s string, property bool) string {
	pairs := []string{"%0D", "\r", "%0A", "\n", "%25", "%"}
	if property {
		pairs = append(pairs, "%3A", ":", "%2C", ",")
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// parseCommand reads a command as GitHub's runner does (actions/runner, ActionCommand.TryParseV2).
func parseCommand(line string) (name string, properties map[string]string, data string, ok bool) {
	head, data, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	if !ok || !strings.HasPrefix(line, "::") {
		return "", nil, "", false
	}
	name, rest, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for p := range strings.SplitSeq(rest, ",") {
		if key, value, ok := strings.Cut(p, "="); ok {
			properties[key] = unescape(value, true)
		}
	}
	return name, properties, unescape(data, false), true
}

func FuzzCommand(f *testing.F) {
	for i, s := range hostileTexts {
		f.Add(s, s, s, i, i%5)
	}
	f.Fuzz(func(t *testing.T, file, title, message string, line, column int) {
		c := Command{Severity: finding.Warning, File: file, Title: title, Message: message, Range: span(line, column, column+2)}
		out := c.String()
		if strings.ContainsAny(out, "\n\r\x1b\x00") {
			t.Fatalf("a line break or control character in %q", out)
		}
		name, properties, data, ok := parseCommand(out)
		if !ok || name != "warning" {
			t.Fatalf("not our command: %q", out)
		}
		if data != visibleLines(message) {
			t.Errorf("message %q comes back as %q", message, data)
		}
		if properties["file"] != usablePath(file) {
			t.Errorf("path %q comes back as %q", file, properties["file"])
		}
		if properties["title"] != visible(title, maxName) {
			t.Errorf("title %q comes back as %q", title, properties["title"])
		}
		for key := range properties {
			if !slices.Contains([]string{"file", "line", "endLine", "col", "endColumn", "title"}, key) {
				t.Errorf("forged property %q in %q", key, out)
			}
		}
	})
}

func FuzzCommands(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		lines, shownCount, hidden := commandLines(t, fuzzReport(a, b, c, n), CommandOptions{PerLevel: 2})
		if shownCount+hidden != 5 {
			t.Errorf("%d shown and %d hidden of 5 findings", shownCount, hidden)
		}
		for _, line := range lines {
			name, _, _, ok := parseCommand(line)
			if !ok || name != "error" && name != "warning" && name != "notice" {
				t.Errorf("a line of someone else's: %q", line)
			}
		}
	})
}
