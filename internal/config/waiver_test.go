package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/finding"
)

func TestWaiverMatchesRuleAndPath(t *testing.T) {
	for _, c := range []struct {
		path, file string
		want       bool
	}{
		{"submissions/com.acme.fs/**", "submissions/com.acme.fs/com.acme.fs-1.0.0.azp", true},
		{"submissions/com.acme.fs/**", "submissions/com.acme.fs/src/a/b.json", true},
		{"submissions/com.acme.fs/**", "submissions/com.acme.fsx/manifest.json", false},
		{"submissions/com.acme.fs/**", "other/submissions/com.acme.fs/a", false},
		{"submissions/*/manifest.json", "submissions/com.acme.fs/manifest.json", true},
		{"submissions/*/manifest.json", "submissions/com.acme.fs/src/manifest.json", false},
		{"**/manifest.json", "manifest.json", true},
		{"**/manifest.json", "a/b/manifest.json", true},
		{"submissions/com.acme.fs", "submissions/com.acme.fs/manifest.json", false},
		{"a/file?.json", "a/file1.json", true},
		{"a/file?.json", "a/file/.json", false},
		{"A/b", "a/b", false},
		{"**", "anything/at/all", true},
		{"a/**/b", "a/b", true},
	} {
		w := Waiver{Rule: "secret/value", Path: c.path}
		if got := w.Matches("secret/value", c.file); got != c.want {
			t.Errorf("%s matches %s: %v", c.path, c.file, got)
		}
		if w.Matches("secret/other", c.file) {
			t.Errorf("%s matches another rule", c.path)
		}
	}
}

func TestWaiverHoldsThroughItsLastDay(t *testing.T) {
	w := load1(t, "waivers: [ { rule: secret/value, path: a, reason: r, until: 2027-01-31 } ]\n").Waivers[0]
	if w.Expired(time.Date(2027, 1, 31, 23, 59, 59, 999999999, time.UTC)) {
		t.Error("expired on its last day")
	}
	if !w.Expired(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error("not expired on the day after")
	}
	west := time.FixedZone("west", -5*60*60)
	if !w.Expired(time.Date(2027, 1, 31, 19, 0, 0, 0, west)) {
		t.Error("the day does not end in UTC")
	}
}

// load1 returns the settings of a text without faults.
func load1(t *testing.T, text string) *Config {
	t.Helper()
	c, faults := Parse(Path, []byte(text), catalogue)
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s", render(faults))
	}
	return c
}

const threeWaivers = `waivers:
  - { rule: secret/value, path: submissions/a/**, reason: "sample\nkey", until: 2027-01-31 }
  - { rule: secret/value, path: submissions/b/**, reason: old, until: 2026-01-31 }
  - { rule: mcp/unpinned-command, path: submissions/a/**, reason: trusted vendor, until: 2027-01-31 }
`

var today = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func secretIn(file string) finding.Finding {
	return finding.Finding{Rule: "secret/value", Severity: finding.Error, Message: "a secret", File: file}
}

// says joins what findings say, in order.
func says(found []finding.Finding) string {
	var lines []string
	for _, f := range finding.Sort(slices.Clone(found)) {
		lines = append(lines, f.Severity.String()+" "+f.Rule+" "+f.Message)
	}
	return strings.Join(lines, "\n")
}

func TestApplyWaiversKeepsWaivedFindingsAsNotices(t *testing.T) {
	r := finding.Report{
		Packages: []finding.Package{
			{Findings: []finding.Finding{secretIn("submissions/a/a.azp"), secretIn("submissions/c/c.azp")}},
			{Findings: []finding.Finding{secretIn("submissions/b/b.azp")}},
		},
		Roles: []finding.Role{{Findings: []finding.Finding{secretIn("submissions/a/role.yml")}}},
	}
	load1(t, threeWaivers).ApplyWaivers(&r, today, nil)
	waived := "notice secret/value waived until 2027-01-31 (.github/azphalt.yml, line 2: sample key): a secret"
	for i, c := range []struct {
		found []finding.Finding
		want  string
	}{
		{r.Packages[0].Findings, waived + "\nerror secret/value a secret"},
		{r.Packages[1].Findings, "error secret/value a secret"},
		{r.Roles[0].Findings, waived},
		{r.General, "warning config/waiver-expired this waiver ended on 2026-01-31 and waives nothing any more"},
	} {
		if got := says(c.found); got != c.want {
			t.Errorf("%d: got\n%s\nwant\n%s", i, got, c.want)
		}
	}
	checkPlaces(t, []byte(threeWaivers), r.General)
	if at := r.General[0]; at.Line != 3 || at.Column != 13 || !strings.Contains(at.Excerpt.Text, "submissions/b/**") {
		t.Errorf("place %+v, excerpt %+v", at.Range, at.Excerpt)
	}
}

// all says that everything was judged.
func all(Waiver) bool { return true }

func TestApplyWaiversNamesUnusedOnesOnlyWhereAllTheyAreAboutWasJudged(t *testing.T) {
	c := load1(t, threeWaivers)
	for folder, want := range map[string]string{
		"submissions/a": "notice config/waiver-unused no finding needs this waiver\n" +
			"notice config/waiver-unused no finding needs this waiver",
		"submissions/abc": "",
		"sub":             "",
		"submissions": "notice config/waiver-unused no finding needs this waiver\n" +
			"warning config/waiver-expired this waiver ended on 2026-01-31 and waives nothing any more\n" +
			"notice config/waiver-unused no finding needs this waiver",
	} {
		var r finding.Report
		c.ApplyWaivers(&r, today, func(w Waiver) bool { return w.Below(folder) })
		if got := says(r.General); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", folder, got, want)
		}
	}
	var r finding.Report
	if c.ApplyWaivers(&r, today, nil); len(r.General) != 0 {
		t.Errorf("nothing was judged: %s", says(r.General))
	}
}

func TestApplyWaiversTakesTheFirstThatHolds(t *testing.T) {
	c := load1(t, `waivers:
  - { rule: secret/value, path: a, reason: first, until: 2026-01-31 }
  - { rule: secret/value, path: a, reason: second, until: 2027-01-31 }
  - { rule: secret/value, path: "**", reason: third, until: 2028-01-31 }
rules: { config/waiver-expired: error, config/waiver-unused: off }
`)
	r := finding.Report{General: []finding.Finding{secretIn("a")}}
	c.ApplyWaivers(&r, today, all)
	want := "error config/waiver-expired this waiver ended on 2026-01-31 and waives nothing any more\n" +
		"notice secret/value waived until 2027-01-31 (.github/azphalt.yml, line 3: second): a secret"
	if got := says(r.General); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSeverityNeverLowersAReferenceRule(t *testing.T) {
	c := &Config{Rules: map[string]finding.Severity{"a/b": finding.Off, "c/d": finding.Off}}
	for _, x := range []struct {
		rule finding.Rule
		want finding.Severity
	}{
		{finding.Rule{ID: "a/b", Severity: finding.Error, Reference: true}, finding.Error},
		{finding.Rule{ID: "c/d", Severity: finding.Error}, finding.Off},
		{finding.Rule{ID: "e/f", Severity: finding.Warning}, finding.Warning},
	} {
		if got := c.Severity(x.rule); got != x.want {
			t.Errorf("%s: %v", x.rule.ID, got)
		}
	}
}
