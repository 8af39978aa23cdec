package roleblock

import (
	"strings"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/lazyregexp"
)

// token returns the bytes of a scalar where they can be replaced: written on one line, plain or in quotes, and not
// through an alias.
func (f *file) token(c child) (span, bool) {
	if c.kind != scalar || c.at != c.node.at || c.at.end == c.at.start {
		return span{}, false
	}
	raw := string(f.slice(c.at))
	switch {
	case strings.ContainsAny(raw, "\r\n"):
		return span{}, false
	case c.quoted:
		return c.at, len(raw) >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[len(raw)-1] == raw[0]
	}
	return c.at, raw == c.text
}

// replace returns the edit that puts text in the place of a scalar, or none where that is not certain to do.
func (f *file) replace(c child, text string) []finding.Edit {
	at, ok := f.token(c)
	if !ok {
		return nil
	}
	return []finding.Edit{f.edit(at, text)}
}

// replaceName is replace for a name that needs no quotes, which others are not certain to be.
func (f *file) replaceName(c child, name string) []finding.Edit {
	if !isPlainName(name) {
		return nil
	}
	return f.replace(c, name)
}

var plainName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]*$`)

// isPlainName reports whether a name can be written into YAML as it is.
func isPlainName(name string) bool {
	return plainName().MatchString(name) && resolve(name) == typeString
}

// setFlag gives a flag of an entry a value: in the place of the one it has, or on a line before the entry's first key.
func (f *file) setFlag(e *entry, current flag, name, value string) []finding.Edit {
	if current.token.end > current.token.start {
		return []finding.Edit{f.edit(current.token, value)}
	}
	data := f.text.Bytes()
	start := e.inner
	for start > 0 && data[start-1] == ' ' {
		start--
	}
	if current.present || e.inner == 0 || start == 0 || data[start-1] != '\n' {
		return nil
	}
	line := string(data[start:e.inner]) + name + ": " + value + "\n"
	return []finding.Edit{f.edit(span{start, start}, line)}
}

// suggest mends a word: by the one that is near, in words and as an edit.
func (f *file) suggest(c child, words []string) (fix string, edits []finding.Edit) {
	if c.kind == scalar {
		if near, ok := nearest(c.text, words); ok {
			return "write " + near, f.replace(c, near)
		}
	}
	return "choose one of these", nil
}

// unquoted mends a string that would be right without its quotes, in words and as an edit. What else there is to do is said
// in the words given.
func (f *file) unquoted(c child, fits func(*node) bool, otherwise string) (fix string, edits []finding.Edit) {
	if c.kind != scalar || !c.quoted || !fits(&node{kind: scalar, text: c.text}) {
		return otherwise, nil
	}
	return "remove the quotes", f.replace(c, c.text)
}

func isBoolean(n *node) bool {
	_, ok := n.boolean()
	return ok
}

// deleteLine returns the edit that removes a pair which has a line to itself.
func (f *file) deleteLine(p pair) []finding.Edit {
	value, ok := f.token(p.value)
	data := f.text.Bytes()
	if !ok || f.line(p.key.at.start) != f.line(value.start) {
		return nil
	}
	line := span{p.key.at.start, lineEnd(data, value.end)}
	for line.start > 0 && data[line.start-1] == ' ' {
		line.start--
	}
	alone := line.start == 0 || data[line.start-1] == '\n'
	if !alone || !startsComment(data[value.end:line.end]) {
		return nil
	}
	line.end = nextLine(data, line.end)
	return []finding.Edit{f.edit(line, "")}
}

// maxNearLength is the length up to which words are compared letter by letter.
const maxNearLength = 48

// nearest returns the word that a misspelt one must have meant: the only one at most two letters away, or the same but for
// case, hyphens and spaces.
func nearest(misspelt string, words []string) (string, bool) {
	if len(misspelt) > maxNearLength {
		return "", false
	}
	wanted := plainWord(misspelt)
	best, count := 3, 0
	var found string
	for _, w := range words {
		switch d := distance(wanted, plainWord(w)); {
		case d >= len(w)/2+1 && d > 0: // too short to be likely
		case d < best:
			best, count, found = d, 1, w
		case d == best:
			count++
		}
	}
	return found, count == 1
}

func plainWord(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour to make a from b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
