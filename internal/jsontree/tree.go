// Package jsontree parses JSON into a compact tree in which every value knows its place, and reports everything that two
// parsers could read differently: duplicate names, a byte order mark, bytes that are not UTF-8, data after the value.
//
// The tree keeps all members of an object, in order, repeated names included, so that nothing can hide behind a
// duplicate. Names are matched exactly: no case folding.
package jsontree

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/azphalt/submissions/internal/source"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value.
type Kind byte

// The kinds. Invalid is that of a value which is not there.
const (
	Invalid Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the kind in words, with its article.
func (k Kind) String() string { return kindNames[k] }

// node is one value or member name; the nodes of a tree stand in the order of the text. A member's name is followed by
// its value.
type node struct {
	start, end uint32 // bytes of the text
	next       uint32 // index of the node after this one and all that it contains
	parent     uint32 // index of the array or object around it; the root is its own
	ordinal    uint32 // how many nodes the parent has directly before it: in an object, names are even and values odd
	kind       Kind
}

// Doc is a parsed text.
type Doc struct {
	text  *source.Text
	nodes []node
	depth int

	near    sync.Once
	nearest []uint32 // see pointed
}

// Text returns the text and its places.
func (d *Doc) Text() *source.Text { return d.text }

// Depth returns the greatest number of arrays and objects around a value, itself included.
func (d *Doc) Depth() int { return d.depth }

// Root returns the outermost value; it does not exist where the text is not JSON.
func (d *Doc) Root() Value {
	if len(d.nodes) == 0 {
		return Value{}
	}
	return Value{doc: d}
}

// Parse reads one JSON value. Where the text is not JSON, the document has no root; problems that leave a readable tree
// are reported beside it. The text must be shorter than 4 GiB.
func Parse(data []byte) (*Doc, []Problem) {
	b := builder{doc: &Doc{text: source.New(data)}}
	b.checkEncoding(data)
	if !b.read(data) {
		b.doc.nodes = nil
		return b.doc, b.problems
	}
	b.findDuplicates()
	return b.doc, b.problems
}

// builder grows a tree.
type builder struct {
	doc      *Doc
	problems []Problem
	open     []frame // the arrays and objects that are not closed yet
}

// frame is an open array or object: its index, and the number of its direct nodes so far.
type frame struct{ at, children uint32 }

// read parses all of data and reports whether it is one JSON value.
func (b *builder) read(data []byte) bool {
	skip := len(data) - len(trimBOM(data))
	dec := jsontext.NewDecoder(strings.NewReader(string(data[skip:])),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for len(b.doc.nodes) == 0 || len(b.open) > 0 {
		if err := b.next(dec, skip); err != nil {
			b.syntax(err, skip, len(data), dec.StackDepth())
			return false
		}
	}
	end := skip + int(dec.InputOffset())
	if rest := strings.TrimLeft(string(data[end:]), " \t\r\n"); rest != "" {
		b.add(TrailingData, len(data)-len(rest), len(data), "")
		return false
	}
	return true
}

// next appends the next token to the tree.
func (b *builder) next(dec *jsontext.Decoder, skip int) error {
	var start int
	var kind Kind
	switch dec.PeekKind() {
	case '{', '[', '}', ']':
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		start = skip + int(dec.InputOffset()) - 1
		switch tok.Kind() {
		case '{':
			kind = Object
		case '[':
			kind = Array
		default:
			b.close(start + 1)
			return nil
		}
	default:
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		start = skip + int(dec.InputOffset()) - len(raw)
		kind = scalarKind(raw[0])
	}
	b.push(node{start: uint32(start), end: uint32(skip + int(dec.InputOffset())), kind: kind})
	return nil
}

// push appends a node to what is open, and opens it where it can contain others.
func (b *builder) push(n node) {
	at := uint32(len(b.doc.nodes))
	n.next = at + 1
	if last := len(b.open) - 1; last >= 0 {
		n.parent, n.ordinal = b.open[last].at, b.open[last].children
		b.open[last].children++
	}
	b.doc.nodes = append(b.doc.nodes, n)
	if n.kind == Array || n.kind == Object {
		b.open = append(b.open, frame{at: at})
		b.doc.depth = max(b.doc.depth, len(b.open))
	}
}

// close ends the innermost open array or object.
func (b *builder) close(end int) {
	last := len(b.open) - 1
	n := &b.doc.nodes[b.open[last].at]
	n.end, n.next = uint32(end), uint32(len(b.doc.nodes))
	b.open = b.open[:last]
}

func scalarKind(first byte) Kind {
	switch first {
	case 'n':
		return Null
	case 'f':
		return False
	case 't':
		return True
	case '"':
		return String
	default:
		return Number
	}
}

// syntax turns the decoder's error into a problem.
func (b *builder) syntax(err error, skip, size, depth int) {
	var syn *jsontext.SyntacticError
	switch {
	case depth >= MaxDepth:
		at := skip + int(b.doc.nodes[len(b.doc.nodes)-1].end)
		b.add(TooDeep, at-1, at, "")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		b.add(Syntax, size, size, "the text ends too early")
	case errors.As(err, &syn):
		at := min(skip+int(syn.ByteOffset), size)
		b.problems = slices.DeleteFunc(b.problems, func(p Problem) bool { return p.Code == NotUTF8 && p.Start == at }) // one fault, said once
		b.add(Syntax, at, min(at+1, size), b.describe(syn, at))
	default:
		b.add(Syntax, size, size, source.Visible(err.Error()))
	}
}

// describe puts a syntax error into words; those that people make most often get words of their own.
func (b *builder) describe(syn *jsontext.SyntacticError, at int) string {
	text := b.doc.text.Bytes()
	rest := text[at:]
	after := bytes.TrimLeft(rest[min(1, len(rest)):], " \t\r\n")
	switch {
	case at < 2 && isUTF16(text):
		return "it is UTF-16, and JSON is UTF-8"
	case bytes.HasPrefix(rest, []byte(",")) && len(after) > 0 && (after[0] == '}' || after[0] == ']'):
		return "a comma stands before the closing bracket"
	case bytes.HasPrefix(rest, []byte("/")):
		return "JSON knows no comments"
	default:
		return source.Visible(syn.Err.Error())
	}
}
