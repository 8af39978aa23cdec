// Package secret judges values: is this string, where it stands, a literal credential, a stand-in for one, a reference
// to an input, or harmless?
//
// It opens nothing and knows no manifest. A caller walks a document and asks for each string with its nearest name;
// arrays of command arguments go to Args, which looks at neighbours, and text payloads to Text, which reads line by
// line. What comes back names places and reasons, never values. Time is linear in the input, and depth, memory and the
// length of what any expression reads are bounded, whatever the input.
//
// Evidence is weighed in this order: what stands for something else (a reference, a variable, a stand-in), what is
// public by design, the shapes of the tokens of known providers, and at last the name of the value against its texture.
package secret

import (
	"cmp"
	"slices"
	"strings"
)

// Verdict says what a value, or a part of one, is. The graver is the greater.
type Verdict uint8

// The verdicts.
const (
	Benign      Verdict = iota // no credential
	Reference                  // an `${input:…}` reference, alone or with fixed text
	Placeholder                // a literal stand-in or an unresolved variable: no leak, but no host fills it in
	Secret                     // a literal credential
)

// String returns the verdict's name.
func (v Verdict) String() string {
	return [...]string{"benign", "reference", "placeholder", "secret"}[v]
}

// Kind says what a value is in its document.
type Kind uint8

// The kinds.
const (
	Unknown Kind = iota // a string of no known purpose
	Env                 // the value of an environment variable
	Header              // the value of an HTTP header
	Arg                 // an argument of a command
	URL                 // an address that a host connects to

	textLine // a line of a text file; the callers of Text need no name for it
)

// Context is what is known about where a value stands.
type Context struct {
	// Key is the nearest name: of the object member, the environment variable, the header. Where the string is the value
	// of an array, it is the name of the array; where it is the default of an input, the input's id.
	Key  string
	Kind Kind
}

// Match is a part of a value that is a credential or stands for one. No field holds any of the value.
type Match struct {
	Verdict Verdict // Placeholder or Secret
	Rule    string  // the id of an entry of Rules
	// Start and End are the byte offsets of the sensitive part within the value, End exclusive. Where the credential is
	// encoded, they span all of the encoded text.
	Start, End int
	Reason     string // why, as the rest of a sentence that starts with "it"
	// Credential reports whether a credential belongs here, by name or by form. It is always so for a Secret; a
	// Placeholder elsewhere is a setting that was left open.
	Credential bool
	InputID    string // an id for the input that should take the place of the part
}

// Result is what a value was found to be.
type Result struct {
	Verdict Verdict // the gravest that any part deserves
	Matches []Match // in order of position, none within another
	// Asked are the parts with a reference in the place of a credential, in order of position: their inputs are asked for
	// one.
	Asked []Part
}

// Part is a part of a value, by byte offsets, End exclusive.
type Part struct{ Start, End int }

// Conceal returns the value that was judged with every credential in it as conceal shows it.
func (r Result) Conceal(value string, conceal func(credential []byte) string) string {
	if r.Verdict != Secret {
		return value
	}
	var out strings.Builder
	end := 0
	for _, m := range r.Matches {
		if m.Verdict == Secret {
			out.WriteString(value[end:m.Start] + conceal([]byte(value[m.Start:m.End])))
			end = m.End
		}
	}
	return out.String() + value[end:]
}

// Conceal returns a name or a sentence, in which people may have pasted one, with the tokens of known providers in it as conceal
// shows them. What stands in references and variables is looked at, too. Names that only look drawn by lot stay.
func Conceal(text string, conceal func(credential []byte) string) string {
	r := Judge(unwrapped.Replace(text), Context{})
	r.Matches = slices.DeleteFunc(r.Matches, func(m Match) bool { return provider(text[m.Start:m.End]) == "" })
	return r.Conceal(text, conceal)
}

// unwrapped is a text of the same length in which nothing is a reference, a variable or asked for.
var unwrapped = strings.NewReplacer("${input:", "        ", "$", " ", "{", " ", "}", " ", "<", " ", ">", " ", "%", " ")

