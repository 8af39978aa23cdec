// Package shape knows what the tokens of several hundred providers look like.
//
// Its tables are read when the first value asks, and an expression is compiled when the first value starts like a token
// of its kind: a process that meets no token pays for neither. gitleaks.tsv is taken from gitleaks (MIT, see
// LICENSE.gitleaks); providers.tsv is written here from the providers' documentation.
package shape

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:generate go run ./gen

//go:embed gitleaks.tsv
var gitleaks string

//go:embed providers.tsv
var providers string

const (
	// MinLength is the length of the shortest token that any prefix names.
	MinLength = 20
	// maxLength bounds the part of a token that an expression reads.
	maxLength = 4 << 10
)

// rule is one line of a table.
type rule struct {
	id, pattern string
	whole       bool // the expression is of the whole value, not of its start
	once        sync.Once
	re          *regexp.Regexp
}

// expression returns the rule's expression, compiled at the first use. The tables are part of the program, so one that
// does not compile is a fault of the program.
func (r *rule) expression() *regexp.Regexp {
	r.once.Do(func() {
		pattern := "^(?:" + r.pattern + ")"
		if r.whole {
			pattern += "$"
		}
		r.re = regexp.MustCompile(pattern)
		r.re.Longest()
	})
	return r.re
}

// word is what a rule is found by: the start of a token, or a part of the name of its variable, in lower case.
type word struct {
	text string
	rule *rule
	next *word // with the same first byte
}

// table holds the words: those that start a token by their first byte, and those of names.
type table struct {
	starts [256]*word
	names  []word
}

var load = sync.OnceValue(read)

func read() *table {
	lines := strings.Count(gitleaks, "\n") + strings.Count(providers, "\n")
	rules := make([]rule, 0, lines)
	t := &table{names: make([]word, 0, lines)}
	for line := range strings.Lines(gitleaks + providers) {
		if !strings.HasPrefix(line, "#") {
			rules = append(rules, rule{})
			t.add(&rules[len(rules)-1], strings.TrimSuffix(line, "\n"))
		}
	}
	return t
}

// add puts a line of id, kind, words and expression into the table.
func (t *table) add(r *rule, line string) {
	id, line, _ := strings.Cut(line, "\t")
	kind, line, _ := strings.Cut(line, "\t")
	words, pattern, _ := strings.Cut(line, "\t")
	r.id, r.pattern, r.whole = id, pattern, kind == "key"
	for text := range strings.SplitSeq(words, ",") {
		if r.whole {
			t.names = append(t.names, word{text: text, rule: r})
		} else {
			t.starts[text[0]] = &word{text, r, t.starts[text[0]]}
		}
	}
}

// Prefixed returns the provider shape that token starts with and how many bytes of it belong to the shape; n is 0 where
// there is none. Of several, the one that takes in most wins.
func Prefixed(token string) (id string, n int) {
	if len(token) < MinLength {
		return "", 0
	}
	token = token[:min(len(token), maxLength)]
	for w := load().starts[lower(token[0])]; w != nil; w = w.next {
		if !strings.EqualFold(token[:min(len(token), len(w.text))], w.text) {
			continue
		}
		loc := w.rule.expression().FindStringIndex(token)
		if loc != nil && loc[1] > n && (loc[1] == len(token) || !wordByte(token[loc[1]])) {
			id, n = w.rule.id, loc[1]
		}
	}
	return id, n
}

// Keyed returns the provider whose name is part of key, a variable's name, and whose tokens value looks like.
func Keyed(key, value string) (id string, ok bool) {
	if len(value) > maxLength {
		return "", false
	}
	key = strings.ToLower(key)
	for _, w := range load().names {
		if strings.Contains(key, w.text) && w.rule.expression().MatchString(value) {
			return w.rule.id, true
		}
	}
	return "", false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z'
}
