package jsontree

import (
	"bytes"
	"unicode/utf8"
)

// MaxDepth is the nesting at which parsing stops: an array or object inside that many others.
const MaxDepth = 10000

// Code says what is wrong with a text.
type Code int

// The problems. After Syntax, TrailingData and TooDeep there is no tree.
const (
	Syntax        Code = iota // not JSON
	TrailingData              // something follows the value
	TooDeep                   // nested more than MaxDepth levels
	ByteOrderMark             // the text starts with U+FEFF
	NotUTF8                   // bytes that are not UTF-8
	DuplicateName             // an object has a name twice; the place is that of the later one
)

// Problem is one of them, at the bytes from Start up to End.
type Problem struct {
	Code       Code
	Start, End int
	Detail     string // of Syntax: what was expected, in words; of DuplicateName: the name
	Pointer    string // of DuplicateName: the RFC 6901 pointer, which holds for both members
}

func (b *builder) add(code Code, start, end int, detail string) {
	b.problems = append(b.problems, Problem{Code: code, Start: start, End: end, Detail: detail})
}

const byteOrderMark = "\ufeff"

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(byteOrderMark)) }

// checkEncoding reports a byte order mark, and the first bytes that are not UTF-8: what follows them is most often of the
// same make.
func (b *builder) checkEncoding(data []byte) {
	if len(trimBOM(data)) != len(data) {
		b.add(ByteOrderMark, 0, len(byteOrderMark), "")
	}
	if utf8.Valid(data) {
		return
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			b.add(NotUTF8, i, i+1, "")
			return
		}
		i += size
	}
}

// isUTF16 reports whether a text is UTF-16, of either byte order: with its mark, or by the zero in its first character.
func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) || len(text) > 1 && (text[0] == 0 || text[1] == 0)
}

// fewMembers is the size up to which an object's names are compared pair by pair.
const fewMembers = 8

// findDuplicates reports each repetition of a name within its object.
func (b *builder) findDuplicates() {
	for i, n := range b.doc.nodes {
		if n.kind == Object {
			b.duplicatesIn(Value{b.doc, uint32(i)})
		}
	}
}

func (b *builder) duplicatesIn(object Value) {
	var names []string
	var seen map[string]bool
	for m := range object.Members() {
		name := m.Name()
		known := false
		if seen != nil {
			known, seen[name] = seen[name], true
		} else {
			for _, n := range names {
				known = known || n == name
			}
			if names = append(names, name); len(names) > fewMembers {
				seen = make(map[string]bool, 2*len(names))
				for _, n := range names {
					seen[n] = true
				}
			}
		}
		if known {
			start, end := m.Key.Span()
			b.problems = append(b.problems, Problem{DuplicateName, start, end, name, m.Key.Pointer()})
		}
	}
}
