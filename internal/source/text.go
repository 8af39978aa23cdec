// Package source finds places in a text: lines and columns of byte offsets, and excerpts that are fit to be shown.
package source

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// blockSize is the distance of the checkpoints at which runes are counted, so that a column costs the same on the last
// byte of a line of four megabytes as on the first.
const blockSize = 1 << 10

// Text is a text whose places can be looked up. It keeps the bytes it was made from.
type Text struct {
	data  []byte
	lines []int // offset of each line's first byte
	runes []int // runes[i] is the number of runes that start before byte i*blockSize
}

// New indexes data, which must not be changed afterwards.
func New(data []byte) *Text {
	t := &Text{data: data, lines: []int{0}}
	for i, n := 0, 0; i < len(data); i += blockSize {
		t.runes = append(t.runes, n)
		block := data[i:min(i+blockSize, len(data))]
		for off := bytes.IndexByte(block, '\n'); off >= 0; {
			t.lines = append(t.lines, i+off+1)
			next := bytes.IndexByte(block[off+1:], '\n')
			if next < 0 {
				break
			}
			off += next + 1
		}
		n += countStarts(block)
	}
	return t
}

// Bytes returns the text.
func (t *Text) Bytes() []byte { return t.data }

// Position returns the 1-based line and column of a byte offset; columns count code points.
func (t *Text) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(t.data)))
	line = sort.SearchInts(t.lines, offset+1)
	return line, t.before(offset) - t.before(t.lines[line-1]) + 1
}

// Range returns the place of the bytes from start up to end.
func (t *Text) Range(start, end int) finding.Range {
	var r finding.Range
	r.Line, r.Column = t.Position(start)
	r.EndLine, r.EndColumn = t.Position(max(start, end))
	return r
}

// Offset returns the byte at a 1-based line and column; ok is false where the text has no such place.
func (t *Text) Offset(line, column int) (offset int, ok bool) {
	if line < 1 || line > len(t.lines) || column < 1 {
		return 0, false
	}
	start, end := t.lines[line-1], len(t.data)
	if line < len(t.lines) {
		end = t.lines[line]
	}
	runes := t.before(start) + column - 1 // that start before the place
	block := max(start/blockSize, sort.SearchInts(t.runes, runes+1)-1)
	offset = max(start, block*blockSize)
	for n := t.before(offset); offset < end; offset++ {
		if utf8.RuneStart(t.data[offset]) {
			if n == runes {
				return offset, true
			}
			n++
		}
	}
	return offset, t.before(offset) == runes && (end == len(t.data) || offset < end)
}

// line returns the bounds of a 1-based line, without its line feed and a carriage return before that.
func (t *Text) line(n int) (start, end int) {
	start, end = t.lines[n-1], len(t.data)
	if n < len(t.lines) {
		end = t.lines[n] - 1
	}
	if end > start && t.data[end-1] == '\r' {
		end--
	}
	return start, end
}

// before counts the runes that start before offset.
func (t *Text) before(offset int) int {
	if len(t.runes) == 0 {
		return 0
	}
	block := min(offset/blockSize, len(t.runes)-1)
	return t.runes[block] + countStarts(t.data[block*blockSize:offset])
}

// countStarts counts the bytes that start a rune: all but UTF-8 continuation bytes.
func countStarts(b []byte) int {
	n := 0
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
