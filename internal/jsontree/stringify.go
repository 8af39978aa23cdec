package jsontree

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Stringify writes a value as JSON.stringify(JSON.parse(text), null, 2) does, byte for byte: of a repeated name the last
// value at the first place, array-index-like names first in numeric order, numbers as ECMAScript prints doubles. This is
// the form in which the format stores manifest.json ("Reproducible writing").
//
// Extra members are written last, after those of the outermost object, of which the names in drop are left out. Nesting
// makes the result far larger than the text, so it ends, and ok is false, where it would be longer than limit bytes.
func Stringify(v Value, limit int, drop []string, extra ...Field) (out []byte, ok bool) {
	w := stringifier{limit: limit}
	w.document(v, drop, extra)
	return w.out, len(w.out) <= limit
}

func (w *stringifier) document(v Value, drop []string, extra []Field) {
	if v.Is(Object) {
		w.object(v, drop, extra)
		return
	}
	w.value(v)
}

func (w *stringifier) object(v Value, drop []string, extra []Field) {
	members := slices.DeleteFunc(ordered(v), func(m Member) bool { return slices.Contains(drop, m.Name()) })
	w.open('{')
	for i, m := range members {
		w.item(i)
		w.name(m.Name())
		w.value(m.Value)
	}
	for i, f := range extra {
		w.item(len(members) + i)
		w.name(f.Name)
		w.strings(f.Strings)
	}
	w.close('}', len(members)+len(extra))
}

func (w *stringifier) name(s string) {
	w.string(s)
	w.out = append(w.out, ": "...)
}

// StringifyPairs writes an object of strings as JSON.stringify(…, null, 2) does.
func StringifyPairs(pairs []Pair) []byte {
	w := stringifier{}
	w.strings(pairs)
	return w.out
}

// Field is an object of strings to be written under a name.
type Field struct {
	Name    string
	Strings []Pair
}

// Pair is a name and its string.
type Pair struct{ Name, Value string }

type stringifier struct {
	out    []byte
	indent int
	limit  int
}

func (w *stringifier) open(c byte) {
	w.out = append(w.out, c)
	w.indent += 2
}

func (w *stringifier) item(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
	w.newline()
}

func (w *stringifier) close(c byte, items int) {
	w.indent -= 2
	if items > 0 {
		w.newline()
	}
	w.out = append(w.out, c)
}

func (w *stringifier) newline() {
	w.out = append(w.out, '\n')
	for range w.indent {
		w.out = append(w.out, ' ')
	}
}

func (w *stringifier) value(v Value) {
	if len(w.out) > w.limit {
		return
	}
	switch v.Kind() {
	case Object:
		w.object(v, nil, nil)
	case Array:
		n := 0
		w.open('[')
		for i, e := range v.Elements() {
			w.item(i)
			w.value(e)
			n++
		}
		w.close(']', n)
	case String:
		w.string(v.Str())
	case Number:
		w.out = appendNumber(w.out, parseNumber(v.Raw()))
	default:
		w.out = append(w.out, v.Raw()...)
	}
}

func (w *stringifier) strings(pairs []Pair) {
	w.open('{')
	for i, p := range pairs {
		w.item(i)
		w.name(p.Name)
		w.string(p.Value)
	}
	w.close('}', len(pairs))
}

// string writes a string as JSON.stringify does: short escapes, control characters and lone surrogates as \u with
// lower-case digits, everything else raw.
func (w *stringifier) string(s string) {
	w.out = append(w.out, '"')
	for i := 0; i < len(s); {
		r, size := decodeRune(s[i:])
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r < 0x20:
			if c := strings.IndexByte("\b\f\n\r\t", byte(r)); c >= 0 {
				w.out = append(w.out, '\\', "bfnrt"[c])
			} else {
				w.escape(r)
			}
		case utf16.IsSurrogate(r):
			w.escape(r)
		default:
			w.out = append(w.out, s[i:i+size]...)
		}
		i += size
	}
	w.out = append(w.out, '"')
}

func (w *stringifier) escape(r rune) {
	const digits = "0123456789abcdef"
	w.out = append(w.out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// ordered returns the members of an object as JavaScript enumerates its properties: those whose name looks like an array
// index first, by number, then the others by first appearance; of a repeated name, the last value.
func ordered(object Value) []Member {
	var members []Member
	at := map[string]int{}
	for m := range object.Members() {
		if i, ok := at[m.Name()]; ok {
			members[i].Value = m.Value
			continue
		}
		at[m.Name()] = len(members)
		members = append(members, m)
	}
	slices.SortStableFunc(members, func(a, b Member) int { return CompareIndexLike(a.Name(), b.Name()) })
	return members
}

// CompareIndexLike orders names as JavaScript enumerates property names, for a stable sort of names in the order of their
// first appearance: array indexes ("0" to "4294967294") by number, before all others.
func CompareIndexLike(a, b string) int {
	i, aIsIndex := arrayIndex(a)
	j, bIsIndex := arrayIndex(b)
	switch {
	case aIsIndex && bIsIndex:
		return cmp.Compare(i, j)
	case aIsIndex:
		return -1
	case bIsIndex:
		return 1
	default:
		return 0
	}
}

func arrayIndex(s string) (uint32, bool) {
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n < 1<<32-1
}
