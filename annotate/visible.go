package annotate

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a stranger's text is shown, in code points.
const (
	maxName    = 300  // a path, an id, a pointer
	maxMessage = 1200 // a message, the description of a fix
)

// maxMarks is how many combining marks one character may carry before the next are shown as escapes: no language needs
// more, and a pile of them covers the lines above and below.
const maxMarks = 3

// visible returns the first limit code points of s as they can be shown on one line, with an ellipsis where s is longer.
// What can't be seen, moves what can, or is no UTF-8 is shown as a Go escape (\n, \x1b, \u202e, \xff). A backslash is left
// as it is, so this can't be undone.
func visible(s string, limit int) string {
	if len(s) <= limit && isPlainASCII(s) {
		return s
	}
	var b strings.Builder
	n := 0
	for text := range shown(s) {
		if n == limit {
			return strings.TrimSuffix(b.String(), string(joiner)) + "…" // what it joined to was cut off
		}
		b.WriteString(text)
		n++
	}
	return b.String()
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '#' {
			return false
		}
	}
	return true
}

// shown yields each code point of s (a byte that is no UTF-8 counting as one) as it is to be shown.
func shown(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var before rune // 0 where it is shown as an escape
		marks := 0
		for i, r := range s {
			_, size := utf8.DecodeRuneInString(s[i:])
			text, rest := s[i:i+size], s[i+size:]
			if unicode.Is(unicode.M, r) {
				marks++
			} else {
				marks = 0
			}
			if r == utf8.RuneError && size == 1 || marks > maxMarks || unseen(r) && !joinsEmoji(before, r, rest) || startsOldCommand(s[i:]) {
				text, r = escaped(r, text), 0
			}
			if !yield(text) {
				return
			}
			before = r
		}
	}
}

// unseen reports whether r takes no ink or changes how its neighbours are laid out: controls, format characters (among
// them the bidirectional and zero-width ones), separators, variation selectors, spaces other than the common one, and what
// Unicode hasn't assigned.
func unseen(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// What makes one emoji of two symbols, and asks for a symbol's coloured form.
const joiner, colour = '\u200d', '\ufe0f'

// joinsEmoji reports whether r holds an emoji together: a joiner between two symbols, or a symbol's request for colour.
func joinsEmoji(before, r rune, rest string) bool {
	symbol := func(r rune) bool { return unicode.In(r, unicode.So, unicode.Sk) }
	switch r {
	case colour:
		return symbol(before)
	case joiner:
		next, size := utf8.DecodeRuneInString(rest)
		valid := next != utf8.RuneError || size > 1 // U+FFFD is a symbol, a byte that is no UTF-8 isn't
		return (symbol(before) || before == colour) && valid && symbol(next)
	}
	return false
}

// startsOldCommand reports whether s begins with the mark of the first generation of workflow commands, which GitHub's
// runner obeys anywhere in a line of a step's output (actions/runner, ActionCommand.TryParse).
func startsOldCommand(s string) bool { return strings.HasPrefix(s, "##[") }

// escaped returns the Go escape of r, whose bytes are text.
func escaped(r rune, text string) string {
	switch {
	case r == '\t':
		return `\t`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == utf8.RuneError && len(text) == 1:
		return fmt.Sprintf(`\x%02x`, text[0])
	case r < 0x20 || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
