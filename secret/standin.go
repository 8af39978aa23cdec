package secret

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isStandIn reports whether a value under name stands for a value that somebody has to fill in, or is a default that
// everybody knows. r is what the name says.
func isStandIn(s, name string, r role) bool {
	if len(s) > maxWordBytes {
		return false
	}
	switch {
	case bracketed(s), elided(s), managed(s), strings.HasSuffix(s, "EXAMPLE"):
		return true
	case !r.credential():
		return asks(s)
	case r == issued && strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }): // tokens are ASCII
		return true
	case strings.ContainsFunc(s, func(c rune) bool { return c >= 0x370 && unicode.IsLetter(c) && !unicode.Is(unicode.Latin, c) }):
		return true // passwords are Latin, whatever script the text around them is in
	case len(s) <= 2 && r.sure() && !isNumber(s), punctuation(s), drill(s), tailDrill(s), published(s):
		return true
	}
	var names wordList
	names.split(name)
	s = unaccented(s)
	return spells(s, &names, r) || strings.ContainsAny(s, "$@!013457") && spells(unleet(s), &names, r)
}

// bracketed reports whether s as a whole stands in brackets.
func bracketed(s string) bool {
	if len(s) < 3 {
		return false
	}
	inner := s[1 : len(s)-1]
	switch s[0] {
	case '<':
		return s[len(s)-1] == '>' && startsWords(inner[0])
	case '[':
		return s[len(s)-1] == ']' && startsWords(inner[0]) && !strings.ContainsAny(inner, `",`)
	}
	return false
}

// elided reports whether something was left out of s or painted over.
func elided(s string) bool {
	return strings.Contains(s, "...") || strings.Contains(s, "…") || strings.Contains(s, "•••") || strings.Contains(s, "***")
}

