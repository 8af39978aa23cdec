package roleblock

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// build parses data, which is the document's text up to the second document marker, sets the root and returns the spans
// of the scalars in which a number sign is no comment.
func (d *document) build(data []byte) (opaque []span) {
	first, second, err := load(data, d.maxDepth)
	if err != nil {
		d.syntaxError(data, err)
		return nil
	}
	if first == nil {
		return nil
	}
	b := &builder{document: d, places: newPlaces(data), nodes: map[*yaml.Node]*node{}, anchors: map[string]bool{}}
	for _, content := range first.Content {
		d.root = b.child(content, -1).node
	}
	if second != nil {
		at := b.places.offset(second.Line, second.Column)
		d.severalDocuments(span{at, min(at+1, len(data))})
	}
	return b.opaque
}

// load returns the first two documents of data; the library makes a second one of what follows a "..." line.
func load(data []byte, depth int) (first, second *yaml.Node, err error) {
	deep := false
	defer func() { // a fault of the library's own becomes a finding, too
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library gave up: %v", r)
		}
		if deep {
			err = fmt.Errorf("%w: %w", errTooDeep, err)
		}
	}()
	loader, err := yaml.NewLoader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark))),
		yaml.WithV4Defaults(), yaml.WithUniqueKeys(false), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthFunc(
			func(n int, _ *yaml.DepthContext) error {
				if deep = n > depth; deep {
					return errTooDeep
				}
				return nil
			}))))
	if err != nil {
		return nil, nil, err
	}
	var documents [2]*yaml.Node
	for i := range documents {
		var n yaml.Node
		switch err := loader.Load(&n); {
		case err == io.EOF:
			return documents[0], nil, nil
		case err != nil:
			return nil, nil, err
		}
		documents[i] = &n
	}
	return documents[0], documents[1], nil
}

var errTooDeep = errors.New("nested too deeply")

// builder makes nodes of the library's, in the order of the file.
type builder struct {
	*document
	places  *places
	nodes   map[*yaml.Node]*node
	anchors map[string]bool
	opaque  []span
}

// child converts a node and what is in it. The indent is that of the block collection around it, -1 for none.
func (b *builder) child(y *yaml.Node, indent int) child {
	start := b.places.offset(y.Line, y.Column)
	if y.Kind == yaml.AliasNode {
		return child{b.nodes[y.Alias], span{start, start + len("*") + len(y.Value)}}
	}
	if y.Anchor != "" {
		if b.anchors[y.Anchor] {
			b.fail(yamlSyntax, span{start, start + len("&") + len(y.Anchor)}, fault{
				message: fmt.Sprintf("the anchor %s is defined a second time, which Ansible's reader refuses", quote(y.Anchor)),
				fix:     "give the anchors different names"})
		}
		b.anchors[y.Anchor] = true
	}
	n := &node{text: y.Value, flow: y.Style&yaml.FlowStyle != 0, at: span{start, start + 1}}
	if y.Style&yaml.TaggedStyle != 0 || y.Tag == "!" {
		n.tag = y.Tag
	}
	b.nodes[y] = n
	if y.Kind != yaml.ScalarNode && !n.flow {
		indent = y.Column - 1
	}
	switch y.Kind {
	case yaml.ScalarNode:
		b.scalar(n, y, indent)
	case yaml.SequenceNode:
		n.kind = sequence
		for _, item := range y.Content {
			n.items = append(n.items, b.child(item, indent))
		}
	case yaml.MappingNode:
		n.kind = mapping
		for i := 0; i+1 < len(y.Content); i += 2 {
			p := pair{b.child(y.Content[i], indent), b.child(y.Content[i+1], indent)}
			if p.key.isMerge() {
				b.checkMerge(p)
			}
			n.pairs = append(n.pairs, p)
		}
	}
	return child{n, n.at}
}

func (b *builder) checkMerge(p pair) {
	if p.value.kind == mapping || p.value.kind == sequence && len(mergeSources(p.value)) == len(p.value.items) {
		return
	}
	b.fail(yamlSyntax, p.key.at, fault{
		message: `a merge key "<<" takes a mapping or a list of mappings`, fix: "name an anchored mapping, as in <<: *defaults"})
}

// scalar finds where the token of a scalar begins and ends.
func (b *builder) scalar(n *node, y *yaml.Node, indent int) {
	data := b.text.Bytes()
	start := n.at.start
	if y.Anchor != "" || n.tag != "" {
		start = skipProperties(data, start)
	}
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.quoted, n.at = true, span{start, doubleQuotedEnd(data, start)}
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.quoted, n.at = true, span{start, singleQuotedEnd(data, start)}
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		header := lineEnd(data, start)
		n.quoted, n.at = true, span{start, start + 1}
		b.opaque = append(b.opaque, span{header, blockScalarEnd(data, start, header, indent)})
		return
	default:
		if bytes.HasPrefix(data[min(start, len(data)):], []byte(y.Value)) {
			n.at = span{start, start + len(y.Value)}
		} else { // a plain scalar of several lines
			n.at = span{start, lineEnd(data, start)}
		}
		return
	}
	b.opaque = append(b.opaque, n.at)
}

// places turns the library's lines and columns, which ascend, into offsets. The library ends lines at more characters
// than a diff does, and counts columns in code points.
type places struct {
	data         []byte
	line, column int
	next         int // offset of that line and column
}

func newPlaces(data []byte) *places {
	p := &places{data: data, line: 1, column: 1}
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		p.next = len(byteOrderMark)
	}
	return p
}

func (p *places) offset(line, column int) int {
	if line < p.line || line == p.line && column < p.column {
		*p = *newPlaces(p.data)
	}
	for p.next < len(p.data) && (p.line < line || p.line == line && p.column < column) {
		r, size := utf8.DecodeRune(p.data[p.next:])
		p.next += size
		p.column++
		switch r {
		case '\r':
			if p.next < len(p.data) && p.data[p.next] == '\n' {
				p.next++
			}
			fallthrough
		case '\n', 0x85, 0x2028, 0x2029:
			p.line, p.column = p.line+1, 1
		}
	}
	return p.next
}
