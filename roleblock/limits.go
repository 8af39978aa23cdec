package roleblock

import "fmt"

// Volume is an amount of YAML. Tokens are counted before parsing, and generously: every line break and every character
// that can begin a key, value or item is one.
type Volume struct{ Bytes, Tokens int }

// Limits bound what the lint takes in, so that a hostile tree ends soon and with a finding (role/too-large). Zero fields
// stand for those of DefaultLimits.
type Limits struct {
	File     Volume // of one YAML file
	Tree     Volume // of all YAML files together
	Depth    int    // nesting of one file, flow and block collections counted apart
	Roles    int    // directories under roles/
	Findings int    // kept; of the rest only the number is told
}

// DefaultLimits are ten times what the largest known estates need.
var DefaultLimits = Limits{
	File:     Volume{Bytes: 1 << 20, Tokens: 60_000},
	Tree:     Volume{Bytes: 64 << 20, Tokens: 6_000_000},
	Depth:    500,
	Roles:    5_000,
	Findings: 100_000,
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	for _, f := range []struct{ value, fallback *int }{
		{&l.File.Bytes, &d.File.Bytes}, {&l.File.Tokens, &d.File.Tokens},
		{&l.Tree.Bytes, &d.Tree.Bytes}, {&l.Tree.Tokens, &d.Tree.Tokens},
		{&l.Depth, &d.Depth}, {&l.Roles, &d.Roles}, {&l.Findings, &d.Findings},
	} {
		if *f.value <= 0 {
			*f.value = *f.fallback
		}
	}
	return l
}

// maxTagDirectives bounds the %TAG lines of a file: the library's time grows with the square of their number.
const maxTagDirectives = 16

var tagDirective = []byte("%TAG")

// maxMergeSteps bounds the work of expanding the merge keys of one file: chains of them would multiply it.
const maxMergeSteps = 200_000

// volume counts what data holds.
func volume(data []byte) Volume {
	v := Volume{Bytes: len(data)}
	for i, c := range data {
		switch c {
		case '\n', '\r', ',', ':', '[', '{', '?':
			v.Tokens++
		case ' ', '\t':
			if i > 0 && data[i-1] == '-' { // the dash of a list item
				v.Tokens++
			}
		}
	}
	return v
}

// exceeds says how v is beyond limit, or nothing.
func (v Volume) exceeds(limit Volume) string {
	switch {
	case v.Bytes > limit.Bytes:
		return fmt.Sprintf("more than %d bytes", limit.Bytes)
	case v.Tokens > limit.Tokens:
		return fmt.Sprintf("more than %d keys, values and lines", limit.Tokens)
	}
	return ""
}
