// Package wat assembles modules of the examples and tests from WebAssembly's text format. It knows the part of the format
// that these need: imported functions, and functions, memories and exports of the module's own.
package wat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The sections that are written, and the kinds of things that are imported and exported.
const (
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionMemory   = 5
	sectionExport   = 7
	sectionCode     = 10

	kindFunction = 0
	kindMemory   = 2
)

// module is a module in the making: the entries of its sections.
type module struct {
	types, imports, functions, memories, exports, code [][]byte
}

// Assemble returns the binary of a module.
func Assemble(text string) ([]byte, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(root) == 0 || root[0].atom != "module" {
		return nil, errors.New("want (module …)")
	}
	var m module
	for _, field := range root[1:] {
		if err := m.field(field.list); err != nil {
			return nil, err
		}
	}
	return m.bytes(), nil
}

func (m *module) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id      byte
		entries [][]byte
	}{
		{sectionType, m.types}, {sectionImport, m.imports}, {sectionFunction, m.functions}, {sectionMemory, m.memories},
		{sectionExport, m.exports}, {sectionCode, m.code},
	} {
		if len(s.entries) > 0 {
			out = append(append(out, s.id), sized(vector(s.entries))...)
		}
	}
	return out
}

func (m *module) field(list []node) error {
	switch name := head(list); name {
	case "import":
		return m.addImport(list[1:])
	case "func":
		return m.addFunction(list[1:])
	case "memory":
		return m.addMemory(list[1:])
	default:
		return fmt.Errorf("there is no field %q", name)
	}
}

// addImport adds (import "MODULE" "NAME" (func …)).
func (m *module) addImport(list []node) error {
	if len(list) != 3 || head(list[2].list) != "func" {
		return errors.New(`want (import "MODULE" "NAME" (func …))`)
	}
	typ, _, rest, err := m.signature(list[2].list[1:])
	if err != nil || len(rest) > 0 {
		return fmt.Errorf("the imported function %q: %w", list[1].text, err)
	}
	m.imports = append(m.imports, slices.Concat(name(list[0].text), name(list[1].text), []byte{kindFunction}, number(typ)))
	return nil
}

// addFunction adds (func (export "NAME")* (param …)* (result …)* INSTRUCTION*).
func (m *module) addFunction(list []node) error {
	typ, exports, body, err := m.signature(list)
	if err != nil {
		return err
	}
	m.export(exports, kindFunction, len(m.imports)+len(m.functions))
	m.functions = append(m.functions, number(typ))
	code := []byte{0} // no local variables
	for len(body) > 0 {
		var in []byte
		if in, body, err = instruction(body); err != nil {
			return err
		}
		code = append(code, in...)
	}
	const end = 0x0b
	m.code = append(m.code, sized(append(code, end)))
	return nil
}

// addMemory adds (memory (export "NAME")* PAGES).
func (m *module) addMemory(list []node) error {
	_, exports, rest, err := m.signature(list)
	if err != nil || len(rest) != 1 {
		return fmt.Errorf("want (memory PAGES): %w", err)
	}
	pages, err := strconv.Atoi(rest[0].atom)
	if err != nil {
		return err
	}
	m.export(exports, kindMemory, len(m.memories))
	m.memories = append(m.memories, append([]byte{0}, number(pages)...)) // no maximum
	return nil
}

func (m *module) export(names []string, kind byte, index int) {
	for _, n := range names {
		m.exports = append(m.exports, slices.Concat(name(n), []byte{kind}, number(index)))
	}
}

// signature takes exports, parameters and results from the front of a list, and adds the type that they make.
func (m *module) signature(list []node) (typ int, exports []string, rest []node, err error) {
	params, results := []byte{}, []byte{}
	for ; len(list) > 0 && list[0].list != nil; list = list[1:] {
		switch part := list[0].list; head(part) {
		case "export":
			exports = append(exports, part[len(part)-1].text)
		case "param":
			params, err = valueTypes(params, part[1:])
		case "result":
			results, err = valueTypes(results, part[1:])
		default:
			err = fmt.Errorf("there is no (%s …) here", head(part))
		}
		if err != nil {
			return 0, nil, nil, err
		}
	}
	const function = 0x60
	entry := slices.Concat([]byte{function}, sized(params), sized(results))
	for i, t := range m.types {
		if string(t) == string(entry) {
			return i, exports, list, nil
		}
	}
	m.types = append(m.types, entry)
	return len(m.types) - 1, exports, list, nil
}

func valueTypes(out []byte, names []node) ([]byte, error) {
	types := map[string]byte{"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c}
	for _, n := range names {
		t, ok := types[n.atom]
		if !ok {
			return nil, fmt.Errorf("there is no type %q", n.atom)
		}
		out = append(out, t)
	}
	return out, nil
}

// instruction takes one from the front of a body.
func instruction(body []node) (code []byte, rest []node, err error) {
	plain := map[string]byte{"unreachable": 0x00, "nop": 0x01, "return": 0x0f, "drop": 0x1a, "i32.add": 0x6a}
	numbered := map[string]byte{"call": 0x10, "local.get": 0x20, "i32.const": 0x41}
	name := body[0].atom
	if op, ok := plain[name]; ok {
		return []byte{op}, body[1:], nil
	}
	op, ok := numbered[name]
	if !ok || len(body) < 2 {
		return nil, nil, fmt.Errorf("there is no instruction %q", name)
	}
	n, err := strconv.Atoi(body[1].atom)
	if err != nil || n < 0 || n > 63 { // one byte, signed or not
		return nil, nil, fmt.Errorf("%s: %q is no number that fits", name, body[1].atom)
	}
	return []byte{op, byte(n)}, body[2:], nil
}

func number(n int) []byte      { return binary.AppendUvarint(nil, uint64(n)) }
func sized(data []byte) []byte { return append(number(len(data)), data...) }
func name(s string) []byte     { return sized([]byte(s)) }

func vector(entries [][]byte) []byte {
	return append(number(len(entries)), slices.Concat(entries...)...)
}

// node is a part of the text: a list, a string or a word.
type node struct {
	list []node // not nil for a list
	text string
	atom string
}

// head is the word that a list starts with.
func head(list []node) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].atom
}

// parse reads one list.
func parse(text string) ([]node, error) {
	p := parser{rest: text}
	n, err := p.node()
	if err == nil && p.skip() != "" {
		err = fmt.Errorf("text after the module: %q", p.rest)
	}
	return n.list, err
}

type parser struct{ rest string }

// skip passes over white space and comments and returns what follows.
func (p *parser) skip() string {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\r\n")
		if !strings.HasPrefix(p.rest, ";;") {
			return p.rest
		}
		_, p.rest, _ = strings.Cut(p.rest, "\n")
	}
}

func (p *parser) node() (node, error) {
	rest := p.skip()
	switch {
	case rest == "":
		return node{}, errors.New("the text ends too early")
	case rest[0] == '(':
		p.rest = rest[1:]
		n := node{list: []node{}}
		for !strings.HasPrefix(p.skip(), ")") {
			part, err := p.node()
			if err != nil {
				return n, err
			}
			n.list = append(n.list, part)
		}
		p.rest = p.rest[1:]
		return n, nil
	case rest[0] == '"':
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return node{}, fmt.Errorf("a string without end: %q", rest)
		}
		p.rest = rest[len(quoted):]
		text, err := strconv.Unquote(quoted)
		return node{text: text}, err
	}
	end := strings.IndexAny(rest, " \t\r\n()\"")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return node{}, errors.New("a parenthesis too many")
	}
	p.rest = rest[end:]
	return node{atom: rest[:end]}, nil
}
