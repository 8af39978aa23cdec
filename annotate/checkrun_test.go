package annotate

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// Case 076: 120 findings go out as 50, 50 and 20; none as nothing.
func TestBatchesOfCase076(t *testing.T) {
	r := &finding.Report{Packages: []finding.Package{packageWith("manifest.json", 120, finding.Error)}}
	var sizes []int
	line := 0
	for _, batch := range Batches(Annotations(r), AnnotationsPerRequest) {
		sizes = append(sizes, len(batch))
		for _, a := range batch {
			line++
			if a.StartLine != line {
				t.Fatalf("line %d at place %d", a.StartLine, line)
			}
		}
	}
	if len(sizes) != 3 || sizes[0] != 50 || sizes[1] != 50 || sizes[2] != 20 {
		t.Errorf("batches of %v", sizes)
	}
	if got := Batches(Annotations(&finding.Report{}), AnnotationsPerRequest); len(got) != 0 {
		t.Errorf("batches of nothing: %v", got)
	}
}

func TestAnnotationGolden(t *testing.T) {
	data, err := json.MarshalIndent(Annotations(sample()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "annotations.json", append(data, '\n'))
}

func TestAnnotationPlaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		finding finding.Finding
		want    string
	}{
		{"columns on one line", finding.Finding{File: "f", Range: span(3, 4, 9)}, `{"path":"f","start_line":3,"end_line":3,"start_column":4,"end_column":9}`},
		{"no end column", finding.Finding{File: "f", Range: finding.Range{Line: 3, Column: 4}}, `{"path":"f","start_line":3,"end_line":3,"start_column":4,"end_column":4}`},
		{"several lines", finding.Finding{File: "f", Range: finding.Range{Line: 3, Column: 4, EndLine: 5, EndColumn: 2}}, `{"path":"f","start_line":3,"end_line":5}`},
		{"no line", finding.Finding{File: "f"}, `{"path":"f","start_line":1,"end_line":1}`},
		{"no file", finding.Finding{}, `{"path":".github","start_line":1,"end_line":1}`},
		{"in an archive", finding.Finding{File: "f.azp", Entry: "e", Range: span(3, 4, 9)}, `{"path":"f.azp","start_line":1,"end_line":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Annotations(&finding.Report{General: []finding.Finding{c.finding}})[0]
			got, _ := json.Marshal(struct {
				Path        string `json:"path"`
				StartLine   int    `json:"start_line"`
				EndLine     int    `json:"end_line"`
				StartColumn int    `json:"start_column,omitempty"`
				EndColumn   int    `json:"end_column,omitempty"`
			}{a.Path, a.StartLine, a.EndLine, a.StartColumn, a.EndColumn})
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSeveritiesAsGitHubSpellsThem(t *testing.T) {
	for severity, want := range map[finding.Severity]string{finding.Error: "failure", finding.Warning: "warning", finding.Notice: "notice"} {
		a := Annotations(&finding.Report{General: []finding.Finding{{Severity: severity}}})[0]
		if a.AnnotationLevel != want {
			t.Errorf("%s is %q, want %q", severity, a.AnnotationLevel, want)
		}
	}
}

func checkAnnotationLimits(t *testing.T, a Annotation) {
	t.Helper()
	const text = 64 * 1024
	if len(a.Message) > text || len(a.RawDetails) > text || utf8.RuneCountInString(a.Title) > 255 {
		t.Errorf("too long: message %d, details %d, title %d", len(a.Message), len(a.RawDetails), len(a.Title))
	}
	if a.Message == "" || a.Path == "" || a.StartLine < 1 || a.EndLine < a.StartLine {
		t.Errorf("refused by GitHub: %+v", a)
	}
	if a.StartColumn != 0 && (a.StartLine != a.EndLine || a.EndColumn < a.StartColumn) || a.StartColumn == 0 && a.EndColumn != 0 {
		t.Errorf("columns refused by GitHub: %+v", a)
	}
	if !utf8.ValidString(a.Message + a.Title + a.RawDetails) {
		t.Errorf("invalid UTF-8 in %+v", a)
	}
}

func TestAnnotationsKeepGitHubsLimits(t *testing.T) {
	for _, unit := range []string{"x", "\x00", "\U000e0041", "👩\u200d", "%", "e\u0301\u0301\u0301"} {
		huge := strings.Repeat(unit, 1<<20/len(unit))
		r := fuzzReport(huge, huge, huge, 12)
		r.Packages[0].Findings[0].Rule = huge
		for _, a := range Annotations(r) {
			checkAnnotationLimits(t, a)
		}
	}
}

func FuzzAnnotations(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		for _, x := range Annotations(fuzzReport("m"+a, b, "m"+c, n)) {
			checkAnnotationLimits(t, x)
		}
	})
}
