// Package finding holds the one type that every part of the project speaks: a fault with its rule, its place and its
// mend, and the report that gathers them.
//
// Positions are 1-based. Only a line feed ends a line (a CR before it belongs to the line, a lone CR ends nothing), as in
// a GitHub diff. Columns count Unicode code points, a tab being one; an end is exclusive. The zero Range means that there
// is no place within the file.
package finding

import (
	"cmp"
	"slices"
)

// Range is a place in a text.
type Range struct {
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"endLine,omitempty"`
	EndColumn int `json:"endColumn,omitempty"`
}

// IsZero reports whether r names no place.
func (r Range) IsZero() bool { return r.Line == 0 }

// Edit replaces the text at its range by Text.
type Edit struct {
	Range
	Text string `json:"text"`
}

// Fix is a mend: words for a person and, where it is certain, the edits that carry it out. Edits do not overlap, are in
// order of position, and are all meant for the file of the finding.
type Fix struct {
	Description string `json:"description"`
	Edits       []Edit `json:"edits,omitempty"`
}

// Excerpt is the line a finding is on, ready to be shown: secrets are masked, control characters made visible, and a long
// line cut down to the neighbourhood of the fault.
type Excerpt struct {
	Text      string // never holds a line break
	Column    int    // where the caret starts in Text, in code points from 1
	EndColumn int    // exclusive; greater than Column
}

// Place is a second spot at which a finding can be shown.
type Place struct {
	File string `json:"file"`
	Range
}

// Finding is one fault.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`

	// File is the path in the repository, with forward slashes; Entry the name inside the archive, where File is one.
	File  string `json:"file"`
	Entry string `json:"entry,omitempty"`
	// Pointer is the RFC 6901 pointer of the JSON value, where there is one.
	Pointer string `json:"pointer,omitempty"`
	Range

	// Source is the same fault in the source file that the archive was built from, where one with the same content stands
	// beside it.
	Source *Place `json:"source,omitempty"`
	Fix    *Fix   `json:"fix,omitempty"`

	// Excerpt is for the faces of a report that show text; it is not part of the JSON report.
	Excerpt *Excerpt `json:"-"`
}

// Compare orders findings by file, entry, position, rule and then everything else that a reader can see, so that the same
// findings always come in the same order.
func Compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.EndLine, b.EndLine),
		cmp.Compare(a.EndColumn, b.EndColumn),
		cmp.Compare(a.Pointer, b.Pointer),
		cmp.Compare(a.Message, b.Message),
	)
}

// Sort puts findings in order and drops those that say the same thing twice.
func Sort(fs []Finding) []Finding {
	slices.SortStableFunc(fs, Compare)
	return slices.CompactFunc(fs, func(a, b Finding) bool { return Compare(a, b) == 0 })
}

// Worst returns the gravest severity among fs, Off where there are none.
func Worst(fs []Finding) Severity {
	worst := Off
	for _, f := range fs {
		worst = max(worst, f.Severity)
	}
	return worst
}
