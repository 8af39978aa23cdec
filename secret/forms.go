package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how often a part is taken out of a part.
const maxDepth = 6

// value takes a value apart by its form until leaves are left. Every step hands on parts that do not overlap, so the
// work of a level is linear.
func (j *judge) value(t text, p place, depth int) {
	t = t.trim()
	if depth >= maxDepth {
		j.leaf(t, p)
		return
	}
	if rest, ok := j.pem(t, p); ok {
		if rest = rest.trim(); rest.s != "" {
			j.value(rest, p, depth+1)
		}
		return
	}
	spaced := strings.ContainsAny(t.s, " \t\n")
	switch {
	case !spaced && isToken(t.s):
		j.leaf(t, p)
	case j.scheme(t, p, depth):
	case j.header(t, p, depth):
	case p.role == cookieJar && strings.IndexByte(t.s, '=') > 0:
		j.cookies(t, p)
	case strings.HasPrefix(t.s, "data:") && strings.IndexByte(t.s, ',') > 0:
		j.dataURL(t, p, depth)
	case !spaced && j.url(t, p, depth):
	case !spaced && j.query(t, p, depth):
	case j.userAtHost(t, p), !spaced && j.passwordFile(t, p):
	case !spaced && !strings.ContainsAny(t.s, `;,"'{}[]&|`) && j.pair(t, p, depth):
	case spaced && p.role.sure() && j.leaf(t, p), bracketed(t.s) && j.leaf(t, p):
	case spaced, strings.ContainsAny(strings.TrimRight(t.s, "="), `;,"'{[=&`) && !j.whole(t, p):
		j.free(t, p, depth)
	case j.encoded(t, p, depth):
	default:
		j.leaf(t, p)
	}
}

// whole judges t as one credential under the name of one, before it is taken apart at signs that it may well hold.
func (j *judge) whole(t text, p place) bool {
	return p.role.sure() && !strings.ContainsAny(t.s, `"{[`) && j.leaf(t, p)
}

// scheme judges `Bearer …`, `Basic …` and their like: the word of an authentication scheme and what follows it.
func (j *judge) scheme(t text, p place, depth int) bool {
	i := strings.IndexAny(t.s, " \t")
	if i < 0 {
		if p.role.credential() && isScheme(t.s, place{}) {
			j.standIn(t, p, rulePlaceholder, "names a scheme without a credential")
			return true
		}
		return false
	}
	if i > 20 || !isScheme(t.s[:i], p) {
		return false
	}
	rest := t.sub(i, len(t.s)).trim()
	if p.kind != Arg && p.form == "" {
		p.form = ruleHeader
	}
	p.loose = p.loose || p.kind == Unknown && p.role == unknown
	p.role = max(p.role, issued)
	spaced := strings.ContainsAny(rest.s, " \t\n")
	switch {
	case spaced && p.loose:
		return false
	case spaced:
		j.free(rest, p, depth+1)
	case strings.EqualFold(t.s[:i], "basic"):
		j.basic(rest, p)
	default:
		j.leaf(rest, p)
	}
	return true
}

// isScheme reports whether word names an authentication scheme at p. In the header of a credential any word does; words
// that are plain English too count nowhere else.
func isScheme(word string, p place) bool {
	if strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic") {
		return true
	}
	if !p.role.sure() || p.kind != Header && p.form != ruleHeader {
		return false
	}
	for _, c := range []byte(word) {
		if kindOf[c] == digit || kindOf[c] == other && c != '-' {
			return false
		}
	}
	return word != ""
}

// basic judges the base64 of `user:password`.
func (j *judge) basic(t text, p place) {
	p.role = issued
	if found := marks(t.s); found != 0 {
		j.leaf(t, p)
		return
	}
	plain, ok := decode(t.s)
	user, pass, pair := strings.Cut(plain, ":")
	if !ok || !pair {
		j.leaf(t, p)
		return
	}
	secret := pass
	if pass == "" {
		secret = user
	}
	p.role, p.user = chosen, user
	switch v, _ := assess(secret, p); {
	case v == Placeholder:
		j.standIn(t, p, rulePlaceholder, "encodes a stand-in, not a credential")
	case p.loose && len(secret) < 4:
	default:
		j.add(t, p, Secret, p.rule(), "encodes a user and a password")
	}
}

