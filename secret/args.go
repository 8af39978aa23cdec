package secret

import "strings"

// Args judges the arguments of a command, each by what it says itself and by the flag before it. The results are in the
// order of args. ctx is for the array as a whole.
func Args(args []string, ctx Context) []Result {
	results := make([]Result, len(args))
	base := place{name: ctx.Key, role: roleOf(ctx.Key), kind: Arg}
	if !base.role.credential() {
		base = base.named("", unknown)
	}
	next := operand{place: base}
	for i, arg := range args {
		j := judge{}
		next = j.argument(whole(masked(arg)), next, base)
		results[i] = j.result()
	}
	return results
}

// operand is what an argument is expected to be.
type operand struct {
	place
	flagged bool // it follows a flag that takes a value
	login   bool // it is `user:password`
	guess   bool // it may be a password, a port, a path
	behind  bool // it follows an argument that is no flag
	setting bool // it is NAME=value, or a NAME whose value the environment has
}

// argument judges one argument and returns what the next one is.
func (j *judge) argument(t text, o operand, base place) operand {
	switch {
	case isFlag(t.s) && !(o.flagged && len(t.s) >= 20 && likelyDrawn(t.s)):
		return j.flagArgument(t, base)
	case o.login:
		j.login(t, o.place)
	case o.guess && j.guessed(t, o.place):
	case o.setting && strings.IndexByte(t.s, '=') < 0:
		// A name alone: the value comes from the environment.
	case o.setting && j.pair(t, o.place, 0):
	case o.flagged, strings.ContainsAny(t.s, " \t\n"):
		j.value(t, o.place, 0)
	case o.behind && isBareKey(t.s):
		j.add(t, o.place, Secret, ruleArgument, "is a key by its form, and follows no flag that says otherwise")
	default:
		j.word(t, o.place, base, 0)
	}
	return operand{place: base, behind: !o.flagged && !o.setting}
}

// isBareKey reports whether s is a UUID, or hexadecimal text of the lengths of keys.
func isBareKey(s string) bool {
	t := textureOf(s)
	return t.hex && t.digits > 0 && t.digits < t.length && !drill(s) &&
		(t.length == 32 && (t.run == 32 || len(s) == 36 && strings.Count(s, "-") == 4) || t.length == 64 && t.run == 64)
}

// flagArgument judges a flag and returns what the argument behind it is.
func (j *judge) flagArgument(t text, base place) operand {
	switch name := identifier(strings.TrimLeft(t.s, "-")) + len(t.s) - len(strings.TrimLeft(t.s, "-")); {
	case name < len(t.s) && t.s[name] == '=':
		j.flag(t, base, 0)
		return operand{place: base}
	case name < len(t.s):
		return j.attached(t, base)
	}
	switch t.s {
	case "-H", "--header", "--headers":
		return operand{place: base, flagged: true}
	case "-e", "--env", "--env-var":
		return operand{place: base, setting: true}
	case "-k":
		return operand{place: base.named("key", maybe), flagged: true}
	}
	if passwordFlag(t.s) {
		return operand{place: base, guess: true}
	}
	if gluedPassword(t.s) && j.guessed(t.sub(2, len(t.s)), base) {
		return operand{place: base}
	}
	if loginFlag(t.s) {
		return operand{place: base.named("password", chosen), login: true}
	}
	if r := roleOf(t.s); r != unknown {
		return operand{place: base.named(t.s, r), flagged: true}
	}
	return j.attached(t, base)
}

// attached judges a value written right behind a short flag, as in -pPASSWORD or -HName:value.
func (j *judge) attached(t text, base place) operand {
	if attachedLogin(t.s) {
		j.login(t.sub(2, len(t.s)), base.named("password", chosen))
	} else if len(t.s) > 2 && t.s[1] != '-' {
		if body := t.sub(2, len(t.s)); provider(body.s) != "" || strings.HasPrefix(t.s, "-H") {
			j.value(body, base, 0)
		}
	}
	return operand{place: base}
}

// passwordFlag reports whether a flag takes a password in many tools, and other things in others.
func passwordFlag(s string) bool {
	return s == "-p" || s == "-P" || s == "-a" || s == "-w" || s == "-pw"
}

// guessed judges what may be a password, a port or a path, and reports whether it is a password.
func (j *judge) guessed(t text, p place) bool {
	if looksChosen(t.s) && strings.ContainsAny(t.s, "!@#$%^&*?") && !harmless(t.s) {
		return j.leaf(t, p.named("password", chosen))
	}
	p = p.named("password", maybe)
	v, _ := assess(t.s, p)
	return v == Secret && j.leaf(t, p)
}

// gluedPassword reports whether a flag may have a password right behind it, as in `mysql -pPASSWORD`.
func gluedPassword(s string) bool { return len(s) > 2 && s[:2] == "-p" }

// login judges `user:password`.
func (j *judge) login(t text, p place) {
	user, pass, ok := strings.Cut(t.s, ":")
	if isNumber(user) && isNumber(pass) { // of a user and a group
		return
	}
	if !ok || strings.Contains(t.s, "://") {
		j.word(t, p.named("", unknown), p.named("", unknown), 0)
		return
	}
	p.user = user
	j.leaf(t.sub(len(user)+1, len(t.s)), p)
}
