package jsontree

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// Value is a value of a tree. The zero Value is one that is not there; all methods accept it.
type Value struct {
	doc *Doc
	at  uint32
}

// Member is a name of an object and its value.
type Member struct{ Key, Value Value }

// Name returns the decoded name.
func (m Member) Name() string { return m.Key.Str() }

func (v Value) node() node { return v.doc.nodes[v.at] }

// Exists reports whether the value is there.
func (v Value) Exists() bool { return v.doc != nil }

// Kind returns the value's kind, Invalid where there is none.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Invalid
	}
	return v.node().kind
}

// Is reports whether the value has the given kind.
func (v Value) Is(k Kind) bool { return v.Kind() == k }

// Span returns the bytes of the text that the value takes up.
func (v Value) Span() (start, end int) {
	if v.doc == nil {
		return 0, 0
	}
	n := v.node()
	return int(n.start), int(n.end)
}

// Raw returns the value as it is written.
func (v Value) Raw() []byte {
	if v.doc == nil {
		return nil
	}
	start, end := v.Span()
	return v.doc.text.Bytes()[start:end]
}

// Range returns the place of the value.
func (v Value) Range() finding.Range {
	if v.doc == nil {
		return finding.Range{}
	}
	return v.doc.text.Range(v.Span())
}

// Str returns the decoded string, "" for all other kinds. A lone surrogate, which JSON can spell and UTF-8 can't, keeps
// its three bytes of generalised UTF-8, so that strings that differ stay different.
func (v Value) Str() string {
	if !v.Is(String) {
		return ""
	}
	raw := v.Raw()
	return unquote(raw[1 : len(raw)-1])
}

// Empty reports whether the value is missing or one that JavaScript takes for false: null, false, 0, "". The format's
// reference reads such a value as absent.
func (v Value) Empty() bool {
	switch v.Kind() {
	case Invalid, Null, False:
		return true
	case String:
		return len(v.Raw()) == 2
	case Number:
		return isZero(v.Raw())
	default:
		return false
	}
}

// isZero reports whether a JSON number denotes 0, however it is written, or is too small for a double.
func isZero(raw []byte) bool {
	mantissa, _, _ := bytes.Cut(bytes.ToLower(raw), []byte("e"))
	if !bytes.ContainsAny(mantissa, "123456789") {
		return true
	}
	return parseNumber(raw) == 0
}

// Members yields the members of an object in the order of the text.
func (v Value) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if !v.Is(Object) {
			return
		}
		for i, end := v.at+1, v.node().next; i < end; {
			m := Member{Value{v.doc, i}, Value{v.doc, i + 1}}
			i = v.doc.nodes[i+1].next
			if !yield(m) {
				return
			}
		}
	}
}

// Elements yields the elements of an array with their indexes.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if !v.Is(Array) {
			return
		}
		for n, i, end := 0, v.at+1, v.node().next; i < end; n++ {
			e := Value{v.doc, i}
			i = v.doc.nodes[i].next
			if !yield(n, e) {
				return
			}
		}
	}
}

// Len returns the number of elements or members.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case Array:
		for range v.Elements() {
			n++
		}
	case Object:
		for range v.Members() {
			n++
		}
	}
	return n
}

// Member returns the last member of that name, as JavaScript reads a repeated one.
func (v Value) Member(name string) (Member, bool) {
	var found Member
	for m := range v.Members() {
		if m.is(name) {
			found = m
		}
	}
	return found, found.Key.Exists()
}

// is compares a name without decoding it where it is written plainly.
func (m Member) is(name string) bool {
	raw := m.Key.Raw()
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == name
	}
	return m.Name() == name
}

// Get returns the value at a path of names.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		m, _ := v.Member(name)
		v = m.Value
	}
	return v
}

// Pointer returns the RFC 6901 pointer of the value; for a member's name it is that of its value. A pointer that would
// be longer than maxPointer bytes, as hostile names can make it, is that of the nearest ancestor whose pointer is not.
func (v Value) Pointer() string {
	if v.doc == nil {
		return ""
	}
	nodes := v.doc.nodes
	var steps [maxSteps]uint32
	n := 0
	for i := v.doc.pointed(v.at); i != 0; i = nodes[i].parent {
		if e := nodes[i]; nodes[e.parent].kind == Object && e.ordinal&1 == 1 {
			i-- // a member's value: its name stands before it
		}
		steps[n] = i
		n++
	}
	var pointer []byte
	for k := n - 1; k >= 0; k-- {
		i := steps[k]
		e := nodes[i]
		step := strconv.Itoa(int(e.ordinal))
		if nodes[e.parent].kind == Object {
			if e.end-e.start > 6*maxPointer { // an escape of six bytes may stand for one
				break
			}
			step = pointerEscaper.Replace(Value{v.doc, i}.Str())
		}
		if len(pointer)+1+len(step) > maxPointer {
			break
		}
		pointer = append(append(pointer, '/'), step...)
	}
	return string(pointer)
}

// maxPointer keeps the sum of all pointers linear in the size of the text.
const maxPointer = 1 << 10

// maxSteps is how many steps fit into a pointer, as a step takes two bytes.
const maxSteps = maxPointer / 2

// pointed returns the nearest node on the way from a node to the root that is not more than maxSteps below it. Where the
// text is deeper than that, all are found at once, so that many pointers into the deep cost no more than others.
func (d *Doc) pointed(node uint32) uint32 {
	if d.depth <= maxSteps {
		return node
	}
	d.near.Do(func() {
		d.nearest = make([]uint32, len(d.nodes))
		steps := make([]uint16, len(d.nodes))
		for i := 1; i < len(d.nodes); i++ { // a parent stands before what is in it
			parent := d.nodes[i].parent
			if steps[i] = min(steps[parent]+1, maxSteps+1); steps[i] > maxSteps {
				d.nearest[i] = d.nearest[parent]
			} else {
				d.nearest[i] = uint32(i)
			}
		}
	})
	return d.nearest[node]
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Walk calls visit for the value and all values below it, outermost first, with the name under which each stands: no
// value for the one it starts from and for elements of arrays. Where visit returns false, what is below is left out.
func (v Value) Walk(visit func(name, value Value) bool) { v.walk(Value{}, visit) }

func (v Value) walk(name Value, visit func(name, value Value) bool) {
	if !v.Exists() || !visit(name, v) {
		return
	}
	for m := range v.Members() {
		m.Value.walk(m.Key, visit)
	}
	for _, e := range v.Elements() {
		e.walk(Value{}, visit)
	}
}
