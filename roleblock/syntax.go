package roleblock

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// syntaxError turns what the library says about data, the beginning of the file, into a fault with a place and plain
// words.
func (d *document) syntaxError(data []byte, err error) {
	at := errorPlace(data, err)
	if errors.Is(err, errTooDeep) {
		d.fail(tooLarge, at, fault{message: "the nesting is deeper than " + plural(d.maxDepth, "level"), fix: "flatten it"})
		return
	}
	message, fix := explain(err)
	d.fail(yamlSyntax, at, fault{message: message, fix: fix})
}

// errorPlace is where the library found the fault. Where it read on to the end of the file, or to the next line in search
// of a colon, the place is where it began.
func errorPlace(data []byte, err error) span {
	var at *yaml.LoadError
	if !errors.As(err, &at) || at.Mark.Line == 0 {
		return span{}
	}
	p := newPlaces(data)
	start := p.offset(at.Mark.Line, at.Mark.Column)
	atEnd := len(strings.TrimSpace(string(data[start:]))) == 0
	if at.ContextMark.Line > 0 && (atEnd || strings.Contains(at.Message, "expected ':'")) {
		start = p.offset(at.ContextMark.Line, at.ContextMark.Column)
	}
	for start > 0 && start == len(data) && (data[start-1] == '\n' || data[start-1] == '\r') {
		start--
	}
	return span{start, min(start+1, len(data))}
}

// explanations are plain words for what the library reports, the more special first.
var explanations = []struct{ pattern, message, fix string }{
	{"tab character",
		"a tab is used for indentation",
		"indent with spaces; YAML allows no tabs there"},
	{"unknown anchor",
		"the alias names an anchor that is not defined above it",
		"define the anchor first, or write the value itself"},
	{"unexpected end of stream",
		"a quotation mark is opened here and never closed",
		"close it"},
	{"expected ',' or ']'",
		"a list in brackets is not closed, or lacks a comma",
		"close it with ], and put commas between the items"},
	{"expected ',' or '}'",
		"a mapping in braces is not closed, or lacks a comma",
		"close it with }, and put commas between the pairs"},
	{"expected ':'",
		"this is no key and value: a colon is missing",
		"write key: value"},
	{"mapping values are not allowed",
		"a second key and colon stand where only a value can",
		"put the value into quotes, or start a new line"},
	{"expected key",
		"this does not fit into the mapping around it",
		"check the indentation of this line, and quotes and brackets above it"},
	{"expected '-' indicator",
		"this does not fit into the list around it",
		"check the indentation of this line"},
	{"cannot start any token",
		"a value cannot begin with this character",
		"put the value into quotes, and indent with spaces, not tabs"},
}

func explain(err error) (message, fix string) {
	text := err.Error()
	for _, e := range explanations {
		if strings.Contains(text, e.pattern) {
			return e.message, e.fix
		}
	}
	if at, ok := errors.AsType[*yaml.LoadError](err); ok {
		text = at.Message
	}
	return "the YAML cannot be read: " + quote(text), "correct the line, and check the lines above it"
}
