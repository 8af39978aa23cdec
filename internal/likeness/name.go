package likeness

import (
	"strings"
	"unicode"
)

// name is a name as it is compared.
type name struct {
	words []string
	look  string // all of it, without blanks, with what looks alike made alike
	marks string // its digits and single letters, by which people count: a slip in these makes another name
}

func newName(text string) name {
	n := name{words: words(text, maxName)}
	joined := strings.Join(n.words, "")
	n.look = Alike.Replace(joined)
	for _, w := range n.words {
		for _, r := range w {
			if unicode.IsDigit(r) || len(w) == 1 {
				n.marks += string(r)
			}
		}
	}
	return n
}

// endLength is how much of a name's beginning and end is looked up. A slip leaves one of them as it is.
const endLength = 4

// ends returns the keys under which a name in which a slip may be is found: a slip leaves one of them as it is.
func (n name) ends() []string {
	if len(n.look) < minSlipName {
		return nil
	}
	return []string{"^" + n.look[:endLength], n.look[len(n.look)-endLength:] + "$"}
}

func (n name) slipOf(other name) bool { return n.marks == other.marks && OneSlip(n.look, other.look) }

// OneSlip reports whether one character of two strings is other, missing or too much, or two of them have changed places.
func OneSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// NameWords returns the words of a name as they are compared.
func NameWords(text string) []string { return words(text, maxName) }