// header judges `Name: value` where the name means a credential.
func (j *judge) header(t text, p place, depth int) bool {
	i := strings.IndexByte(t.s, ':')
	if i < 1 || i > 64 || strings.HasPrefix(t.s[i:], "://") {
		return false
	}
	for _, c := range []byte(t.s[:i]) {
		if !wordByte(c) && c != '-' {
			return false
		}
	}
	r := roleOf(t.s[:i])
	if !r.credential() || p.role.sure() && !strings.EqualFold(t.s[:i], "authorization") {
		return false
	}
	if i+1 < len(t.s) && t.s[i+1] != ' ' && p.loose {
		return false
	}
	p = p.named(t.s[:i], r)
	if p.kind == Arg || p.kind == Env {
		p.form = ruleHeader
	}
	j.value(t.sub(i+1, len(t.s)), p, depth+1)
	return true
}

// cookies judges the value of a Cookie header.
func (j *judge) cookies(t text, p place) {
	for at := 0; at < len(t.s); {
		end := at + strings.IndexByte(t.s[at:], ';')
		if end < at {
			end = len(t.s)
		}
		if eq := strings.IndexByte(t.s[at:end], '='); eq > 0 {
			name := strings.TrimSpace(t.s[at : at+eq])
			r := min(roleOf(name), issued)
			if r == unknown {
				r = maybe
			}
			j.leaf(t.sub(at+eq+1, end), p.named(name, r))
		}
		at = end + 1
	}
}

// pair judges NAME=value where the name says what the value is.
func (j *judge) pair(t text, p place, depth int) bool {
	i := strings.IndexByte(t.s, '=')
	if i < 1 {
		return false
	}
	name := trailingName(t.s[:i])
	r := roleOf(name)
	padding := strings.Trim(t.s[i:], "=") == "" // of base64, whose end may spell a word by chance
	if name == "" || !r.credential() && (padding || p.role.credential()) || padding && i >= 2*minIssued && strings.IndexByte(name, '_') < 0 {
		return false
	}
	j.value(t.sub(i+1, len(t.s)), p.named(name, r), depth+1)
	return true
}

// trailingName returns the identifier that s ends with.
func trailingName(s string) string {
	i := len(s)
	for i > 0 && (wordByte(s[i-1]) || s[i-1] == '-' || s[i-1] == '.') {
		i--
	}
	return s[i:]
}

// userAtHost judges `user:password@host`, as the data source names of some database drivers spell it, and Oracle's
// `user/password@//host`.
func (j *judge) userAtHost(t text, p place) bool {
	for _, driver := range [...]string{"jdbc:oracle:thin:", "jdbc:oracle:oci:"} {
		if strings.HasPrefix(t.s, driver) {
			t = t.sub(len(driver), len(t.s))
		}
	}
	at := strings.LastIndexByte(t.s, '@')
	split := strings.IndexAny(t.s, ":/")
	if split < 1 || at <= split+1 || at-split > 256 || strings.ContainsAny(t.s, " \t\n") {
		return false
	}
	user, pass, host := t.s[:split], t.s[split+1:at], t.s[at+1:]
	oracle := t.s[split] == '/'
	if oracle {
		host = strings.TrimPrefix(host, "//")
	}
	if identifier(user) < len(user) || strings.ContainsAny(pass, "/@") || !namesHost(host, p.loose || oracle) {
		return false
	}
	switch strings.ToLower(user) {
	case "mailto", "sip", "sips", "xmpp", "acct", "im":
		return false
	}
	p.form = ruleConnection
	p = p.named(p.name, chosen)
	p.user = user
	j.leaf(t.sub(split+1, at), p)
	return true
}

