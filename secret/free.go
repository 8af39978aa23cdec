package secret

import "strings"

// free judges text that is more than one value: a command line, a list of settings, JSON, a line of code, a sentence.
// It reads words and quoted strings from left to right; a name before one says what it is.
func (j *judge) free(t text, p place, depth int) {
	p.loose = p.loose || p.kind == textLine || p.kind == Unknown
	settings := isSettings(t.s)
	if p.form == "" && p.kind != textLine && settings {
		p.form = ruleConnection
	}
	plain := p.named(p.name, unknown)
	if p.role == nothing {
		plain.role = nothing
	}
	r := reading{
		lexer: lexer{s: t.s}, text: t, depth: depth,
		plain: plain, bare: plain, json: strings.HasPrefix(t.s, "{") || strings.HasPrefix(t.s, "["), settings: settings || isKeywords(t.s),
	}
	r.jwk = r.json && strings.Contains(t.s, `"kty"`)
	r.bare.loose = true // a word without a name is a credential by its own looks, or none
	r.expect(r.bare)
	if p.role.credential() && p.form == ruleHeader {
		r.expect(p)
	}
	if depth == 0 {
		r.entry = j.entry
	}
	for r.next() {
		r.word(j)
	}
	if depth == 0 {
		j.entry = r.entry
	}
}

// reading is where free has got to.
type reading struct {
	lexer
	text     text
	depth    int
	plain    place // of what has a name in front of it
	bare     place // of a word by itself
	json     bool  // the text is JSON
	jwk      bool  // the text is a JSON web key, whose members of one letter are public but for some
	settings bool  // the text is a list of settings

	expected      place  // what the next word is
	named         int    // where the name of what is expected begins
	last, earlier string // the word before this one, and the one before that
	lastStart     int    // where the word before begins
	typed         place  // what a name and a colon announced, where a type stands between them and the sign: `key: str = …`
	words         int    // since then
	entry         string // what a member called name or key held, for the member that holds the value
}

// expect says what the next word is.
func (r *reading) expect(p place) { r.expected = p }

// under says that the next word stands under a name which begins at from.
func (r *reading) under(p place, from int) {
	if r.entry != "" && holdsValue(p.name) {
		p = r.plain.assigned(r.entry)
	}
	if r.jwk && len(p.name) == 1 && strings.IndexByte("dpqk", p.name[0]) < 0 {
		p.role = nothing
	}
	p.set = alone
	r.expected, r.named = p, from
}

// holdsValue reports whether a member of this name holds the value of what another one names.
func holdsValue(name string) bool {
	return strings.EqualFold(name, "value") || strings.EqualFold(name, "val") || name == "string" // in property lists
}

// word reads one word.
func (r *reading) word(j *judge) {
	w, start, next := r.text.sub(r.start, r.end), r.start, r.expected
	r.words++
	switch {
	case r.operator():
		p := r.plain.under(r.last)
		if p.role == unknown && r.words <= maxTypeWords && r.typed.role.credential() {
			p = r.typed
		}
		p.loose = true
		r.under(p, r.lastStart)
		return
	case r.quoted && (r.names() || next.set == 0 && r.passes(w.s)):
		r.under(r.plain.under(w.s), r.start)
	case r.quoted:
		r.keep(w.s)
		j.value(w, next, r.depth+1)
		if r.expect(r.bare); isFlag(w.s) && r.at < len(r.s) && r.s[r.at] == ',' { // in a list of arguments
			r.under(j.flag(w, r.plain, r.depth), r.start)
		}
	case r.element():
		r.under(r.plain.under(w.s), r.start)
	case strings.HasSuffix(w.s, ":") && trailingName(w.s[:len(w.s)-1]) != "":
		p := r.plain.under(w.s[:len(w.s)-1])
		p.loose = p.loose || !r.json && !startsLine(r.s[:r.start])
		r.typed, r.words = p, 0
		r.under(p, r.start)
	case assigns(w.s) && !(next.set != 0 && next.role.sure()): // where one belongs, that is the padding of base64
		r.under(r.plain.assigned(w.s[:len(w.s)-1]), r.start)
	case loginFlag(w.s):
		if r.next() {
			p := r.plain.named("password", chosen)
			p.set = alone
			j.login(r.text.sub(r.start, r.end), p)
		}
		r.expect(r.bare)
	case isFlag(w.s) && !(next.role.sure() && likelyDrawn(w.s)):
		p := j.flag(w, r.plain, r.depth)
		if r.last == "sshpass" && w.s == "-p" {
			p = r.plain.named("password", chosen)
		}
		r.under(p, r.start)
	default:
		r.bareWord(j, w, next)
	}
	r.earlier, r.last, r.lastStart = r.last, w.s, start
}

// maxTypeWords bounds the words of a type between a name and the sign that assigns.
const maxTypeWords = 3

// keep remembers the name of the member of a list: `{"name": "API_KEY", "value": …}`.
func (r *reading) keep(s string) {
	if name := r.expected.name; r.expected.set == 0 || !strings.EqualFold(name, "name") && !strings.EqualFold(name, "key") {
		return
	}
	r.entry = ""
	if identifier(s) == len(s) && roleOf(s).sure() {
		r.entry = s
	}
}

