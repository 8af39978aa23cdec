package roleblock

import (
	"slices"
	"strings"
)

// block is the mapping that describes a role's MCP service, as a view on the document it is in.
type block struct {
	*document
	*fields
	wrapper  *pair  // the key "mcp", where the block is under one
	siblings []pair // keys beside it

	classification, direction, transport, exposure, auth, subject, implementation choice
	sections                                                                      map[string]*section
}

// state is what is known about a value. Undetermined ones are templated or invalid: a rule of their own says so, and no
// other rule builds on them.
type state uint8

const (
	absent state = iota
	undetermined
	known
)

// choice is a key with a word from a vocabulary.
type choice struct {
	state state
	text  string // the scalar as it is written, also where it is invalid
	pair
}

// is reports whether the value is known to be one of the words.
func (c choice) is(words ...string) bool { return c.state == known && slices.Contains(words, c.text) }

// choose reads a key whose value is one of the words.
func (f *fields) choose(name string, words ...string) choice {
	p, ok := f.get(name)
	if !ok {
		return choice{}
	}
	c := choice{state: undetermined, pair: p}
	if p.value.kind == scalar {
		c.text = p.value.text
	}
	if p.value.isString() && slices.Contains(words, p.value.text) {
		c.state = known
	}
	return c
}

// section is one of the mappings in a block.
type section struct {
	name string
	pair
	present bool
	*fields // nil unless it is a mapping
}

// open reports whether there is a mapping to judge.
func (s *section) open() bool { return s.fields != nil }

// missing reports whether a key is absent or has no value to speak of: null, a blank string, or no scalar.
func (s *section) missing(name string) bool {
	p, ok := s.get(name)
	return !ok || !p.value.templated() && (p.value.kind != scalar || p.value.isNull() || p.value.isBlank())
}

// missingOf returns those of the keys that are missing.
func (s *section) missingOf(names []string) []string {
	var out []string
	for _, name := range names {
		if s.missing(name) {
			out = append(out, name)
		}
	}
	return out
}

// literal returns a key whose value is there and is not templated.
func (s *section) literal(name string) (pair, bool) {
	if !s.open() || s.missing(name) {
		return pair{}, false
	}
	p, _ := s.get(name)
	return p, !p.value.templated()
}

// word returns the value of a key if it is one of the words, or nothing.
func (s *section) word(name string, words []string) string {
	if p, ok := s.literal(name); ok && p.value.isString() && slices.Contains(words, p.value.text) {
		return p.value.text
	}
	return ""
}

// text returns the trimmed text of a literal, or nothing.
func (s *section) text(name string) string {
	if p, ok := s.literal(name); ok {
		return strings.TrimSpace(p.value.text)
	}
	return ""
}

// readBlock finds the block of a document. It returns nil where the document holds none: the root, or the value of the
// key mcp, is neither a mapping nor null.
func readBlock(d *document) *block {
	b := &block{document: d, fields: &fields{}}
	root := d.root
	if root != nil && root.kind == mapping && !root.templated() {
		top := d.expand(root)
		if p, ok := top.get("mcp"); ok {
			b.wrapper = &p
			for _, other := range top.pairs {
				if other != p {
					b.siblings = append(b.siblings, other)
				}
			}
			root = p.value.node
		}
	}
	switch {
	case root == nil || root.isNull():
	case root.kind == mapping && !root.templated():
		b.fields = d.expand(root)
	default:
		return nil
	}
	b.read()
	return b
}

func (b *block) read() {
	b.classification = b.choose("classification", slices.Concat(deployable, auditOnly)...)
	b.direction = b.choose("direction", directions...)
	b.transport = b.choose("transport", transports...)
	b.exposure = b.choose("exposure", exposures...)
	b.auth = b.choose("auth", auths...)
	b.subject = b.choose("auth_subject", authSubjects...)
	b.implementation = b.choose("implementation", implementations...)
	b.sections = map[string]*section{}
	for _, keys := range sectionKeys {
		s := &section{name: keys.name}
		s.pair, s.present = b.get(keys.name)
		if s.present && s.value.kind == mapping && !s.value.templated() {
			s.fields = b.expand(s.value.node)
		}
		b.sections[keys.name] = s
	}
}

// deployable reports whether the classification is one that a role is deployed with.
func (b *block) deployable() bool { return b.classification.is(deployable...) }

// serves reports whether the block is server-capable, consumes whether it is client-capable.
func (b *block) serves() bool   { return b.direction.is("server", "both") }
func (b *block) consumes() bool { return b.direction.is("client", "both") }
