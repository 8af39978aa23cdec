package roleblock

import (
	"fmt"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/source"
)

// file is a text of the tree: what findings are placed in. It outlives the nodes that were parsed from it.
type file struct {
	path string // relative to the root, with forward slashes
	text *source.Text
	markers
}

func newFile(path string, data []byte) *file {
	return &file{path: path, text: source.New(data)}
}

// span is a part of a file: the bytes from start up to end.
type span struct{ start, end int }

// place is a span of a certain file.
type place struct {
	file *file
	span
}

func (f *file) at(s span) place { return place{f, s} }

// line returns the 1-based line of an offset.
func (f *file) line(offset int) int {
	line, _ := f.text.Position(offset)
	return line
}

// slice returns the bytes of a span.
func (f *file) slice(s span) []byte { return f.text.Bytes()[s.start:s.end] }

// edit replaces a span by text.
func (f *file) edit(s span, text string) finding.Edit {
	return finding.Edit{Range: f.text.Range(s.start, s.end), Text: text}
}

// quote shows a name or value from the tree in a message.
func quote(s string) string { return source.Quote(s) }

// plural is the English plural of a counted noun that takes an s.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// visible shows a name or value from the tree as it is, but for what could forge or hide something.
func visible(s string) string { return source.Visible(s) }
