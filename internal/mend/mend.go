// Package mend carries out the mends of findings on the text that they are about.
package mend

import (
	"cmp"
	"slices"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
)

// edit replaces bytes of the text.
type edit struct {
	start, end int
	text       string
	finding    int // whose edit it is
}

// Apply makes the edits of the findings of one file, and returns the new text with the findings that were mended.
//
// The edits of a finding are made all or none: none where one of them is outside the text, or overlaps an edit of another
// finding that stands before it. Equal edits of several findings are made once, and several insertions at one place stand
// in the order of their findings. Bytes outside the edits stay as they are.
func Apply(text []byte, findings []finding.Finding) (out []byte, mended []finding.Finding) {
	edits, refused := place(source.New(text), findings)
	refuseOverlaps(edits, refused)
	at := 0 // up to which the text is written
	made := map[edit]bool{}
	for _, e := range edits {
		if what := (edit{e.start, e.end, e.text, 0}); !refused[e.finding] && !made[what] {
			out = append(append(out, text[at:e.start]...), e.text...)
			at, made[what] = e.end, true
		}
	}
	for i, f := range findings {
		if !refused[i] {
			mended = append(mended, f)
		}
	}
	return append(out, text[at:]...), mended
}

// place finds the bytes that the edits of the findings are about, in order of position. A finding without edits, or with
// one outside the text, is refused.
func place(text *source.Text, findings []finding.Finding) (edits []edit, refused []bool) {
	refused = make([]bool, len(findings))
	for i, f := range findings {
		refused[i] = f.Fix == nil || len(f.Fix.Edits) == 0
		for k := 0; !refused[i] && k < len(f.Fix.Edits); k++ {
			e := f.Fix.Edits[k]
			start, ok := text.Offset(e.Line, e.Column)
			end, there := text.Offset(e.EndLine, e.EndColumn)
			refused[i] = !ok || !there || end < start
			edits = append(edits, edit{start, end, e.Text, i})
		}
	}
	edits = slices.DeleteFunc(edits, func(e edit) bool { return refused[e.finding] })
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.finding, b.finding))
	})
	return edits, refused
}

// refuseOverlaps refuses the findings of edits that overlap one before them.
func refuseOverlaps(edits []edit, refused []bool) {
	var last edit // of those that stand
	for _, e := range edits {
		switch same := e.start == last.start && e.end == last.end && e.text == last.text; {
		case refused[e.finding] || same:
		case e.start < last.end:
			refused[e.finding] = true
		default:
			last = e
		}
	}
}

// JSON is Apply for a JSON text, which it leaves no worse: where the edits of all findings together would bring in a fault
// of JSON, such as a name that two of them write, those of the first rule are made alone, and none if that is no better.
func JSON(text []byte, findings []finding.Finding) (out []byte, mended []finding.Finding) {
	_, faults := jsontree.Parse(text)
	for _, some := range [][]finding.Finding{findings, firstRule(findings)} {
		out, mended = Apply(text, some)
		if _, left := jsontree.Parse(out); len(left) <= len(faults) {
			return out, mended
		}
	}
	return text, nil
}

// firstRule returns the findings of the rule of the first one that can be mended.
func firstRule(findings []finding.Finding) []finding.Finding {
	rule := ""
	var out []finding.Finding
	for _, f := range findings {
		if f.Fix == nil || len(f.Fix.Edits) == 0 {
			continue
		}
		if rule == "" {
			rule = f.Rule
		}
		if f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}
