package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/azphalt/submissions/internal/jsontree"
)

// judgeShape reports values of a wrong type, fields that the format does not know, and keys that some parsers take for a
// known one.
func (m *manifest) judgeShape() { m.shape(m.root, manifestSchema(), property) }

// position is where a value stands in its parent.
type position int

const (
	property position = iota // under a name that the schema knows: a value that reads as absent is harmless there
	entry                    // in a map
	element                  // in an array
)

func (m *manifest) shape(v jsontree.Value, s *schema, pos position) {
	if s.ref != nil {
		m.shape(v, s.ref, pos)
	}
	for _, part := range s.AllOf {
		m.shape(v, part, pos)
	}
	if !hasType(v, s) {
		m.wrongType(v, s, pos)
		return
	}
	for _, e := range v.Elements() {
		if s.Items != nil {
			m.shape(e, s.Items, element)
		}
	}
	names := sync.OnceValue(func() map[string]bool { return namesOf(v) })
	for member := range v.Members() {
		m.shapeMember(names, member, s)
	}
}

func namesOf(object jsontree.Value) map[string]bool {
	names := map[string]bool{}
	for member := range object.Members() {
		names[member.Name()] = true
	}
	return names
}

// shapeMember judges a member of an object that the schema describes. Siblings are the names in the object.
func (m *manifest) shapeMember(siblings func() map[string]bool, member jsontree.Member, s *schema) {
	name := member.Name()
	if sub, ok := s.Properties[name]; ok {
		m.shape(member.Value, sub, property)
		return
	}
	if s.additional != nil {
		m.shape(member.Value, s.additional, entry)
		return
	}
	if twin := s.confusable(name); twin != "" {
		m.add("json/confusable-key", at(member.Key), "the key "+quote(name)+" is not "+quote(twin)+", but some parsers take it for that", rename(siblings, member, twin, "write %s, or another name"))
		return
	}
	if !s.closed {
		return
	}
	message := "the format knows no field " + quote(name) + " here; hosts ignore it"
	mend := fix("remove it; what is for your own tools can stand under metadata")
	near := nearest(name, s.names)
	if near != "" && !(s == manifestSchema() && isForeign(near, m.root.Get("kind").Str())) {
		message += ". Did you mean " + quote(near) + "?"
		mend = fix("write %s", quote(near))
		if fits(member.Value, s.Properties[near]) { // otherwise a renaming makes a fault of what hosts ignore
			mend = rename(siblings, member, near, "write %s")
		}
	}
	m.add("manifest/unknown-field", at(member.Key), message, mend)
}

// rename is the mend of a name that is nearly the right one. Where that one is there, too, a person has to choose.
func rename(siblings func() map[string]bool, member jsontree.Member, name, words string) option {
	if siblings()[name] {
		return fix(words, quote(name))
	}
	siblings()[name] = true // of two that are nearly it, one becomes it
	start, end := member.Key.Span()
	return fixBy([]edit{{start, end, jsonString(name)}}, words, quote(name))
}

func hasType(v jsontree.Value, s *schema) bool {
	return len(s.Type) == 0 || slices.Contains(s.Type, typeName(v.Kind()))
}

// fits reports whether a value has the type that a schema, or the one it refers to, asks for.
func fits(v jsontree.Value, s *schema) bool {
	return hasType(v, s) && (s.ref == nil || fits(v, s.ref))
}

func typeName(k jsontree.Kind) string {
	switch k {
	case jsontree.Null:
		return "null"
	case jsontree.True, jsontree.False:
		return "boolean"
	case jsontree.Number:
		return "number"
	case jsontree.String:
		return "string"
	case jsontree.Array:
		return "array"
	default:
		return "object"
	}
}

// wrongType reports a value of a wrong type, unless a finding is about it already.
func (m *manifest) wrongType(v jsontree.Value, s *schema, pos position) {
	if !m.claim(v) {
		return
	}
	is, want := naming(v, pos)+" is "+v.Kind().String(), strings.Join(typesInWords(s), " or ")
	switch {
	case pos == property && readsAsAbsent(v, s):
		m.add("manifest/type-ignored", at(v), is+", not "+want+"; hosts read it as absent", fix("leave the field out, or write %s", want))
	case s.advisory:
		m.add("manifest/type-ignored", opening(v), is+", not "+want+"; hosts may ignore it", fix("write %s", want))
	default:
		m.add("manifest/type", opening(v), is+"; want "+want, fix("write %s", want))
	}
}

// readsAsAbsent reports whether hosts take a value of a wrong type for an absent one.
func readsAsAbsent(v jsontree.Value, s *schema) bool {
	return v.Empty() && (len(s.Absent) == 0 || slices.Contains(s.Absent, typeName(v.Kind())))
}

// naming says which value is meant.
func naming(v jsontree.Value, pos position) string {
	steps := strings.Split(v.Pointer(), "/")
	last := len(steps) - 1
	switch index, err := strconv.Atoi(steps[last]); {
	case last == 0:
		return "the manifest"
	case pos == element && err == nil && last > 1:
		return fmt.Sprintf("element %d of %s", index+1, quote(pointerUnescaper.Replace(steps[last-1])))
	default:
		return quote(pointerUnescaper.Replace(steps[last]))
	}
}

// pointerUnescaper turns a step of a JSON pointer into the name that it stands for (RFC 6901, section 4).
var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

func typesInWords(s *schema) []string {
	words := map[string]string{"object": "an object", "array": "an array", "string": "a string", "number": "a number", "boolean": "true or false", "null": "null"}
	var out []string
	for _, t := range s.Type {
		out = append(out, words[t])
	}
	return out
}
