package mend

import (
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// found returns a finding whose edits are given by place on the first line.
func found(edits ...finding.Edit) finding.Finding {
	return finding.Finding{Fix: &finding.Fix{Edits: edits}}
}

func at(start, end int, text string) finding.Edit {
	return finding.Edit{Range: finding.Range{Line: 1, Column: start, EndLine: 1, EndColumn: end}, Text: text}
}

func TestApply(t *testing.T) {
	const text = "\ufeffäbcdefgh\r\nrest" // the mark is the first column
	for name, c := range map[string]struct {
		findings []finding.Finding
		want     string
		mended   int
	}{
		"nothing":                      {nil, text, 0},
		"words alone":                  {[]finding.Finding{{Fix: &finding.Fix{Description: "do"}}, {}}, text, 0},
		"one":                          {[]finding.Finding{found(at(2, 3, "A"))}, "\ufeffAbcdefgh\r\nrest", 1},
		"insertions keep their order":  {[]finding.Finding{found(at(3, 3, "1")), found(at(3, 3, "2"))}, "\ufeffä12bcdefgh\r\nrest", 2},
		"equal edits are made once":    {[]finding.Finding{found(at(3, 3, "1"), at(4, 5, "C")), found(at(3, 3, "2")), found(at(3, 3, "1"), at(6, 7, "E"))}, "\ufeffä12bCdEfgh\r\nrest", 3},
		"insertion before replacement": {[]finding.Finding{found(at(3, 4, "B")), found(at(3, 3, "1"))}, "\ufeffä1Bcdefgh\r\nrest", 2},
		"neighbours":                   {[]finding.Finding{found(at(3, 5, "-")), found(at(5, 6, "D"))}, "\ufeffä-Defgh\r\nrest", 2},
		"overlap: the later waits":     {[]finding.Finding{found(at(3, 6, "-")), found(at(4, 5, "C"), at(8, 9, "G"))}, "\ufeffä-efgh\r\nrest", 1},
		"outside: all or none":         {[]finding.Finding{found(at(3, 4, "B"), at(80, 81, "x"))}, text, 0},
		"backwards":                    {[]finding.Finding{found(at(4, 3, "B"))}, text, 0},
		"to the end of the line":       {[]finding.Finding{found(at(9, 10, "."))}, "\ufeffäbcdefg.\r\nrest", 1},
	} {
		t.Run(name, func(t *testing.T) {
			out, mended := Apply([]byte(text), c.findings)
			if string(out) != c.want || len(mended) != c.mended {
				t.Errorf("got %q with %d mended, want %q with %d", out, len(mended), c.want, c.mended)
			}
		})
	}
}

// Edits by the ten thousand at one place or each at its own take no longer than they are many.
func TestManyEdits(t *testing.T) {
	text := strings.Repeat("a", 10_000)
	var apart, together []finding.Finding
	for i := range 10_000 {
		apart = append(apart, found(at(i+1, i+2, "b")))
		together = append(together, found(at(1, 1, "x")))
	}
	if out, _ := Apply([]byte(text), apart); string(out) != strings.Repeat("b", 10_000) {
		t.Error("not every edit was made")
	}
	if out, mended := Apply([]byte(text), together); string(out) != "x"+text || len(mended) != 10_000 {
		t.Error("equal edits were not made once")
	}
}

// Two rules that write the same name are mended one after the other.
func TestJSONLeavesNoFault(t *testing.T) {
	const text = `{"passwor":1}`
	rename, add := found(at(2, 11, `"password"`)), found(at(13, 13, `,"password":true`))
	rename.Rule, add.Rule = "a/rename", "a/add"
	out, mended := JSON([]byte(text), []finding.Finding{{Rule: "a/words"}, rename, add})
	if string(out) != `{"password":1}` || len(mended) != 1 || mended[0].Rule != "a/rename" {
		t.Errorf("%s, %v", out, mended)
	}
	broken := found(at(13, 13, "}"))
	if out, mended := JSON([]byte(text), []finding.Finding{broken}); string(out) != text || len(mended) != 0 {
		t.Errorf("%s, %v", out, mended)
	}
}
