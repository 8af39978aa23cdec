package annotate

import (
	"strings"
	"testing"
	"unicode"

	"github.com/azphalt/submissions/finding"
)

// runnerCommand reports whether GitHub's runner would obey line, were it printed by a step (actions/runner, ActionCommand).
func runnerCommand(line string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") || strings.Contains(line, "##[")
}

func checkTextIsInert(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if runnerCommand(line) {
			t.Errorf("a command: %q", line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) }) {
			t.Errorf("unescaped: %+q", line)
		}
	}
}

func TestTextOfAHostileReportIsInert(t *testing.T) {
	for _, o := range []TextOptions{{}, {Verbose: true}, {Width: 10}} {
		checkTextIsInert(t, string(render(t, FormatText, hostileReport(), Options{Text: o})))
	}
}

func FuzzText(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		checkTextIsInert(t, string(render(t, FormatText, fuzzReport(a, b, c, n), Options{Text: TextOptions{Verbose: n%2 == 0, Width: n}})))
	})
}

func TestTextWithoutColourIsTextWithColourStripped(t *testing.T) {
	plain := string(render(t, FormatText, sample(), Options{}))
	coloured := string(render(t, FormatText, sample(), Options{Text: TextOptions{Color: true}}))
	for {
		start := strings.Index(coloured, "\x1b[")
		if start < 0 {
			break
		}
		end := start + strings.IndexByte(coloured[start:], 'm')
		coloured = coloured[:start] + coloured[end+1:]
	}
	if coloured != plain {
		t.Errorf("got\n%s\nwant\n%s", coloured, plain)
	}
}

func TestHeadline(t *testing.T) {
	pass := finding.Package{}
	fail := finding.Package{Findings: []finding.Finding{{Severity: finding.Error}, {Severity: finding.Error}, {Severity: finding.Error}, {Severity: finding.Warning}}}
	warn := finding.Package{Findings: []finding.Finding{{Severity: finding.Warning}}}
	for _, c := range []struct {
		report finding.Report
		want   string
	}{
		{finding.Report{}, "nothing to check"},
		{finding.Report{General: fail.Findings[:1]}, "nothing to check (1 error)"},
		{finding.Report{Packages: []finding.Package{pass}}, "1 package checked: 1 passes"},
		{finding.Report{Packages: []finding.Package{pass, fail}}, "2 packages checked: 1 passes, 1 fails (3 errors, 1 warning)"},
		{finding.Report{Packages: []finding.Package{fail, fail}}, "2 packages checked: 2 fail (6 errors, 2 warnings)"},
		{finding.Report{Packages: []finding.Package{pass, warn}}, "2 packages checked: 2 pass (1 warning)"},
		{finding.Report{Roles: []finding.Role{{}}}, "1 role checked: 1 passes"},
		{finding.Report{Packages: []finding.Package{pass}, Roles: []finding.Role{{}, {}}}, "1 package and 2 roles checked: 3 pass"},
	} {
		if got := Headline(&c.report); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
