package secret

import (
	"strings"
	"unicode/utf8"
)

// A value is judged with what stands for something else blanked out by a mark for each byte, so that offsets stay and
// no later step has to know how references are spelled.
const (
	refMark = '\x01' // within an `${input:…}` reference
	varMark = '\x02' // within a variable, which no host fills in
	askMark = '\x03' // within angle brackets, which ask a person to fill them in
	stray   = '\x04' // a mark that the value itself held
)

// mark is a set of marks.
type mark uint8

const (
	hasRef mark = 1 << refMark
	hasVar mark = 1 << varMark
	hasAsk mark = 1 << askMark
	isOpen      = hasVar | hasAsk // something is left open
)

const (
	// maxVariable bounds the length of a reference or a variable.
	maxVariable = 256
	// beforeVariable are the signs that a `$NAME` stands behind.
	beforeVariable = " \t\r\n\"'`=:/@,;([{&|<-."
)

// masked returns value with references and variables blanked out; a command in backquotes is one.
func masked(value string) string {
	if quoted := strings.Trim(value, "`"); len(quoted) == len(value)-2 && strings.IndexByte(quoted, ' ') > 0 {
		return strings.Repeat(string(rune(varMark)), len(value))
	}
	return blanked(value)
}

// blanked is masked for a line of text, in which backquotes are quotes.
func blanked(value string) string {
	i := strings.IndexAny(value, "$%{<\\\x01\x02\x03")
	if i < 0 {
		return value
	}
	b := []byte(value)
	for i < len(b) {
		switch b[i] {
		case refMark, varMark, askMark:
			b[i] = stray
			i++
		case '$', '%', '{', '<', '\\':
			n, by := variable(value[i:min(len(value), i+maxVariable)], i == 0 || strings.IndexByte(beforeVariable, value[i-1]) >= 0)
			for j := range n {
				b[i+j] = by
			}
			i += max(n, 1)
		default:
			i++
		}
	}
	return string(b)
}

// variable returns the length of the reference, variable or stand-in that s starts with, 0 where there is none. Of
// `${NAME:-default}` only what is around the default is blanked. alone says that s does not go on a word, in which case
// `$NAME` is no part of a password.
func variable(s string, alone bool) (n int, by byte) {
	switch {
	case strings.HasPrefix(s, "${input:"):
		return closed(s, "}"), refMark
	case strings.HasPrefix(s, "${{"):
		return closed(s, "}}"), varMark
	case strings.HasPrefix(s, "${"):
		if name := identifier(s[2:]); name > 0 && strings.HasPrefix(s[2+name:], ":-") {
			return 2 + name + 2, varMark
		} else if name > 0 && 2+name == len(s) { // somebody forgot the end
			return len(s), varMark
		}
		return closed(s, "}"), varMark
	case strings.HasPrefix(s, "$("):
		return closed(s, ")"), varMark
	case s[0] == '$' && alone:
		return shellVariable(s), varMark
	case strings.HasPrefix(s, "{{"):
		return closed(s, "}}"), varMark
	case s[0] == '{':
		for _, kind := range [...]string{"{env:", "{file:", "{secret:", "{secrets.", "{env."} {
			if strings.HasPrefix(s, kind) {
				return closed(s, "}"), varMark
			}
		}
		if name := identifier(s[1:]); name > 0 && strings.HasPrefix(s[1+name:], "}") {
			return name + 2, varMark
		}
	case strings.HasPrefix(s, "%("): // of Python and its settings files
		if name := identifier(s[2:]); name > 0 && strings.HasPrefix(s[2+name:], ")s") {
			return name + 4, varMark
		}
	case strings.HasPrefix(s, "<%"):
		return closed(s, "%>"), varMark
	case s[0] == '%':
		if name := identifier(s[1:]); name > 2 && strings.HasPrefix(s[1+name:], "%") {
			return name + 2, varMark
		}
	case strings.HasPrefix(s, `\u003c`): // a bracket in JSON
		return closed(s, `\u003e`), askMark
	case s[0] == '<' && len(s) > 1 && startsWords(s[1]):
		if n := closed(s, ">"); !isElement(s[:n], s[n:]) {
			return n, askMark
		}
	}
	return 0, 0
}

// isElement reports whether tag, in angle brackets, is one of XML: it has attributes, or its like closes it in rest.
func isElement(tag, rest string) bool {
	if strings.Contains(tag, `="`) {
		return true
	}
	_, closing, ok := strings.Cut(rest, "</")
	return ok && len(tag) > 2 && strings.HasPrefix(closing, tag[1:])
}

// shellVariable returns the length of the `$NAME` or `$1` that s starts with. Variables are spelled in one case, or
// without digits.
func shellVariable(s string) int {
	if n := identifier(s[1:]); n > 0 {
		if t := textureOf(s[1 : 1+n]); t.lower && t.upper && t.digits > 0 {
			return 0
		}
		if sign := strings.TrimLeft(s[1+n:], " "); len(sign) > 1 && sign[0] == '=' && strings.IndexByte("=~>", sign[1]) < 0 && len(sign) < len(s)-1-n {
			return 0 // it is set here: `$password = …`
		}
		return 1 + n
	}
	if len(s) > 1 && (kindOf[s[1]] == digit || strings.IndexByte("@*#?$!", s[1]) >= 0) {
		return 2
	}
	return 0
}

// closed returns the length of s up to and with its first end, 0 where a line break or another opening comes first.
func closed(s, end string) int {
	i := strings.Index(s, end)
	if i < 0 || strings.ContainsAny(s[:i], "\n\r") || i > 0 && strings.ContainsAny(s[1:i], "<$") {
		return 0
	}
	return i + len(end)
}

// identifier returns the length of the name that s starts with.
func identifier(s string) int {
	n := 0
	for n < len(s) && (wordByte(s[n]) || n > 0 && (s[n] == '.' || s[n] == '-')) {
		n++
	}
	if n > 0 && kindOf[s[0]] == digit {
		return 0
	}
	for n > 0 && (s[n-1] == '.' || s[n-1] == '-') {
		n--
	}
	return n
}

// startsWords reports whether c may be the start of words, of any script.
func startsWords(c byte) bool { return kindOf[c] != other || c >= utf8.RuneSelf }

func wordByte(c byte) bool { return kindOf[c] != other || c == '_' }

func isMark(c byte) bool { return refMark <= c && c <= askMark }

// marks returns the marks in s.
func marks(s string) (found mark) {
	for i := range len(s) {
		if isMark(s[i]) {
			found |= 1 << s[i]
		}
	}
	return found
}

// unmarked returns what of s is not marked.
func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		if refMark <= r && r <= askMark {
			return -1
		}
		return r
	}, s)
}
