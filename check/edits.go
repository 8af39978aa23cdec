package check

import (
	"cmp"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// removal is the edit that takes an element out of an array, or a member out of an object, with the comma that goes with
// it. Before and after are the neighbours, zero values where there are none; after counts first.
func removal(start, end int, before, after jsontree.Value) edit {
	switch {
	case after.Exists():
		end, _ = after.Span()
	case before.Exists():
		_, start = before.Span()
	}
	return edit{start: start, end: end}
}

// removeElement is the edit that takes an element out of its array.
func removeElement(elements []jsontree.Value, i int) edit {
	var before, after jsontree.Value
	if i+1 < len(elements) {
		after = elements[i+1]
	} else if i > 0 {
		before = elements[i-1]
	}
	start, end := elements[i].Span()
	return removal(start, end, before, after)
}

// removeMember is the edit that takes the member of a name out of an object, nothing where it is not there just once.
func removeMember(object jsontree.Value, name string) []edit {
	var found, before, last, after jsontree.Value
	end := 0
	for m := range object.Members() {
		switch {
		case m.Name() == name && found.Exists():
			return nil
		case m.Name() == name:
			found, before = m.Key, last
			_, end = m.Value.Span()
		case found.Exists() && !after.Exists():
			after = m.Key
		}
		last = m.Value
	}
	if !found.Exists() {
		return nil
	}
	start, _ := found.Span()
	return []edit{removal(start, end, before, after)}
}

// setMember is the edit that gives a member a value, or adds it behind the others, in their layout. The value is JSON.
func (m *manifest) setMember(object jsontree.Value, name, value string) []edit {
	if !object.Is(jsontree.Object) {
		return nil
	}
	if v := object.Get(name); v.Exists() {
		start, end := v.Span()
		return []edit{{start, end, value}}
	}
	at, separator := m.behind(object)
	return []edit{{at, at, separator + jsonString(name) + ": " + value}}
}

// addElements is the edit that adds elements to an array behind the others, in their layout. The elements are JSON.
func (m *manifest) addElements(array jsontree.Value, elements []string) edit {
	at, separator := m.behind(array)
	return edit{at, at, separator + strings.Join(elements, cmp.Or(separator, ", "))}
}

// behind returns the end of the last value of an object or array, and what separates another one from it, in their layout.
// With nothing in it, the end is that of the bracket, and nothing separates.
func (m *manifest) behind(container jsontree.Value) (at int, separator string) {
	start, _ := container.Span()
	from, at := start+1, start+1 // from the bracket or the end of the value before it to the start of the last one
	for member := range container.Members() {
		from = at
		start, _ = member.Key.Span()
		_, at = member.Value.Span()
	}
	for _, element := range container.Elements() {
		from = at
		start, at = element.Span()
	}
	if at == from {
		return at, ""
	}
	return at, "," + gap(m.doc.Text().Bytes()[from:start])
}

// gap is the white space that stands at the end of what separates two members or elements.
func gap(between []byte) string {
	i := len(between)
	for i > 0 && (between[i-1] == ' ' || between[i-1] == '\t' || between[i-1] == '\n' || between[i-1] == '\r') {
		i--
	}
	return string(between[i:])
}
