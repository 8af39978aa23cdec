package secret

import "strings"

// free judges text that is more than one value: a command line, a list of settings, JSON, a line of code, a sentence.
// It reads words and quoted strings from left to right; a name before one says what it is.
func (j *judge) free(t text, p place, depth int) {
	p.loose = p.loose || p.kind == textLine || p.kind == Unknown
	settings := strings.HasPrefix(t.s, "{") || strings.HasPrefix(t.s, "[")
	if p.form == "" && p.kind != textLine && isSettings(t.s) {
		p.form = ruleConnection
	}
	plain := p.named(p.name, unknown)
	if p.role == nothing {
		plain.role = nothing
	}
	bare := plain
	bare.loose = true // a word without a name is a credential by its own looks, or none
	next := bare
	if p.role.credential() && p.form == ruleHeader {
		next = p
	}
	l := lexer{s: t.s}
	last := ""
	for l.next() {
		w := t.sub(l.start, l.end)
		switch {
		case l.operator():
			next = plain.under(last)
			next.loose = true
			continue
		case l.quoted && l.names():
			next = plain.under(w.s)
		case l.quoted:
			j.value(w, next, depth+1)
			next = bare
		case strings.HasSuffix(w.s, ":") && trailingName(w.s[:len(w.s)-1]) != "":
			next = plain.under(w.s[:len(w.s)-1])
			next.loose = next.loose || !settings && !startsLine(t.s[:l.start])
		case assigns(w.s):
			next = plain.assigned(w.s[:len(w.s)-1])
		case loginFlag(w.s):
			if l.next() {
				w = t.sub(l.start, l.end)
				j.login(w, plain.named("password", chosen))
			}
			next = bare
		case isFlag(w.s):
			next = j.flag(w, plain, depth)
		default:
			if start := l.start; (isScheme(w.s, next) || isScheme(assignedValue(w.s), place{})) && l.next() {
				w = t.sub(start, l.end)
			}
			j.word(w, next, plain, depth)
			next = bare
		}
		last = w.s
	}
}

// isSettings reports whether s is a list like `Server=db;User Id=svc`, as connection strings are.
func isSettings(s string) bool {
	first, rest, ok := strings.Cut(s, ";")
	second, _, _ := strings.Cut(rest, ";")
	return ok && strings.IndexByte(first, '=') > 0 && (strings.IndexByte(second, '=') > 0 || strings.TrimSpace(rest) == "")
}

// startsLine reports whether nothing but space stands between the end of before and the line break before it.
func startsLine(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || before[len(before)-1] == '\n'
}

// under returns p for what stands behind a name.
func (p place) under(name string) place {
	name = trailingName(name)
	if name == "" {
		return p
	}
	return p.named(name, roleOf(name))
}

// assigned is under for a value that follows its name and an equals sign at once. A line like that is a setting, in
// code too, where the name is spelled like a variable of the environment.
func (p place) assigned(name string) place {
	q := p.under(name)
	q.loose = q.loose && !(q.kind == textLine && isVariable(q.name))
	return q
}

// word judges one word of running text. Where it is NAME=value, base is where it stands.
func (j *judge) word(t text, p, base place, depth int) {
	eq := strings.IndexByte(t.s, '=')
	if eq > 0 && j.query(t, p, depth) {
		return
	}
	if eq > 0 && eq+1 < len(t.s) && t.s[eq+1] != '=' && !strings.Contains(t.s[:eq], "://") {
		if name := trailingName(t.s[:eq]); name != "" && (roleOf(name) != unknown || !p.role.credential()) {
			j.value(t.sub(eq+1, len(t.s)), base.assigned(name), depth+1)
			return
		}
	}
	j.value(t, p, depth+1)
}

// isVariable reports whether name is spelled like an environment variable that somebody sets.
func isVariable(name string) bool {
	return name != "" && name == strings.ToUpper(name) && kindOf[name[0]] != digit && name != "PWD"
}

// flag judges a flag with its value behind an equals sign, and returns what the word after a flag without one is.
func (j *judge) flag(t text, p place, depth int) place {
	if name, _, ok := strings.Cut(t.s, "="); ok {
		value := t.sub(len(name)+1, len(t.s))
		r := roleOf(name)
		if r == unknown && strings.IndexByte(value.s, '=') > 0 {
			j.word(value, p, p, depth)
		} else {
			q := p.named(name, r)
			q.loose = false
			j.value(value, q, depth+1)
		}
		return p
	}
	if r := roleOf(t.s); r.credential() {
		return p.named(t.s, r)
	}
	return p
}

