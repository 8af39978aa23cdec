package roleblock

import "strings"

// kind is the shape of a node.
type kind uint8

const (
	scalar kind = iota
	mapping
	sequence
)

// node is a value of a YAML document. Aliases are resolved: several parents may share a node, and a node may contain
// itself, so that every walk has to remember where it has been.
type node struct {
	kind   kind
	quoted bool   // a scalar that is not plain: always a string
	flow   bool   // a collection in braces or brackets
	tag    string // written in the file, in short form ("!!str", "!vault"); mostly empty
	text   string // value of a scalar
	at     span   // of a scalar: the token without anchor and tag; of a collection: its first character
	pairs  []pair // of a mapping, as written
	items  []child
}

// child is a node as the value of a key or as an item of a list. Its span is where it stands, which for an alias is not
// where the node is.
type child struct {
	*node
	at span
}

// pair is a key with its value.
type pair struct {
	key   child
	value child
}

// isString reports whether n is a string.
func (n *node) isString() bool { return n.kind == scalar && n.typ() == typeString }

// isNull reports whether n is a null.
func (n *node) isNull() bool { return n.kind == scalar && n.typ() == typeNull }

// isBlank reports whether n is a string of white space, or of nothing.
func (n *node) isBlank() bool { return n.isString() && strings.TrimSpace(n.text) == "" }

// boolean returns the value of a boolean.
func (n *node) boolean() (value, ok bool) {
	if n.kind != scalar || n.typ() != typeBool {
		return false, false
	}
	return isTrue(n.text), true
}

// integer returns the value of an integer that fits.
func (n *node) integer() (int64, bool) {
	if n.kind != scalar || n.typ() != typeInt {
		return 0, false
	}
	return parseInt(n.text)
}

// isPositive reports whether n is an integer above zero, of any size.
func (n *node) isPositive() bool {
	return n.kind == scalar && n.typ() == typeInt && isPositiveInt(n.text)
}

// templated reports whether Ansible would expand n: a string with a Jinja marker, or an unquoted {{ x }}, which YAML reads
// as a flow mapping whose only key is a flow mapping.
func (n *node) templated() bool {
	switch n.kind {
	case scalar:
		return n.isString() && hasJinja(n.text)
	case mapping:
		return n.flow && len(n.pairs) == 1 && n.pairs[0].key.kind == mapping && n.pairs[0].key.flow
	}
	return false
}

func hasJinja(s string) bool { return strings.Contains(s, "{{") || strings.Contains(s, "{%") }

// isMerge reports whether n, as a key, is the merge key.
func (n *node) isMerge() bool {
	return n.kind == scalar && !n.quoted && n.tag == "" && n.text == "<<"
}

// key is the identity of a scalar as a key: equal for keys that are the same to YAML, however they are written. A key that
// is no scalar equals no other.
type key string

// stringKey is the identity of a string.
func stringKey(s string) key { return key("s" + s) }

// identity returns the identity of n as a key.
func (n *node) identity() (key, bool) {
	if n.kind != scalar {
		return "", false
	}
	switch n.typ() {
	case typeString:
		return stringKey(n.text), true
	case typeNull:
		return "0", true
	case typeBool:
		if isTrue(n.text) {
			return "b1", true
		}
		return "b0", true
	case typeInt:
		return key("i" + canonicalInt(n.text)), true
	}
	return key("o" + n.text), true
}