// managed reports whether s addresses a secret in a secret manager, or asks a loader of settings for one, which no host
// looks up.
func managed(s string) bool {
	for _, tag := range [...]string{"!env ", "!env_var ", "!secret ", "!vault ", "!ENV "} {
		if strings.HasPrefix(s, tag) {
			return true
		}
	}
	if strings.HasPrefix(s, "@Microsoft.KeyVault(") || strings.HasPrefix(s, "projects/") && strings.Contains(s, "/secrets/") {
		return true
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || rest == "" || len(scheme) > 24 {
		return false
	}
	scheme = strings.ToLower(scheme)
	if strings.Contains(scheme, "secret") || strings.Contains(scheme, "vault") {
		return true
	}
	switch scheme {
	case "op", "bws", "env", "keychain", "keyring", "ssm", "awssm",
		"aws-sm", "gcpsm", "akv", "azkv", "infisical", "doppler", "pass", "bitwarden", "1password", "lpass",
		"sops":
		return true
	}
	return false
}

// asks reports whether s asks its reader to fill something in, under whatever name.
func asks(s string) bool {
	if strings.Contains(s, "://") || strings.ContainsAny(s, `/\`) {
		return false
	}
	var l wordList
	l.split(s)
	if strings.Contains(s, " ") {
		return l.n > 1 && l.n <= 12 && l.class(0)&standIn != 0 && l.class(1)&about == 0
	}
	for i := range l.n {
		switch string(l.word(i)) {
		case "your", "changeme", "replaceme", "placeholder":
			return true
		}
	}
	return l.n > 2 && string(l.word(l.n-1)) == "here"
}

// punctuation reports whether s holds neither letter nor digit.
func punctuation(s string) bool {
	for i := range len(s) {
		if kindOf[s[i]] != other || s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// published reports whether s holds a credential that documentation shows to everybody.
func published(s string) bool {
	for _, example := range [...]string{
		"4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2", // Stripe
		"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq", "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM", // Azure emulators
		"AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "ABC-DEF1234ghIkl-zyx57W2v1u123ew11", // Telegram
		"16C7e42F292c6912E7710c838347Ae178B4a",                                 // GitHub
		"Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs", "DOCAbC123dEf456GhI789jKl01-MnO", // Discord, Google
		"b6907d289e10d714a6e88b30761fae22", "1234567890ab1cde2f3ab456c7d89efa", // OpenWeather, Databricks
		"N7UND0UgjKTVK-Uodkm0Hg",                                                       // the development server of Supabase
		"123e4567-e89b-12d3-a456-426614174000", "550e8400-e29b-41d4-a716-446655440000", // UUIDs of documentation
		"f47ac10b-58cc-4372-a567-0e02b2c3d479", "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		".eyJzdWIiOiIxMjM0NTY3ODkwIi", ".eyJpc3MiOiJzdXBhYmFzZS1kZW1vIi", // jwt.io, Supabase
		"QWxhZGRpbjpvcGVuIHNlc2FtZQ", "QWxhZGRpbjpvcGVuc2VzYW1l", "open sesame", // RFC 7617
	} {
		if strings.Contains(s, example) {
			return true
		}
	}
	switch strings.ToLower(s) {
	case "1q2w3e4r", "q1w2e3r4", "1qaz2wsx", "zaq12wsx", "tiger", "correct horse battery staple", "keyboard cat",
		"toor", "hogehoge", "neo4j", "foobared":
		return true
	}
	return false
}

// tailDrill reports whether s is a drill behind the prefix of a token: "sk_test_123456789", "ab_xxx".
func tailDrill(s string) bool {
	i := strings.LastIndexAny(s, "_-")
	return i >= 0 && i < 16 && (len(s)-i > 5 && drill(s[i+1:]) || len(s)-i > 3 && strings.Trim(s[i+1:], "xX") == "")
}

// spells reports whether the words of s spell a stand-in: they ask for a value, they are nothing but words for
// credentials and the words of its own name, or they make up a sentence.
func spells(s string, names *wordList, r role) bool {
	var l wordList
	l.split(s)
	if l.n == 0 || !l.whole {
		return false
	}
	asking, empty, nouns, sentence := false, true, 0, 0
	for i := range l.n {
		w, c := l.word(i), l.class(i)
		switch {
		case bytes.Contains(w, []byte("example")):
			return true
		case c&standIn != 0:
			asking = true
		case c&filler != 0, names.has(w), compound(w, names):
		case l.digits(i) && (len(w) <= 3 || drill(string(w)) || isYear(w)):
		default:
			empty = false
		}
		if c&(filler|standIn) != 0 && !l.digits(i) {
			nouns++
		}
		if c&prose != 0 {
			sentence++
		}
	}
	if asking && !mixed(&l) {
		return true
	}
	last := l.class(l.n - 1)
	return empty && (nouns > 0 || names.n > 0 && !l.digits(0)) ||
		string(l.word(0)) == "my" && last&(password|token|key|weak) != 0 ||
		l.n > 2 && string(l.word(l.n-1)) == "here" ||
		strings.Contains(s, " ") && sentence >= 2 && (r != chosen || sentence*2 >= l.n)
}

// maxCompound is the length of the longest word that is taken for several written together.
const maxCompound = 32

// compound reports whether w is nothing but words for credentials and the like, and words of names, written together:
// "mysecretpassword", "localdev".
func compound(w []byte, names *wordList) bool {
	if len(w) > maxCompound {
		return false
	}
	var ends [maxCompound + 1]bool // where a run of words may end
	ends[0] = true
	for i := range w {
		for n := 1; ends[i] && i+n <= len(w); n++ {
			part := w[i : i+n]
			ends[i+n] = ends[i+n] || names.has(part) || spelled(part, n > 2 || i == 0)
		}
	}
	return ends[len(w)]
}

// spelled reports whether a part of a compound means nothing by itself; a short one counts where it starts the compound,
// or is a word for a password.
func spelled(part []byte, counts bool) bool {
	c := words()[string(part)]
	return c&password != 0 || counts && c&(filler|standIn) != 0
}

// isYear reports whether w is a year of our time.
func isYear(w []byte) bool {
	return len(w) == 4 && (w[0] == '2' && w[1] == '0' || w[0] == '1' && w[1] == '9')
}

// mixed reports whether letters and digits alternate too often in l for a text that asks for something.
func mixed(l *wordList) bool {
	joints := 0
	for i := 1; i < l.n; i++ {
		if l.ends[i][0] == l.ends[i-1][1] {
			joints++
		}
	}
	return joints > 5
}

// unaccented returns s with the accents of the letters taken away that the languages of western Europe put on them.
func unaccented(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune("àáâãäåçèéêëìíîïñòóôõöøùúûüýÿ", unicode.ToLower(r)); i >= 0 {
			return rune("aaaaaaceeeeiiiinoooooouuuuyy"[i/2])
		}
		return r
	}, s)
}

// unleet undoes the habit of writing signs, and digits between letters, for letters.
func unleet(s string) string {
	b := []byte(s)
	for i := range b {
		letter := leet[b[i]]
		if letter != 0 && (kindOf[b[i]] != digit || i > 0 && isLetter(b[i-1]) && beforeLetter(b[i+1:])) {
			b[i] = letter
		}
	}
	return string(b)
}

// beforeLetter reports whether b starts with a letter, or with a digit for one that a letter follows.
func beforeLetter(b []byte) bool {
	return len(b) > 0 && isLetter(b[0]) || len(b) > 1 && leet[b[0]] != 0 && isLetter(b[1])
}

var leet = [256]byte{'$': 's', '@': 'a', '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't'}

func isLetter(c byte) bool { return kindOf[c] == lower || kindOf[c] == upper }