// assigns reports whether a word is a name with an equals sign behind it, or such a name in the drive `$env:` of a shell.
func assigns(word string) bool {
	before, ok := strings.CutSuffix(word, "=")
	name := trailingName(before)
	return ok && name != "" && (len(name) == len(before) || before[len(before)-len(name)-1] == ':')
}

// assignedValue returns what stands behind the first equals sign of a word.
func assignedValue(word string) string {
	_, value, _ := strings.Cut(word, "=")
	return value
}

// loginFlag reports whether a flag takes `user:password`.
func loginFlag(s string) bool {
	switch s {
	case "-u", "--user", "--basic-auth", "--proxy-user":
		return true
	}
	return false
}

// isFlag reports whether s is spelled like a flag of a command.
func isFlag(s string) bool {
	i := 0
	for i < len(s) && s[i] == '-' {
		i++
	}
	return i > 0 && i < 3 && i < len(s) && kindOf[fold(s[i])] == lower
}

// lexer reads words and quoted strings.
type lexer struct {
	s          string
	at         int
	start, end int  // of the word, without its quotes
	quoted     bool // the word stood in quotes
}

// delimiters end a word, but for those within an address.
const delimiters = " \t\r\n\x00,;(){}[]<>|&"

// next moves to the next word.
func (l *lexer) next() bool {
	for ; l.at < len(l.s); l.at++ {
		escaped := l.escapes()
		c := l.s[l.at]
		switch {
		case escaped && l.quote(l.s[l.at+1], true), isQuote(c) && l.quote(c, false), c == '{' && l.braces():
			return true
		case escaped, isQuote(c), strings.IndexByte(delimiters, c) >= 0:
		default:
			l.bare()
			return true
		}
	}
	return false
}

// escapes reports whether a backslash and a quote are next.
func (l *lexer) escapes() bool {
	return l.s[l.at] == '\\' && l.at+1 < len(l.s) && isQuote(l.s[l.at+1])
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// bare reads a word outside quotes.
func (l *lexer) bare() {
	l.quoted = false
	l.start = l.at
	for l.at < len(l.s) && !l.stops() {
		l.at++
	}
	l.end = l.at
	for l.end > l.start+1 && strings.IndexByte(".,!?&", l.s[l.end-1]) >= 0 {
		l.end--
	}
}

// quote reads a string in quotes of one kind, which end as they begin: escaped or not. It reports false where no such
// quote follows on the line.
func (l *lexer) quote(q byte, escaped bool) bool {
	open := l.at + 1
	if escaped {
		open++
	}
	for i := open; i < len(l.s) && l.s[i] != '\n'; i++ {
		if l.s[i] != q || (l.s[i-1] == '\\' && i > open) != escaped {
			continue
		}
		l.quoted, l.start, l.end, l.at = true, open, i, i+1
		if escaped {
			l.end--
		}
		return true
	}
	return false
}

// braces reads a value in braces, as ODBC spells values with signs in them: `Pwd={a;b}`.
func (l *lexer) braces() bool {
	if l.at == 0 || l.s[l.at-1] != '=' {
		return false
	}
	n := strings.IndexAny(l.s[l.at+1:], "{}\n\"'")
	if end := l.at + 1 + n; n > 0 && l.s[end] == '}' && (end+1 == len(l.s) || l.s[end+1] == ';') {
		l.quoted, l.start, l.end, l.at = true, l.at+1, end, end+1
		return true
	}
	return false
}

// stops reports whether the word ends here. An address goes on where a word ends.
func (l *lexer) stops() bool {
	c := l.s[l.at]
	switch {
	case isQuote(c), l.escapes():
		return true
	case strings.IndexByte(delimiters, c) < 0:
		return false
	}
	switch word := l.s[l.start:l.at]; {
	case strings.HasPrefix(word, "data:"):
		return c != ',' && c != ';'
	case c == ',' || c == '&':
		return !strings.Contains(word, "://")
	}
	return true
}

// operator reports whether the word is a sign that assigns what follows it.
func (l *lexer) operator() bool {
	switch l.s[l.start:l.end] {
	case "=", ":", ":=", "=>":
		return !l.quoted
	}
	return false
}

// names reports whether a sign that assigns follows the word, and moves behind it.
func (l *lexer) names() bool {
	i := l.at
	for i < len(l.s) && (l.s[i] == ' ' || l.s[i] == '\t') {
		i++
	}
	if i == len(l.s) || l.s[i] != ':' && l.s[i] != '=' || i+1 < len(l.s) && l.s[i+1] == '=' {
		return false
	}
	l.at = i + 1
	if l.at < len(l.s) && l.s[l.at] == '>' {
		l.at++
	}
	return true
}
