package config

import "strings"

// kind is the shape of a node.
type kind uint8

const (
	faulty kind = iota // already reported; nothing more is to be said about it
	scalar
	mapping
	sequence
)

// span is a part of the file: the bytes from start up to end.
type span struct{ start, end int }

// node is a value of the file.
type node struct {
	kind  kind
	at    span   // of a scalar: its token; of a collection: its first character or key; of an empty value: its key
	whole bool   // at is all of a scalar
	tag   string // of a scalar: the type that YAML gives it, as "!!str"
	text  string // of a scalar: its value
	plain bool   // a scalar without quotes
	pairs []pair // of a mapping, as written
	items []*node
}

// pair is a key with its value.
type pair struct{ key, value *node }

// empty reports whether nothing stands where a value is expected.
func (n *node) empty() bool { return n.kind == scalar && n.tag == "!!null" }

// typ says in words what a node is.
func (n *node) typ() string {
	switch {
	case n.kind == mapping:
		return "a mapping"
	case n.kind == sequence:
		return "a list"
	case n.tag == "!!bool":
		return "a boolean"
	case n.tag == "!!int" || n.tag == "!!float":
		return "a number"
	case n.tag == "!!timestamp":
		return "a date"
	case n.plain && isOldBoolean(n.text):
		return "a word that some YAML readers take for a boolean"
	}
	return "text"
}

// isOldBoolean reports whether YAML 1.1 takes a plain scalar for a boolean that is text to YAML 1.2.
func isOldBoolean(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}
