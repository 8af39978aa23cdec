package annotate

import (
	"regexp"
	"strings"
	"unicode"
)

// The Markdown of this package has to hold on GitHub, where after the Markdown itself mentions, references to issues and
// commits, bare addresses, emoji names and formulas become active, whether their characters are escaped or not; in code none
// of that happens. So the one rule is: a word of a message that isn't plain is set as code.

// code sets s, which is visible, as a code span.
func code(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", 1+longestRun(s, '`'))
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' || s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fenced sets lines as a code block that starts at the left margin.
func fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, 1+longestRun(text, '`')))
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// tableCell makes Markdown fit for a cell of a table. A pipe ends a cell even in code, and with a backslash before it that
// depends on the one before that; so it is shown as its Go escape.
func tableCell(s string) string { return strings.ReplaceAll(s, "|", `\u007c`) }

// phrase matches what prose looks at as one: what stands between backticks, a quoted name, or a word up to a blank or a
// quote.
var phrase = regexp.MustCompile("`[^` ](?:[^`]*[^` ])?`" + `|"(?:[^"\\]|\\.)+"|[^ "]+`)

// prose sets a message as running text of one line: what it quotes or has between backticks as code, and as code also each
// word that isn't plain, and a number at the start, which could begin a list.
func prose(s string) string {
	s = strings.TrimSpace(visible(s, maxMessage))
	var b strings.Builder
	write := func(text string) {
		if strings.HasPrefix(text, "`") && strings.HasSuffix(b.String(), "`") {
			b.WriteByte(' ') // backticks that meet would be one fence
		}
		b.WriteString(text)
	}
	end := 0
	for _, at := range phrase.FindAllStringIndex(s, -1) {
		write(s[end:at[0]])
		end = at[1]
		word := s[at[0]:end]
		if len(word) > 2 && (word[0] == '"' || word[0] == '`' && word[1] != '`' && word[len(word)-1] == '`') {
			write(code(word[1 : len(word)-1]))
			continue
		}
		before, core, after := peel(word)
		write(before)
		if isPlainWord(core) && !(at[0] == 0 && number.MatchString(core)) {
			write(core)
		} else {
			write(code(core))
		}
		write(after)
	}
	write(s[end:])
	return b.String()
}

// peel takes the punctuation off a word that may stand outside of code.
func peel(word string) (before, core, after string) {
	core = strings.TrimLeft(word, `('“‘`)
	before = word[:len(word)-len(core)]
	trimmed := strings.TrimRight(core, `)'”’.,;:!?…`)
	after = core[len(trimmed):]
	if strings.HasPrefix(after, ")") && strings.Contains(trimmed, "(") { // the parenthesis belongs to the word: "foo()"
		trimmed, after = trimmed+")", after[1:]
	}
	return before, trimmed, after
}

var (
	number = regexp.MustCompile(`^[0-9]{1,6}$`)
	object = regexp.MustCompile(`^[0-9A-Fa-f]{7,}$`) // may be a commit
)

// startsAddress reports whether a word and the full stop after it may be the start of a bare address.
func startsAddress(word string) bool {
	return len(word) >= 3 && strings.EqualFold(word[len(word)-3:], "www")
}

// isPlainWord reports whether a word has no meaning in Markdown and none to GitHub: letters, hyphens and apostrophes among
// them, or a short number, or a dash.
func isPlainWord(word string) bool {
	if word == "" || word == "—" || word == "–" || number.MatchString(word) {
		return true
	}
	if object.MatchString(word) || startsAddress(word) {
		return false
	}
	inside := false
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			inside = true
		case inside && (r == '-' || r == '\'' || r == '’'):
			inside = false
		default:
			return false
		}
	}
	return inside
}

// link sets text, which is Markdown already, as a link to an address; as it is where the address can't stand in one.
func link(text, address string) string {
	if address == "" || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("()<>\\|", r) }) {
		return text
	}
	return "[" + text + "](" + address + ")"
}

// indented puts every line of text but the empty ones below a list item.
func indented(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

// Prose sets a sentence as running Markdown of one line, in which whatever it quotes ("like \"this\"") and each word that is
// not plain stands as code, so that nothing of a stranger's text becomes active.
func Prose(s string) string { return prose(s) }