// passwordFile judges a line of PostgreSQL's file of passwords: `host:port:database:user:password`.
func (j *judge) passwordFile(t text, p place) bool {
	host, rest, _ := strings.Cut(t.s, ":")
	port, rest, _ := strings.Cut(rest, ":")
	_, rest, _ = strings.Cut(rest, ":")
	user, pass, ok := strings.Cut(rest, ":")
	if !ok || user == "" || len(pass) > 256 || port != "*" && (len(port) < 4 || !isNumber(port)) || host != "*" && identifier(host) < len(host) && !isNumber(host) {
		return false
	}
	p = p.named(p.name, chosen)
	p.form, p.user = ruleConnection, user
	if !looksChosen(pass) || p.loose && wordy(pass) {
		return false
	}
	j.leaf(t.sub(len(t.s)-len(pass), len(t.s)), p)
	return true
}

// namesHost reports whether s starts with a host that a connection can go to. In running text it has to have a port.
func namesHost(s string, loose bool) bool {
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] == '.' || s[i] == '-') {
		i++
	}
	if i == 0 {
		return false
	}
	host, port := s[:i], s[i:]
	if strings.HasPrefix(port, "(") {
		return true
	}
	dot := strings.LastIndexByte(host, '.')
	switch {
	case strings.HasPrefix(host, "sha256"): // the digest of an image
		return false
	case len(port) > 1 && port[0] == ':' && kindOf[port[1]] == digit:
		return true
	case loose || dot < 1 || dot+1 == len(host):
		return false
	}
	return kindOf[host[dot+1]] != digit || strings.Count(host, ".") == 3
}

// dataURL judges what a data URL holds, where that is text; pictures and fonts are passed over.
func (j *judge) dataURL(t text, p place, depth int) {
	comma := strings.IndexByte(t.s, ',')
	if kind, _, _ := strings.Cut(t.s[len("data:"):comma], "/"); kind == "" || kind == "text" || kind == "application" {
		j.encoded(t.sub(comma+1, len(t.s)), p, depth)
	}
}

// encoded judges base64 text by what it encodes, where that is text.
func (j *judge) encoded(t text, p place, depth int) bool {
	if len(t.s) < 16 || p.role == nothing && !strings.HasPrefix(t.s, "eyJ") && !strings.HasPrefix(t.s, "LS0tLS1") { // `{"`, `-----`
		return false
	}
	plain, ok := decode(t.s)
	if !ok {
		return false
	}
	n := len(j.matches)
	if user, pass, pair := strings.Cut(plain, ":"); pair && p.role.credential() && !strings.ContainsAny(plain, " {\"/") {
		p.user = user
		j.leaf(t.as(pass), p.named(p.name, chosen))
	} else {
		j.value(t.as(plain), p, depth+1)
	}
	return j.found(n) || p.role == unknown && strings.IndexByte(plain, ' ') > 0 // words, which nothing draws by lot
}

// decode returns the text that s encodes in base64, of either alphabet and with or without padding.
func decode(s string) (string, bool) {
	body := strings.TrimRight(s, "=")
	if len(body) < 4 || len(body)%4 == 1 || len(s)-len(body) > 2 {
		return "", false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(body, "-_") {
		encoding = base64.RawURLEncoding
	}
	for i := range len(body) {
		if kindOf[body[i]] == other && !strings.ContainsRune("+/-_", rune(body[i])) {
			return "", false
		}
	}
	var head [6]byte // what is no base64 of text shows it here, most of the time
	n, err := encoding.Decode(head[:], []byte(body[:min(len(body)&^3, 8)]))
	if err != nil || bytes.ContainsFunc(head[:n], isNoASCII) {
		return "", false
	}
	plain, err := encoding.DecodeString(body)
	if err != nil || !printable(plain) {
		return "", false
	}
	return masked(string(plain)), true
}

func printable(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsFunc(b, isControl) }

func isControl(r rune) bool { return r < ' ' && !isSpace(byte(r)) || r == 0x7f }

func isNoASCII(r rune) bool { return r > 0x7f || isControl(r) }