// bareWord judges a word outside quotes.
func (r *reading) bareWord(j *judge, w text, next place) {
	r.keep(w.s)
	start, base := r.start, r.plain
	if next.set != 0 {
		next.set = r.setting(r.named)
	}
	if strings.IndexByte(w.s, '=') > 0 {
		if base.set = r.setting(start); isFlag(r.last) {
			base.set = alone
		}
	}
	if (isScheme(w.s, next) || isScheme(assignedValue(w.s), place{})) && r.next() {
		w = r.text.sub(start, r.end)
	}
	j.word(w, next, base, r.depth)
	r.expect(r.bare)
	name := strings.TrimLeft(w.s, ":")
	switch role := roleOf(name); {
	case role.sure() && identifier(name) == len(name):
		r.announced(name, role)
	case strings.EqualFold(name, "by") && strings.EqualFold(r.last, "identified"), strings.EqualFold(name, "ConvertTo-SecureString"):
		r.announced("password", chosen)
	}
}

// setting says how the word that was read is set, where its name begins at from.
func (r *reading) setting(from int) setting {
	switch {
	case isCode(r.s[r.start:r.end]):
		return 0
	case startsLine(strings.TrimRight(r.s[:from], "- \t")) && r.endsLine(), strings.HasPrefix(r.s[r.at:], "</"):
		return alone
	case r.settings && (r.at == len(r.s) || r.s[r.at] == ';' || isSpace(r.s[r.at])):
		return alone
	case r.at == len(r.s) || isSpace(r.s[r.at]):
		return inCode
	}
	return 0
}

// isCode reports whether a word outside quotes names a member or a constant.
func isCode(s string) bool {
	return identifier(s) == len(s) && (strings.IndexByte(s, '.') > 0 || strings.IndexByte(s, '_') > 0 && isVariable(s))
}

// announced says what stands behind the name of a credential without a sign between them: `ENV NAME value`,
// `PASSWORD 'value'`, `login user password value`.
func (r *reading) announced(name string, role role) {
	p := r.plain.named(name, role)
	p.loose = true
	switch last := strings.ToLower(r.last); {
	case role == chosen && r.earlier == "login" && (strings.HasPrefix(r.s, "machine ") || strings.HasPrefix(r.s, "default ")): // netrc
		p.loose = false
		r.under(p, 0)
	case last == "env" || last == "setenv" || last == "arg":
		r.under(p, 0)
	case role == chosen && r.quoteFollows():
		r.under(p, r.start)
	case strings.IndexByte(name, '_') > 0, r.quoteFollows():
		r.expect(p)
	}
}

// isSettings reports whether s is a list like `Server=db;User Id=svc`, as connection strings are.
func isSettings(s string) bool {
	first, rest, ok := strings.Cut(s, ";")
	second, _, _ := strings.Cut(rest, ";")
	return ok && strings.IndexByte(first, '=') > 0 && (strings.IndexByte(second, '=') > 0 || strings.TrimSpace(rest) == "")
}

// isKeywords reports whether s is a list like `host=db user=svc`.
func isKeywords(s string) bool {
	first, rest, _ := strings.Cut(s, " ")
	second, _, _ := strings.Cut(rest, " ")
	return strings.IndexByte(first, '=') > 0 && strings.IndexByte(second, '=') > 0
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
			q := base.assigned(name)
			q.set = base.set
			j.value(t.sub(eq+1, len(t.s)), q, depth+1)
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
		if loginFlag(name) {
			q := p.named("password", chosen)
			q.set = alone
			j.login(value, q)
		} else if r == unknown && strings.IndexByte(value.s, '=') > 0 {
			p.set = alone
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
	switch {
	case passwordFlag(t.s), t.s == "-k":
		return p.named("password", maybe)
	case gluedPassword(t.s):
		j.guessed(t.sub(2, len(t.s)), p)
	case attachedLogin(t.s):
		q := p.named("password", chosen)
		q.set = alone
		j.login(t.sub(2, len(t.s)), q)
	}
	return p
}

// attachedLogin reports whether a flag is `-uuser:password`.
func attachedLogin(s string) bool {
	return strings.HasPrefix(s, "-u") && strings.IndexByte(s, ':') > 2 && !strings.Contains(s, "://")
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
	return len(s) < 6 && strings.HasPrefix(s, "-s") && strings.HasSuffix(s, "u") // as in `curl -sSu`
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

// endsLine reports whether nothing but space or a comment follows the word on its line.
func (l *lexer) endsLine() bool {
	i := l.at
	for i < len(l.s) && (l.s[i] == ' ' || l.s[i] == '\t' || l.s[i] == '\r') {
		i++
	}
	return i == len(l.s) || l.s[i] == '\n' || l.s[i] == '#' && i > l.at
}

// quoteFollows reports whether the next word is in quotes.
func (l *lexer) quoteFollows() bool {
	i := l.at
	for i < len(l.s) && (l.s[i] == ' ' || l.s[i] == '\t') {
		i++
	}
	return i > l.at && i < len(l.s) && isQuote(l.s[i])
}

// element reports whether the word is the name of an XML element, whose text follows.
func (l *lexer) element() bool {
	return !l.quoted && l.start > 0 && l.s[l.start-1] == '<' && l.at < len(l.s) && l.s[l.at] == '>'
}

// passes reports whether the word in quotes is the name of a credential that a call passes on with its value, as in
// `define('DB_PASSWORD', '…')`, and moves to the value.
func (l *lexer) passes(name string) bool {
	if l.at == len(l.s) || l.s[l.at] != ',' || strings.IndexByte(name, '_') < 0 || !isVariable(name) || !roleOf(name).sure() {
		return false
	}
	from := l.at
	l.at++
	if l.at < len(l.s) && isQuote(l.s[l.at]) || l.quoteFollows() {
		return true
	}
	l.at = from
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
