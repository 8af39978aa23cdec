package finding

import (
	"encoding/json"
	"strings"
	"testing"
)

func at(file string, line, column int, rule string) Finding {
	return Finding{Rule: rule, Severity: Error, File: file, Range: Range{Line: line, Column: column}}
}

func TestSortOrdersByPlaceThenRuleAndDropsRepeats(t *testing.T) {
	got := Sort([]Finding{
		at("b", 1, 1, "x"), at("a", 2, 1, "x"), at("a", 1, 9, "x"), at("a", 1, 2, "z"), at("a", 1, 2, "y"), at("a", 1, 2, "y"),
	})
	var order []string
	for _, f := range got {
		order = append(order, f.File+f.Rule)
	}
	if s := strings.Join(order, " "); s != "ay az ax ax bx" {
		t.Errorf("order %q", s)
	}
}

func TestReportJSONCarriesComputedVerdictAndEmptyLists(t *testing.T) {
	r := Report{Tool: Tool{Name: "azp", Version: "1.2.3"}, Packages: []Package{
		{Path: "b", Shape: Built, Findings: []Finding{at("b", 1, 1, "x")}},
		{Path: "a", Shape: Source},
	}}
	r.Sort()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"tool":{"name":"azp","version":"1.2.3"},"packages":[` +
		`{"path":"a","shape":"source","signed":false,"verdict":"pass","findings":[]},` +
		`{"path":"b","shape":"built","signed":false,"trust":{"trusted":false,"reason":"not judged: no trust store was given","via":""},"verdict":"fail","findings":[{"rule":"x","severity":"error","message":"","file":"b","line":1,"column":1}]}` +
		`],"roles":[],"summary":{"packages":2,"errors":1,"warnings":0,"notices":0}}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func TestRoleWithoutFindingsHasAnEmptyList(t *testing.T) {
	data, err := json.Marshal(Report{Roles: []Role{{Path: "roles/a"}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `"roles":[{"path":"roles/a","findings":[]}]`
	if !strings.Contains(string(data), want) {
		t.Errorf("%s lacks %s", data, want)
	}
}

func TestFailedComparesSeverities(t *testing.T) {
	r := Report{Packages: []Package{{Findings: []Finding{{Severity: Warning}}}}}
	if r.Failed(Error) || !r.Failed(Warning) || !r.Failed(Notice) {
		t.Error("a warning fails at warning and below only")
	}
}

func TestSeverityText(t *testing.T) {
	for s := Off; s <= Error; s++ {
		var back Severity
		text, _ := s.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%v: %v %v", s, back, err)
		}
	}
	if _, err := ParseSeverity("fatal"); err == nil {
		t.Error("unknown severity accepted")
	}
}
