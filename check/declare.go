package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// input is an input that a mend declares.
type input struct {
	id       string
	password bool
}

// entry is how the input is declared.
func (in input) entry() string {
	description := strings.ReplaceAll(in.id, "-", " ")
	description = strings.ToUpper(description[:1]) + description[1:]
	if in.password {
		return fmt.Sprintf(`{ "id": %s, "type": "promptString", "description": %s, "password": true }`, jsonString(in.id), jsonString(description))
	}
	return fmt.Sprintf(`{ "id": %s, "type": "promptString", "description": %s }`, jsonString(in.id), jsonString(description))
}

// reference is what refers to the input.
func (in input) reference() string { return refStart + in.id + "}" }

// said is how a mend speaks of the input: what to write, and how to declare it.
func (in input) said() string {
	return fmt.Sprintf("%s in its place and declare the input: `%s`", quote(in.reference()), in.entry())
}

// inputNames gives the literals of a manifest the ids of the inputs that take their places: one id for equal literals.
type inputNames struct {
	ids   map[[2]string]string // by the id asked for and the literal
	taken map[string]int       // how many literals asked for an id
}

func newInputNames() inputNames { return inputNames{map[[2]string]string{}, map[string]int{}} }

// of returns the id for a literal: the given one, with a number where another literal has that.
func (n inputNames) of(id, literal string) string {
	asked := [2]string{id, literal}
	if given, ok := n.ids[asked]; ok {
		return given
	}
	given := id
	for n.taken[given] > 0 {
		n.taken[id]++
		given = id + "-" + strconv.Itoa(n.taken[id])
	}
	n.taken[given]++
	n.ids[asked] = given
	return given
}

// mendWith is the mend of a value by inputs, which is to declare those that are not there.
func (b *mcpBlock) mendWith(inputs []input, edits []edit, format string, args ...any) option {
	return func(f *rawFinding) {
		if b.inputList == nil {
			fix(format, args...)(f)
			return
		}
		fixBy(edits, format, args...)(f)
		for _, in := range inputs {
			if _, ok := b.inputs[in.id]; !ok {
				f.declares = append(f.declares, in)
			}
		}
	}
}

// maxNewInputs bounds the inputs of a list that edits write as a whole; the rest waits for the next report.
const maxNewInputs = 64

// declareInputs makes the edits that declare inputs, once all are known. In front of inputs that are there, every edit
// writes its own input, and they can be applied in any number and order. Where there is none, edits at one place can't
// know which of them is applied: each writes the list with all inputs that the report asks for, and all but one of them
// fall away, as they are equal.
func (r *reporter) declareInputs() {
	if r.inputList == nil {
		return
	}
	l := *r.inputList
	var entries []string
	declared := map[string]bool{}
	for _, f := range r.raw {
		for _, in := range f.declares {
			if l.none && !declared[in.id] && len(entries) < maxNewInputs {
				declared[in.id] = true
				entries = append(entries, in.entry())
			}
		}
	}
	whole := edit{l.at, l.at, l.write(entries)}
	asked := slices.ContainsFunc(r.raw, func(f rawFinding) bool { return len(f.declares) > 0 })
	for i := range r.raw {
		f := &r.raw[i]
		if asked && slices.ContainsFunc(f.edits, l.excludes) {
			f.edits = nil // for the next report
		}
		for _, in := range f.declares {
			switch {
			case !l.none:
				f.edits = append(f.edits, edit{l.at, l.at, l.before(in)})
			case !declared[in.id]:
				f.edits = nil
			case !slices.Contains(f.edits, whole):
				f.edits = append(f.edits, whole)
			}
		}
		slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	}
}

// inputList is the layout of the list of inputs, in which or as which edits declare them.
type inputList struct {
	at    int    // where an input is written
	there bool   // there is a list
	none  bool   // there is no input in it
	gap   string // white space in front of an input
	outer string // white space in front of the list's name, or of its end
}

// excludes reports whether an edit can't be made together with one that declares an input: it takes the list away, or gives
// its name to another member.
func (l inputList) excludes(e edit) bool {
	return e.start < l.at && l.at < e.end || !l.there && e.text == `"inputs"`
}

// before returns the text that declares an input in front of another one.
func (l inputList) before(in input) string {
	if l.gap == "" {
		return in.entry() + ", "
	}
	return l.gap + in.entry() + ","
}

// write returns the text that declares all inputs at once.
func (l inputList) write(entries []string) string {
	items := l.gap + strings.Join(entries, ","+l.gap)
	if l.gap != "" {
		items += l.outer
	}
	if l.there {
		return items
	}
	return l.outer + `"inputs": [` + items + `],`
}

// listInputs finds the layout of the list of inputs; nil where there can be none.
func (b *mcpBlock) listInputs() *inputList {
	list, there := b.block.Member("inputs")
	if !b.block.Is(jsontree.Object) || there && !list.Value.Is(jsontree.Array) {
		return nil
	}
	text := b.doc.Text().Bytes()
	start, _ := b.block.Span()
	l := inputList{at: start + 1, there: there, none: true}
	for first := range b.block.Members() {
		at, _ := first.Key.Span()
		l.outer = string(text[start+1 : at])
		break
	}
	if strings.Contains(l.outer, "\n") {
		l.gap = l.outer + indent(l.outer)
	}
	if there {
		start, _ := list.Value.Span()
		l.at = start + 1
		for _, in := range list.Value.Elements() {
			at, _ := in.Span()
			l.none, l.gap = false, string(text[start+1:at])
			break
		}
	}
	return &l
}

// indent returns one step of the indentation that the members of the block are in, two steps from the margin.
func indent(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return line[:(len(line)+1)/2]
}
