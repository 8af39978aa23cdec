package ruledoc

import (
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Of a file that both examples have, the lines that differ are shown, with some around them; of any other, the first.
const (
	contextLines = 2
	maxLines     = 24
)

// side is what is worth showing of an example beside the other one.
type side struct {
	directives string
	files      []string // the names of all files, where the other example has more or fewer; nil otherwise
	parts      []part
}

// part is what is worth showing of a file.
type part struct{ name, text string }

// asIs is said of an example that only lacks the other's directives.
const asIs = "The same files, as they are."

func (s side) empty() bool { return s.directives == "" && s.files == nil && len(s.parts) == 0 }

// compare returns what is worth showing of an example beside the other.
func compare(example, other *txtar.Archive) side {
	s := side{directives: strings.TrimSpace(string(example.Comment))}
	if files := names(example); !slices.Equal(files, names(other)) {
		s.files = files
	}
	for _, f := range example.Files {
		text := string(f.Data)
		i := slices.IndexFunc(other.Files, func(o txtar.File) bool { return o.Name == f.Name })
		switch {
		case i < 0:
			s.parts = append(s.parts, part{f.Name, cut(lines(text), 0, maxLines)})
		case text != string(other.Files[i].Data):
			s.parts = append(s.parts, part{f.Name, difference(lines(text), lines(string(other.Files[i].Data)))})
		}
	}
	return s
}

// names returns the names of the files of an example, in order.
func names(archive *txtar.Archive) []string {
	var out []string
	for _, f := range archive.Files {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// difference returns the lines of a text that another does not have, with some around them.
func difference(text, other []string) string {
	from, to := 0, 0
	shorter := min(len(text), len(other))
	for from < shorter && text[from] == other[from] {
		from++
	}
	for to < shorter-from && text[len(text)-1-to] == other[len(other)-1-to] {
		to++
	}
	return cut(text, from-contextLines, len(text)-to+contextLines)
}

// cut returns the lines from one up to another, with an ellipsis where something is left out.
func cut(text []string, from, to int) string {
	if from <= 1 { // an ellipsis takes a line as well
		from = 0
	}
	to = min(to, from+maxLines)
	if to >= len(text)-1 {
		to = len(text)
	}
	shown := slices.Clone(text[from:to])
	if from > 0 {
		shown = slices.Insert(shown, 0, indent(text[from])+"…")
	}
	if to < len(text) {
		shown = append(shown, indent(text[to-1])+"…")
	}
	return strings.Join(shown, "\n")
}

// indent returns the blanks at the start of a line.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }
