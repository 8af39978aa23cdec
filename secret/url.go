package secret

import (
	"net/url"
	"strings"
)

// url judges an address: its user, its parameters and its path. It reports false where t does not start with a scheme.
func (j *judge) url(t text, p place, depth int) bool {
	i := strings.Index(t.s, "://")
	if i < 1 || i > 24 || !isURLScheme(t.s[:i]) {
		return false
	}
	scheme := strings.ToLower(t.s[:i])
	if managed(t.s) {
		j.leaf(t, p)
		return true
	}
	if semi := strings.IndexAny(t.s, ";?"); semi >= 0 && t.s[semi] == ';' && semi > strings.LastIndexByte(t.s, '@') {
		return false // settings follow the address, as in the data source names of JDBC
	}
	web := isWeb(scheme)
	if p.form = ruleConnection; web {
		p.form = ruleURL
	}
	n := len(j.matches)
	from := i + 3
	to := from + authority(t.s[from:])
	host := from
	if at := strings.LastIndexByte(t.s[from:to], '@'); at >= 0 {
		j.userInfo(t.sub(from, from+at), p, web)
		host = from + at + 1
	}
	path, query, fragment := parts(t.s, to)
	if web {
		j.path(t.sub(to, path), t.s[host:to], p)
	}
	j.parameters(t.sub(min(path+1, query), query), p, depth)
	j.parameters(t.sub(min(query+1, fragment), fragment), p, depth)
	found := marks(t.s)
	j.open(t, p, found, n)
	return true
}

func isURLScheme(s string) bool {
	for i := range len(s) {
		if kindOf[s[i]] == other && (i == 0 || s[i] != '+' && s[i] != '-' && s[i] != '_' && s[i] != '.' && s[i] != ':') {
			return false
		}
	}
	return kindOf[s[0]] != digit
}

func isWeb(scheme string) bool {
	switch scheme {
	case "http", "https", "ws", "wss", "sse", "git+https", "git+http":
		return true
	}
	return false
}

// authority returns the length of the authority that s starts with. Passwords hold slashes and the like unescaped, so
// it goes on to an at sign behind one where the text before has a user, a colon and no port.
func authority(s string) int {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		return len(s)
	}
	if strings.IndexByte(s[:end], '@') >= 0 {
		return end
	}
	colon := strings.IndexByte(s[:end], ':')
	if colon < 0 || colon+1 < end && kindOf[s[colon+1]] == digit && isNumber(s[colon+1:end]) {
		return end
	}
	at := strings.LastIndexByte(s, '@')
	if at < end || s[colon+1:end] == "" && !namesHost(s[at+1:], false) {
		return end
	}
	if next := strings.IndexAny(s[at:], "/?#"); next >= 0 {
		return at + next
	}
	return len(s)
}

// parts returns where the path that starts at from ends, where the query after it ends, and where the fragment does.
func parts(s string, from int) (path, query, fragment int) {
	query, fragment = len(s), len(s)
	if h := strings.IndexByte(s[from:], '#'); h >= 0 {
		query = from + h
	}
	path = query
	if q := strings.IndexByte(s[from:query], '?'); q >= 0 {
		path = from + q
	}
	return path, query, fragment
}

// userInfo judges `user:password`, or a token in the place of the user.
func (j *judge) userInfo(t text, p place, web bool) {
	user, _, hasPassword := strings.Cut(t.s, ":")
	if hasPassword && len(user)+1 < len(t.s) {
		q := p.named(passwordName(p.name), chosen)
		q.user = unescape(user)
		j.component(t.sub(len(user)+1, len(t.s)), q)
	}
	q := p.named(p.name, unknown)
	if web {
		q.role = maybe
	}
	if found := marks(user); found == 0 && (provider(user) != "" || q.role == maybe && likelyDrawn(user) && !wordy(user)) {
		j.component(t.sub(0, len(user)), q)
	}
}

// passwordName names the password in the address under name: DATABASE_URL becomes DATABASE password.
func passwordName(name string) string {
	for _, suffix := range []string{"url", "uri", "dsn", "args"} {
		if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
			name = name[:n]
			break
		}
	}
	return strings.Trim(name+" password", " _-")
}

// component judges a part of an address that may be percent-encoded.
func (j *judge) component(t text, p place) {
	if plain := unescape(t.s); plain != t.s {
		t = t.as(masked(plain))
	}
	j.leaf(t, p)
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	plain, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

// query judges the parameters of an address that stand by themselves, such as a shared access signature.
func (j *judge) query(t text, p place, depth int) bool {
	if strings.HasPrefix(t.s, "?") {
		t = t.sub(1, len(t.s))
	}
	if eq := strings.IndexByte(t.s, '='); eq < 1 || eq > strings.IndexByte(t.s, '&') || identifier(t.s) != eq {
		return false
	}
	p.form = ruleURL
	n := len(j.matches)
	j.parameters(t, p, depth)
	return j.found(n)
}

// parameters judges a query or a fragment.
func (j *judge) parameters(t text, p place, depth int) {
	for at := 0; at < len(t.s); {
		end := len(t.s)
		if i := strings.IndexAny(t.s[at:], "&;"); i >= 0 {
			end = at + i
		}
		j.parameter(t.sub(at, end), p, depth)
		at = end + 1
	}
}

func (j *judge) parameter(t text, p place, depth int) {
	eq := strings.IndexByte(t.s, '=')
	if eq < 1 {
		return
	}
	name, value := unescape(t.s[:eq]), t.sub(eq+1, len(t.s))
	q := p.named(name, parameterRole(name))
	plain := unescape(value.s)
	nested := strings.Contains(plain, "://") || len(plain) >= 16 && strings.ContainsAny(plain[:1], "e{")
	if !nested || depth+1 >= maxDepth {
		j.component(value, q)
		return
	}
	if plain != value.s {
		value = value.as(masked(plain))
	}
	j.value(value, q, depth+1)
}

// parameterRole is roleOf for the short names that addresses use.
func parameterRole(name string) role {
	switch strings.ToLower(name) {
	case "sig", "signature", "x-amz-signature", "x-goog-signature":
		return issued
	case "code", "k", "ak", "sk":
		return maybe
	}
	return roleOf(name)
}
