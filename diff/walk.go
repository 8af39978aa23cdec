package diff

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// walk compares two values at a place; one of them may not be there.
func (c *comparison) walk(at trail, before, after jsontree.Value) {
	switch {
	case isSaid(at), same(before, after):
	case isList(before) && isList(after) && isSequence(at):
		c.leaf(at, before, after)
	case isContainer(before) && isContainer(after) && (!before.Exists() || !after.Exists() || before.Kind() == after.Kind()):
		c.children(at, before, after)
	default:
		c.leaf(at, before, after)
	}
}

// children compares the members or elements of two values.
func (c *comparison) children(at trail, before, after jsontree.Value) {
	was, is := c.parts(before), c.parts(after)
	if len(was.order)+len(is.order) == 0 {
		if before.Exists() != after.Exists() {
			c.leaf(at, before, after)
		}
		return
	}
	for _, name := range is.order {
		c.child(at.with(name), was.values[name], is.values[name])
	}
	for _, name := range was.order {
		if _, ok := is.values[name]; !ok {
			c.child(at.with(name), was.values[name], jsontree.Value{})
		}
	}
}

// isSaid reports whether a place is compared in another way: the version by its order, files as payload, and the ids of
// what is matched by them.
func isSaid(at trail) bool {
	return len(at) == 1 && (at[0] == "files" || at[0] == "version") || byID(at[:max(len(at)-1, 0)]) && at.last() == "id"
}

// byID reports whether a place is that of a server or an input.
func byID(at trail) bool {
	return len(at) == 3 && at[0] == "mcp" && (at[1] == "servers" || at[1] == "inputs")
}

// child compares one of them. Of a server or an input that is new or gone, that is said first.
func (c *comparison) child(at trail, before, after jsontree.Value) {
	switch id := name(at.last()); {
	case !byID(at) || before.Exists() && after.Exists():
		c.walk(at, before, after)
	case at[1] == "servers" && after.Exists():
		c.add(kindServer, Grave, after.Pointer(), "", visible(bare(at.last())), "the server %s is new", id)
		c.walk(at, before, after)
	case at[1] == "servers":
		c.add(kindServer, Notable, before.Pointer(), visible(bare(at.last())), "", "the server %s is gone", id)
	case after.Exists():
		hidden := "shown"
		if after.Get("password").Is(jsontree.True) {
			hidden = "hidden"
		}
		c.add(kindInput, Notable, after.Pointer(), "", visible(bare(at.last())), "the input %s is new, %s as it is typed%s", id, hidden, described(at, after))
	default:
		c.add(kindInput, Minor, before.Pointer(), visible(bare(at.last())), "", "the input %s is gone", id)
	}
}

// parts are the members or elements of a value, by what they are compared by.
type parts struct {
	values map[string]jsontree.Value
	order  []string
}

// parts takes a value apart: objects by name, of which the last of the same name counts; lists of strings by text; lists of
// objects by id or path; all others by index.
func (c *comparison) parts(v jsontree.Value) parts {
	p := parts{values: map[string]jsontree.Value{}}
	for m := range v.Members() {
		p.put(m.Name(), m.Value)
	}
	for i, e := range v.Elements() {
		name := strconv.Itoa(i)
		for _, key := range []jsontree.Value{e, e.Get("id"), e.Get("path")} {
			if s := key.Str(); s != "" {
				name = s
				break
			}
		}
		for _, twice := p.values[name]; twice; _, twice = p.values[name] {
			name += "#" + strconv.Itoa(i)
		}
		p.put(name, e)
	}
	return p
}

func (p *parts) put(name string, v jsontree.Value) {
	if _, ok := p.values[name]; !ok {
		p.order = append(p.order, name)
	}
	p.values[name] = v
}

// isSequence reports whether the order of a list means something: that of arguments does.
func isSequence(at trail) bool { return len(at) > 0 && at.last() == "args" }

func isList(v jsontree.Value) bool { return !v.Exists() || v.Is(jsontree.Array) }

func isContainer(v jsontree.Value) bool {
	return !v.Exists() || v.Is(jsontree.Object) || v.Is(jsontree.Array)
}

// same reports whether two values say the same, whatever their layout.
func same(a, b jsontree.Value) bool {
	switch {
	case a.Kind() != b.Kind():
		return false
	case a.Is(jsontree.String):
		return a.Str() == b.Str()
	case a.Is(jsontree.Array):
		return list(a) == list(b)
	default:
		return bytes.Equal(a.Raw(), b.Raw())
	}
}

// list is a list of strings as one text that no other list has.
func list(v jsontree.Value) string {
	var out strings.Builder
	for _, e := range v.Elements() {
		text := string(e.Raw())
		if e.Is(jsontree.String) {
			text = e.Str()
		}
		out.WriteString(strconv.Itoa(len(text)) + ":" + text)
	}
	return out.String()
}

// described is what an input says that it is for.
func described(at trail, input jsontree.Value) string {
	text := shown(at.with("description"), input.Get("description"))
	if text == "" {
		return ", and does not say what for"
	}
	return ": " + quoteShown(text)
}