// Judge judges one value.
func Judge(value string, ctx Context) Result {
	j := judge{}
	j.value(whole(masked(value)), place{name: ctx.Key, role: roleOf(ctx.Key), kind: ctx.Kind}, 0)
	return j.result()
}

// judge gathers what is found in one value.
type judge struct {
	matches    []Match
	asked      []Part
	referenced bool
	entry      string // see reading
}

// add records a part.
func (j *judge) add(t text, p place, v Verdict, rule, reason string) {
	j.matches = append(j.matches, Match{
		Verdict: v, Rule: rule, Start: t.start, End: t.end, Reason: reason,
		Credential: v == Secret || p.role.credential(), InputID: InputID(p.name),
	})
}

// found returns whether anything was recorded after the first n parts.
func (j *judge) found(n int) bool { return len(j.matches) > n }

// result puts the parts in order and keeps of overlapping ones the gravest, then the first.
func (j *judge) result() Result {
	r := Result{Asked: j.asked}
	if j.referenced {
		r.Verdict = Reference
	}
	if len(j.matches) == 0 {
		return r
	}
	slices.SortStableFunc(j.matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Verdict, a.Verdict))
	})
	kept := j.matches[:1]
	for _, m := range j.matches[1:] {
		switch last := &kept[len(kept)-1]; {
		case m.Start >= last.End && (m.Start > last.Start || m.End > last.End):
			kept = append(kept, m)
		case m.Verdict > last.Verdict:
			*last = m
		}
	}
	r.Matches = kept
	for _, m := range kept {
		r.Verdict = max(r.Verdict, m.Verdict)
	}
	return r
}

// text is a part of a value: its masked content, and where in the value it stands.
type text struct {
	s          string
	start, end int
	decoded    bool // s is not what stands between start and end, but what that encodes
}

func whole(s string) text { return text{s: s, end: len(s)} }

// sub returns the part from i to j of t.
func (t text) sub(i, j int) text {
	if t.decoded {
		return text{t.s[i:j], t.start, t.end, true}
	}
	return text{t.s[i:j], t.start + i, t.start + j, false}
}

// as returns t with the content that it encodes.
func (t text) as(s string) text { return text{s, t.start, t.end, true} }

// trim returns t without spaces and quotes around it.
func (t text) trim() text {
	i, j := 0, len(t.s)
	for i < j && isSpace(t.s[i]) {
		i++
	}
	for i < j && isSpace(t.s[j-1]) {
		j--
	}
	if j-i >= 2 && (t.s[i] == '"' || t.s[i] == '\'' || t.s[i] == '`') && t.s[j-1] == t.s[i] {
		i++
		j--
	}
	return t.sub(i, j)
}

// strip returns t without the bytes of cutset around it.
func (t text) strip(cutset string) text {
	i := len(t.s) - len(strings.TrimLeft(t.s, cutset))
	return t.sub(i, max(i, len(strings.TrimRight(t.s, cutset))))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// place is where a part stands: its name, what the name says, and the form it is in.
type place struct {
	name string
	role role
	kind Kind
	form string // the rule of a form that contains the part, such as a URL; empty where the kind decides
	user string // the user that a password belongs to, where one is named
	// loose says that the part was found in running text, where a name may be followed by anything.
	loose bool
	set   setting
}

// setting says how closely a name in running text is tied to its value.
type setting uint8

const (
	inCode setting = iota + 1 // by a sign, in what may be a line of code
	alone                     // by a sign, and the value is in quotes, or the line has nothing else
)

// named returns p with a nearer name.
func (p place) named(name string, r role) place {
	p.name, p.role, p.user, p.set = name, r, "", 0
	return p
}

// addressed reports whether p is in an address, where what stands for a password is one.
func (p place) addressed() bool { return p.form == ruleURL || p.form == ruleConnection }

// rule returns the id of the rule for a secret at p.
func (p place) rule() string {
	switch {
	case p.form != "":
		return p.form
	case p.kind == Header:
		return ruleHeader
	case p.kind == Arg:
		return ruleArgument
	case p.kind == URL:
		return ruleURL
	case p.kind == textLine:
		return ruleText
	}
	return ruleValue
}
