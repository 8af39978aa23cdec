package check

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
)

// What a server says of itself is put in front of a language model, which obeys text without asking whose it is. So texts
// are looked through for what is not meant for the user's eyes: characters that can't be seen, and instructions.

// instructions find what speaks to the model instead of describing, and why that is suspicious.
var instructions = []struct {
	pattern func() *regexp.Regexp
	reason  string
}{
	{lazyregexp.New(`(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system|your)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines)`), "tells the model to ignore what it was told"},
	{lazyregexp.New(`(?i)\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|telling|inform|informing|mention|mentioning|show|showing|notify|notifying|reveal|alert)\b.{0,40}\b(?:user|human|person|anyone|anybody)\b`), "tells the model to hide something from the user"},
	{lazyregexp.New(`(?i)<\s*/?\s*(?:important|system|secret|hidden|instructions?|admin|assistant|critical)\s*/?\s*>`), "has markup that poses as instructions of the host"},
	{lazyregexp.New(`(?i)\[/?(?:inst|system|sys)\]|<\|[a-z_]+\|>|<</?sys>>`), "has the control tokens of a language model"},
	{lazyregexp.New(`(?s)<!--`), "has an HTML comment, which many hosts do not show"},
	{lazyregexp.New(`(?i)\b(?:before|prior to|after|when|whenever|each time)\b.{0,40}\b(?:using|calling|invoking|running|you use|you call)\b.{0,60}\b(?:this|any|other|another)\b.{0,20}\btools?\b.{0,80}\b(?:must|always|first|read|send|pass|include|call)\b`), "tells the model what to do before or after it uses tools"},
	{lazyregexp.New(`(?i)(?:~|\$home|/home/|/root)[^\s"']{0,40}\.(?:ssh|aws|gnupg|kube|netrc|docker|config/gcloud|cursor)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b`), "names files in which credentials are kept"},
	{lazyregexp.New(`!\[[^\]]{0,200}\]\(\s*https?:`), "has an image that would be fetched where it is shown"},
	{lazyregexp.New(`(?:[ \t\x{00a0}]{80}|(?:\r?\n[ \t]*){12})\S`), "has text far off behind blanks, where nobody looks"},
}

// suspicions says what is suspicious in a text: each reason once.
func suspicions(text string) (reasons []string) {
	if r := unseenReason(text); r != "" {
		reasons = append(reasons, r)
	}
	for _, i := range instructions {
		if i.pattern().MatchString(text) {
			reasons = append(reasons, i.reason)
		}
	}
	return reasons
}

// unseenReason says which kind of characters that can't be seen are in a text.
func unseenReason(text string) string {
	var before rune
	for i, r := range text {
		switch {
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return fmt.Sprintf("has a bidirectional control (U+%04X), which shows text in another order than it has", r)
		case r >= 0xe0000 && r <= 0xe007f:
			return fmt.Sprintf("has tag characters (U+%04X), which can't be seen and which models read as letters", r)
		case r == '\n', r == '\t', r == '\r':
		case r < ' ', r >= 0x7f && r < 0xa0:
			return fmt.Sprintf("has a control character (U+%04X)", r)
		case isJoiner(r) && joins(before, text[i+len(string(r)):]):
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point), unicode.Is(unicode.Variation_Selector, r) && !unicode.In(before, unicode.So, unicode.Sk, unicode.Nd):
			return fmt.Sprintf("has a character of no width (U+%04X), by which text can be hidden", r)
		}
		before = r
	}
	return ""
}

func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// joins reports whether a joiner stands where scripts and emoji need one: between two that are not ASCII.
func joins(before rune, rest string) bool {
	for _, next := range rest {
		return before > unicode.MaxASCII && next > unicode.MaxASCII && !unicode.Is(unicode.Cf, before) && !unicode.Is(unicode.Cf, next)
	}
	return false
}

// maxJudgedText bounds what is looked through of one text, in bytes.
const maxJudgedText = 64 << 10

// judgeTextOf looks through all that a server says of itself.
func (p *prober) judgeTextOf(name string, place jsontree.Value, a *Answer) {
	judge := func(what, text string) {
		for _, reason := range suspicions(text[:min(len(text), maxJudgedText)]) {
			p.add("offers/suspicious-text", at(place), fmt.Sprintf("the %s of %s %s", what, name, reason), fix("describe what it does, in plain words for the user; whoever reviews the package should ask why it is there"))
		}
	}
	judge("instructions", a.Instructions)
	judge("name", a.Name+" "+a.Version)
	for _, list := range []struct {
		what    string
		offered []Offered
	}{{"tool", a.Tools}, {"resource", a.Resources}, {"prompt", a.Prompts}} {
		for _, o := range list.offered[:min(len(list.offered), maxShownOffers)] {
			judge(list.what+" "+quote(shown(o.Name)), strings.Join([]string{o.Name, o.Title, o.Description, o.Schema}, "\n"))
		}
	}
}
