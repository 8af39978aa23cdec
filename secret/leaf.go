package secret

import (
	"strings"

	"github.com/azphalt/submissions/secret/internal/shape"
)

const (
	standsIn   = "is a stand-in, not a credential"
	isPassword = "is a literal password"
)

// maxLeaf is the length above which a text is no single credential.
const maxLeaf = 16 << 10

// leaf judges a part that nothing more can be taken out of. It reports whether it made anything of it.
func (j *judge) leaf(t text, p place) bool {
	t = t.trim()
	if found := marks(t.s); found != 0 {
		j.glued(t, p, found)
		return true
	}
	v, reason := assess(t.s, p)
	switch rule := p.rule(); {
	case v == Secret && reason == isPassword && !likelyDrawn(t.s) && (rule == ruleValue || p.loose && rule == ruleText && wordy(t.s)):
		j.add(t, p, Secret, ruleName, reason)
	case v == Secret:
		j.add(t, p, Secret, rule, reason)
	case v == Placeholder:
		j.standIn(t, p, rulePlaceholder, reason)
	}
	return v != Benign
}

// standIn records a placeholder. In running text, and where nobody knows what a string is for, it is an example.
func (j *judge) standIn(t text, p place, rule, reason string) {
	if p.kind != textLine && !p.loose && (p.kind != Unknown || p.role.credential()) {
		j.add(t, p, Placeholder, rule, reason)
	}
}

// glued judges a part with references or variables in it: a credential may stand beside them.
func (j *judge) glued(t text, p place, found mark) {
	n := len(j.matches)
	j.beside(t, p)
	if found&hasRef != 0 && p.role.sure() {
		j.asked = append(j.asked, Part{t.start, t.end})
	}
	j.open(t, p, found, n)
}

// beside judges what stands beside the references and variables of a part.
func (j *judge) beside(t text, p place) {
	for i := 0; i < len(t.s); {
		k := i
		for k < len(t.s) && !isMark(t.s[k]) {
			k++
		}
		if piece := t.sub(i, k).strip(" .:,;/@_-"); besides(piece.s, p) {
			j.add(piece, p, Secret, p.rule(), "holds a literal credential beside a reference")
		}
		i = k + 1
	}
}

// open records what the marks in a part leave open, unless something was found in it after the first n parts.
func (j *judge) open(t text, p place, found mark, n int) {
	j.referenced = j.referenced || found&hasRef != 0
	switch {
	case j.found(n):
	case found&hasVar != 0:
		j.standIn(t, p, ruleUnresolved, "holds a variable that no host fills in")
	case found&hasAsk != 0:
		j.standIn(t, p, rulePlaceholder, standsIn)
	}
}

// besides reports whether a literal next to a reference is a credential.
func besides(s string, p place) bool {
	if len(s) < minIssued || isStandIn(s, p.name, p.role) || isPublic(s, p.name) {
		return false
	}
	if provider(s) != "" {
		return true
	}
	return p.role.credential() && likelyDrawn(s) && !wordy(s) || p.role == unknown && p.kind != textLine && drawnRun(s, gluedRun) && !wordy(s) && !drill(s) && !harmless(s)
}

// gluedRun is how many letters and digits in a row look drawn by lot beside a reference, which is a hint by itself.
const gluedRun = 16

// assess judges a literal.
func assess(s string, p place) (Verdict, string) {
	switch {
	case s == "":
		if p.role.sure() {
			return Placeholder, "is empty where a credential belongs"
		}
		return Benign, ""
	case len(s) > maxLeaf:
		return Benign, ""
	case isPublic(s, p.name), p.role == maybe && (isSwitch(s) || s == "none"):
		return Benign, ""
	}
	id, r := provider(s), p.role
	if id != "" {
		r = max(r, issued)
	}
	switch {
	case isStandIn(s, p.name, r), p.user != "" && strings.EqualFold(s, p.user) && len(s) < 16:
		return Placeholder, standsIn
	case id != "" && !(p.loose && wordy(s)):
		return Secret, "has the shape of a " + id
	}
	switch p.role {
	case chosen:
		return assessPassword(s, p)
	case issued:
		return assessToken(s, p)
	case maybe, cookieJar:
		if (likelyDrawn(s) || !p.loose && isHexKey(s)) && !wordy(s) && !harmless(s) && !isResource(s) && !strings.Contains(s, "..") {
			return Secret, "looks drawn by lot, under a name that hints at a credential"
		}
		if isLogin(s) {
			return Secret, "is a user and a password"
		}
	case nothing:
		if strings.EqualFold(p.name, "user") && isLogin(s) {
			return Secret, "is a user and a password"
		}
	case unknown:
		return assessUnnamed(s, p)
	}
	return Benign, ""
}

