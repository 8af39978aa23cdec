package secret

import "strings"

// role is what a name (a variable, header, flag, parameter or object key) says of the value under it.
type role uint8

const (
	unknown   role = iota // nothing
	nothing               // that it is no credential: an address, an id, a number of tokens
	maybe                 // that it may be a credential
	issued                // that it is a credential which a machine issued
	chosen                // that it is a credential which a person chose
	cookieJar             // that it is a list of cookies
)

// credential reports whether the value is, or may be, a credential.
func (r role) credential() bool { return r >= maybe }

// sure reports whether the value is a credential.
func (r role) sure() bool { return r == issued || r == chosen }

// CredentialName reports whether a name means a credential, by its parts: DB_PASS, PGPASS, GH_PAT, X-Api-Key and --token
// do; PASSENGER_LIMIT, COMPASS, AUTHOR, KEYBOARD, PUBLIC_KEY, TOKEN_URL and MAX_TOKENS do not. It is narrower and wider
// than the list of the format, which matches substrings.
func CredentialName(name string) bool { return roleOf(name).credential() }

// roleOf reads a name. The last word counts most, once those that name an environment or a number are put aside.
func roleOf(name string) role {
	if len(name) > maxWordBytes {
		name = name[len(name)-maxWordBytes:]
	}
	var l wordList
	l.split(name)
	n := l.n
	for n > 1 && (l.digits(n-1) || l.class(n-1)&(tail|public) == tail) {
		n--
	}
	if n == 0 {
		return unknown
	}
	if n > 1 && l.class(0)&modal != 0 {
		return nothing
	}
	return l.role(n)
}

// role reads the first n words of a name.
func (l *wordList) role(n int) role {
	last := l.class(n - 1)
	quantity := false
	for i := range n - 1 {
		quantity = quantity || l.class(i)&amount != 0
	}
	switch word := string(l.word(n - 1)); {
	case last&(password|token|weak) != 0 && quantity:
		return nothing
	case word == "cookie" || word == "cookies":
		return cookieJar
	case last&password != 0:
		return chosen
	case last&token != 0:
		return issued
	case word == "sid" && n > 1 && string(l.word(n-2)) == "account": // Twilio's name for an id
		return nothing
	case last&weak != 0:
		return maybe
	case last&key != 0:
		return l.keyRole(n - 1)
	case word == "public" || word == "publishable" || word == "anon":
		return nothing
	case word == "phrase" && n > 1:
		return chosen
	case word == "team" && n > 1 && string(l.word(n-2)) == "honeycomb": // what Honeycomb calls an API key
		return issued
	case word == "hash" && n > 1 && string(l.word(n-2)) == "api": // what Telegram calls an API key
		return issued
	case word == "id" && n > 1 && string(l.word(n-2)) == "session":
		return maybe
	case word == "id" && n > 2 && string(l.word(n-2)) == "key" && string(l.word(n-3)) == "access": // half of a pair
		return issued
	case last&(about|amount) != 0:
		return nothing
	}
	return l.buriedRole(n, quantity)
}

// keyRole reads a name whose n-th word is "key": what kind of key it is stands before it.
func (l *wordList) keyRole(n int) role {
	if n == 0 {
		return maybe
	}
	if l.has([]byte("search")) && (l.has([]byte("only")) || l.has([]byte("algolia"))) { // a key for everybody's browser
		return nothing
	}
	before := l.class(n - 1)
	switch {
	case before&(issuing|token|password) != 0:
		return issued
	case before&public != 0:
		return nothing
	}
	for i := range n - 1 {
		if l.class(i)&public != 0 && l.class(i)&(issuing|tail|about) == 0 {
			return nothing
		}
	}
	return maybe
}

// buriedRole reads a name whose last word says nothing: API_KEY_OPENAI, PASSWORD_SMTP.
func (l *wordList) buriedRole(n int, quantity bool) role {
	found := unknown
	for i := range n - 1 {
		switch c := l.class(i); {
		case c&about != 0 && c&(issuing|public) == 0, quantity:
			return nothing
		case c&password != 0:
			found = max(found, chosen)
		case c&token != 0:
			found = max(found, issued)
		case c&key != 0 && l.keyRole(i) == issued:
			found = max(found, issued)
		}
	}
	return found
}

// maxInputID bounds the suggested name of an input.
const maxInputID = 64

// InputID suggests the id of an input for the value under a name: GITHUB_TOKEN becomes github-token.
func InputID(name string) string {
	if len(name) > maxWordBytes {
		name = name[len(name)-maxWordBytes:]
	}
	var l wordList
	l.split(name)
	var b strings.Builder
	for i := range l.n {
		w := l.word(i)
		if i == 0 && l.n > 1 && string(w) == "x" { // the X- of a header
			continue
		}
		if b.Len()+1+len(w) > maxInputID {
			break
		}
		if b.Len() > 0 && !(l.digits(i) && l.ends[i][0] == l.ends[i-1][1]) {
			b.WriteByte('-')
		}
		b.Write(w)
	}
	if b.Len() == 0 {
		return "credential"
	}
	return b.String()
}
