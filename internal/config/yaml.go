package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/azphalt/submissions/internal/source"
)

// parse returns the value of the file: nil where it is empty or can't be read.
func (f *faults) parse() *node {
	if !f.readable() {
		return nil
	}
	first, second, err := load(f.text.Bytes())
	b := builder{f, newPlaces(f.text.Bytes())}
	switch {
	case err != nil:
		b.unreadable(err)
		return nil
	case first == nil || len(first.Content) == 0:
		return nil
	}
	root := b.build(first.Content[0])
	if second != nil {
		at := b.find(second.Line, second.Column)
		f.add(syntax, span{at, lineEnd(f.text.Bytes(), at)}, say("keep one document and delete the rest"), "a second YAML document begins here")
	}
	return root
}

// load returns the first two documents of data.
func load(data []byte) (first, second *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library gave up: %v", r)
		}
	}()
	depth := loaderlimits.New(loaderlimits.DepthFunc(func(n int, _ *yaml.DepthContext) error {
		if n > maxDepth {
			return fmt.Errorf("nested more than %d levels deep", maxDepth)
		}
		return nil
	}))
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithV4Defaults(), yaml.WithUniqueKeys(false), yaml.WithPlugin(depth))
	if err != nil {
		return nil, nil, err
	}
	var documents [2]*yaml.Node
	for i := range documents {
		var n yaml.Node
		if err := loader.Load(&n); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, err
		}
		documents[i] = &n
	}
	return documents[0], documents[1], nil
}

// builder makes nodes of the library's, in the order of the file, and refuses what the file has no use for.
type builder struct {
	*faults
	*places
}

func (b builder) build(y *yaml.Node) *node {
	start := b.find(y.Line, y.Column)
	n := &node{at: span{start, min(start+1, len(b.data))}}
	bare := b.bare(y, start)
	switch y.Kind {
	case yaml.ScalarNode:
		if !bare {
			return n
		}
		n.kind, n.tag, n.text = scalar, y.Tag, y.Value
		n.plain = y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		n.at.end, n.whole = b.scalarEnd(y, start)
	case yaml.SequenceNode:
		n.kind = sequence
		for _, item := range y.Content {
			n.items = append(n.items, b.build(item))
		}
	case yaml.MappingNode:
		n.kind = mapping
		for i := 0; i+1 < len(y.Content); i += 2 {
			n.pairs = append(n.pairs, b.pair(y.Content[i], y.Content[i+1]))
		}
		if len(n.pairs) > 0 && n.pairs[0].key.at.start == start { // no bracket stands before it
			n.at = n.pairs[0].key.at
		}
		b.unique(n)
	}
	return n
}

// bare refuses aliases, anchors and tags.
func (b builder) bare(y *yaml.Node, start int) bool {
	at := span{start, tokenEnd(b.data, start)}
	switch {
	case y.Kind == yaml.AliasNode:
		b.add(syntax, at, say("write the value out; put a value that begins with * in quotes"), "a YAML alias: the file may hold none")
	case y.Anchor != "":
		b.add(syntax, at, say("delete it; put a value that begins with & in quotes"), "a YAML anchor: the file may hold none")
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		b.add(syntax, at, say("delete it; put a value that begins with ! in quotes"), "a YAML tag: the file may hold none")
	default:
		return true
	}
	return false
}

// scalarEnd returns where the token of a scalar ends, or its first line where the token goes on beyond that.
func (b builder) scalarEnd(y *yaml.Node, start int) (end int, whole bool) {
	switch {
	case y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quotedEnd(b.data, start), true
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && bytes.HasPrefix(b.data[start:], []byte(y.Value)):
		return start + len(y.Value), true
	}
	return lineEnd(b.data, start), false
}

func (b builder) pair(y, value *yaml.Node) pair {
	p := pair{key: b.build(y)}
	switch {
	case p.key.kind == scalar && y.Tag == "!!merge":
		b.add(syntax, p.key.at, say("write the keys out"), "a YAML merge key: the file may hold none")
		p.key.kind = faulty
	case p.key.kind == mapping || p.key.kind == sequence:
		b.add(syntax, p.key.at, say("write a word, a colon and the value"), "a key that is no word")
		p.key.kind = faulty
	}
	p.value = b.build(value)
	if p.value.empty() && p.value.text == "" {
		p.value.at = p.key.at
	}
	return p
}

// unique reports the keys that a mapping has twice.
func (b builder) unique(n *node) {
	seen := map[string]span{}
	for _, p := range n.pairs {
		if p.key.kind != scalar {
			continue
		}
		if first, ok := seen[p.key.text]; ok {
			line, _ := b.text.Position(first.start)
			b.add(syntax, p.key.at, say("keep one of the two"), "the key %s is given twice, first on line %d", quote(p.key.text), line)
			continue
		}
		seen[p.key.text] = p.key.at
	}
}

// unreadable reports what the library could not read.
func (b builder) unreadable(err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) || load.Mark.Line == 0 {
		b.add(syntax, span{0, min(1, len(b.data))}, say("write it more simply"), "the file can't be read as YAML: %s", source.Visible(err.Error()))
		return
	}
	offset, mark := b.find(load.Mark.Line, load.Mark.Column), load.Mark
	message := load.Message
	if context := load.ContextMark; load.ContextMsg != "" && context.Line > 0 && context.Line < mark.Line {
		message = fmt.Sprintf("%s %s that begins on line %d", message, load.ContextMsg, context.Line)
		if offset == len(b.data) { // what is never closed is of more use than the end
			offset = b.find(context.Line, context.Column)
		}
	}
	at := b.character(offset)
	message, mend := explain(b.data[at.start:], message)
	b.add(syntax, at, say("%s", mend), "%s", message)
}

// character returns the span of the character at an offset, or of the last one before it where the line or the file ends.
func (b builder) character(offset int) span {
	if offset = min(offset, len(b.data)); offset == lineEnd(b.data, offset) {
		offset = max(0, len(bytes.TrimRight(b.data[:offset], " \t\r\n"))-1)
		for offset > 0 && !utf8.RuneStart(b.data[offset]) {
			offset--
		}
	}
	_, size := utf8.DecodeRune(b.data[offset:])
	return span{offset, offset + size}
}

// explain puts the library's message about what stands at a place into words of help.
func explain(at []byte, message string) (string, string) {
	switch {
	case bytes.HasPrefix(at, []byte("\t")):
		return "a tab: YAML allows none before a key or a value", "indent with spaces"
	case bytes.HasPrefix(at, []byte("*")):
		return "a YAML alias: the file may hold none", "put a value that begins with * in quotes"
	case strings.HasPrefix(message, "nested"):
		return "the file is " + message, "write it more simply"
	case strings.HasPrefix(message, "found character that cannot start"):
		return "no value can begin with this character", "put the value in quotes"
	case strings.HasPrefix(message, "mapping values are not allowed"):
		return "this is not YAML: no key is expected here", "check the indentation; put a value with a colon in quotes"
	}
	return "this is not YAML: " + source.Visible(message), "check quotes, brackets and indentation"
}