// assessUnnamed judges a literal under a name that says nothing.
func assessUnnamed(s string, p place) (Verdict, string) {
	if isResource(s) {
		return Benign, ""
	}
	if p.kind != textLine && (drawn(s) || prefixed(s)) && !drill(s) && !harmless(s) {
		return Secret, "is long and looks drawn by lot"
	}
	if id, ok := keyed(s, p.name); ok {
		return Secret, "has the shape of a " + id
	}
	if p.kind == Env && !p.loose && isBareKey(s) && isProper(p.name) {
		return Secret, "is a key by its form, under a name that says nothing else"
	}
	return Benign, ""
}

// assessPassword judges a literal under the name of a password: whatever it is, somebody chose it.
func assessPassword(s string, p place) (Verdict, string) {
	switch {
	case isSwitch(s), isPath(s), harmless(s), isNumber(s) && len(s) < 4:
		return Benign, ""
	case p.loose && !p.addressed() && !likelyDrawn(s) && !p.sets(s), p.kind == textLine && len(s) < 4:
		return Benign, ""
	}
	return Secret, isPassword
}

// sets reports whether running text plainly sets a password to s, which looks chosen.
func (p place) sets(s string) bool {
	return p.kind != Unknown && looksChosen(s) && (p.set == alone || p.set == inCode && !(identifier(s) == len(s) && wordy(s)))
}

// assessToken judges a literal under the name of a token, which a machine issues: words are no token.
func assessToken(s string, p place) (Verdict, string) {
	switch {
	case isSwitch(s), isPath(s), harmless(s), isNumber(s):
		return Benign, ""
	case strings.ContainsAny(s, " \t\n") && !likelyDrawn(strings.ReplaceAll(s, " ", "")):
		if p.loose || p.kind == Unknown || p.kind == textLine {
			return Benign, ""
		}
	case p.loose && !p.addressed() && !likelyDrawn(s):
		return Benign, ""
	case len(s) >= minIssued && !wordy(s):
		return Secret, "is a literal under the name of a credential"
	case p.loose, p.kind == Unknown: // such as the name of a secret that is kept elsewhere
		return Benign, ""
	}
	return Placeholder, "is words where a credential belongs"
}

// isHexKey reports whether s is hexadecimal text of the length of a short key.
func isHexKey(s string) bool {
	t := textureOf(s)
	return t.hex && t.run == len(s) && t.length >= 16 && t.digits > 0 && t.digits < t.length
}

// isProper reports whether a name is one or two words of no known meaning: what a service or a product is called.
func isProper(name string) bool {
	var l wordList
	l.split(name)
	for i := range l.n {
		if len(l.word(i)) < 3 || l.digits(i) || l.class(i) != 0 {
			return false
		}
	}
	return l.n == 1 || l.n == 2
}

// isLogin reports whether s is `user:password` with a password that is no word.
func isLogin(s string) bool {
	user, pass, ok := strings.Cut(s, ":")
	return ok && user != "" && identifier(user) == len(user) && looksChosen(pass) && !isStandIn(pass, "password", chosen)
}

// looksChosen reports whether s looks like what people are made to choose for a password: letters and digits.
func looksChosen(s string) bool {
	t := textureOf(s)
	return len(s) >= 8 && t.digits > 0 && t.digits < t.length && !strings.ContainsAny(s, " /:,=\\")
}

// maxStarts bounds where in a leaf a token is looked for.
const maxStarts = 16

// provider returns the id of the shape that s, or a part of it behind a delimiter, starts with.
func provider(s string) string {
	starts := 0
	for i := 0; len(s)-i >= shape.MinLength && starts < maxStarts; i++ {
		if i > 0 && (wordByte(s[i-1]) || strings.IndexByte("-+/", s[i-1]) >= 0) || kindOf[s[i]] == other {
			continue
		}
		starts++
		if id, n := shape.Prefixed(s[i:]); n > 0 && (id != "jwt" || !anonymous(s[i:i+n])) {
			return id
		}
	}
	return ""
}

// isToken reports whether s as a whole has the shape of a provider's token, whatever signs it holds.
func isToken(s string) bool {
	_, n := shape.Prefixed(s)
	return n > 0 && n == len(s)
}

// keyed returns the provider whose name is in the value's name and whose tokens s looks like.
func keyed(s, name string) (id string, ok bool) {
	t := textureOf(s)
	if t.length < 14 || t.digits < 2 || t.digits == t.length || wordy(s) || !t.ragged() || harmless(s) {
		return "", false
	}
	return shape.Keyed(name, s)
}
