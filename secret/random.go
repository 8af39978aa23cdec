package secret

import (
	"bytes"
	"strings"
)

// minIssued is the length of the shortest value that is taken for a token which a machine issued.
const minIssued = 8

// texture measures how much a text looks drawn by lot. Words keep to one kind of letter for a while, and numbers to
// digits; text drawn by lot changes between lower case, upper case and digits every other character.
type texture struct {
	length  int // letters and digits
	digits  int
	changes int // neighbours of different kinds, but for a capital before lower case
	lower   bool
	upper   bool
	base16  bool // nothing but hexadecimal digits
	hex     bool // nothing but hexadecimal digits of one case
	run     int  // the longest run of letters and digits
}

func textureOf(s string) texture {
	t := texture{base16: true}
	var before byte
	run := 0
	for i := range len(s) {
		k := kindOf[s[i]]
		if k == other {
			run = 0
			continue
		}
		run++
		t.run = max(t.run, run)
		t.length++
		switch k {
		case digit:
			t.digits++
		case lower:
			t.lower = true
		case upper:
			t.upper = true
		}
		if k != digit && (fold(s[i]) > 'f') {
			t.base16 = false
		}
		if t.length > 1 && before != k && !(before == upper && k == lower) {
			t.changes++
		}
		before = k
	}
	t.hex = t.base16 && !(t.lower && t.upper) && t.length > 0
	return t
}

// hexadecimal reports whether nothing but hexadecimal digits, of whatever case, was looked at.
func (t texture) hexadecimal() bool { return t.length > 0 && t.run == t.length && t.base16 }

// ragged reports whether the kinds of characters change too often for words.
func (t texture) ragged() bool {
	return t.digits > 0 && t.changes*9 >= t.length*2 || t.lower && t.upper && t.changes*4 >= t.length
}

// drawn reports whether s looks drawn by lot by itself, whatever its name: once words, numbers and commits are put aside,
// it is long and of all three kinds.
func drawn(s string) bool { return len(s) >= 24 && drawnRun(s, 20) }

// drawnRun is drawn for a text of any length with so many letters and digits in a row.
func drawnRun(s string, run int) bool {
	if len(s) < run || len(s) > maxLeaf {
		return false
	}
	var rest strings.Builder
	path := strings.Count(s, "/")*10 > len(s)
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return strings.ContainsRune("-_.~+@", r) || r == '/' && !path
	}) {
		if t := textureOf(part); t.digits < t.length && !(t.hex && t.run == 40) && (t.digits > 0 || !pronounceable(part)) {
			rest.WriteString(part)
		}
	}
	t := textureOf(rest.String())
	return t.run >= run && t.lower && t.upper && t.digits >= 2 && t.ragged()
}

// prefixed reports whether s looks drawn by lot behind a prefix that speaks of a key: "ak-", "rgapi-", "token_".
func prefixed(s string) bool {
	i := strings.IndexAny(s, "_-")
	if i < 2 || i > 16 || len(s)-i <= 20 || len(s) > maxWordBytes {
		return false
	}
	prefix, rest := strings.ToLower(s[:i]), s[i+1:]
	switch {
	case prefix == "pk" || strings.HasPrefix(prefix, "pub"):
		return false
	case len(prefix) <= 3 && prefix[len(prefix)-1] == 'k', prefix == "pat", prefix == "tok", strings.HasSuffix(prefix, "key"),
		strings.HasSuffix(prefix, "token"), strings.HasSuffix(prefix, "secret"), strings.HasSuffix(prefix, "api"):
		return likelyDrawn(rest) && !wordy(rest)
	}
	return false
}

// likelyDrawn is drawn under a name that hints at a credential: hexadecimal text and UUIDs count too.
func likelyDrawn(s string) bool {
	if strings.ContainsAny(s, " \t\n") {
		return false
	}
	t := textureOf(s)
	switch {
	case t.length < 12:
		return false
	case t.hex && t.digits > 0 && t.digits < t.length:
		return t.length >= 20
	case t.run < 8:
		return false
	}
	return t.ragged() && (t.digits > 0 || t.length >= 16) || t.run >= 16 && !pronounceable(s)
}

// minHex is the length from which hexadecimal text is no word.
const minHex = 10

// maxSpoken is the length of the longest word.
const maxSpoken = 20

// wordy reports whether s is made of words and short numbers, as a person writes them: most of its letters belong to
// parts that can be pronounced, and its digits come in few and short groups.
func wordy(s string) bool {
	var l wordList
	l.split(s)
	letters, heard, digits, groups, parts := 0, 0, 0, 0, 0
	for i := range l.n {
		w := l.word(i)
		if l.digits(i) {
			digits += len(w)
			groups++
			continue
		}
		if len(w) > maxSpoken || repeats(w) {
			return false
		}
		letters += len(w)
		parts++
		if len(w) >= 3 && spoken(string(w)) || l.class(i) != 0 {
			heard += len(w)
		}
	}
	if t := textureOf(s); t.hex && t.run == t.length && t.length >= minHex && t.digits > 1 && letters > 0 {
		return false
	}
	return l.whole && heard*4 >= letters*3 && letters >= parts*3 &&
		digits < 16 && (letters > 0 || digits < 8) && groups <= 1+l.n/2
}

// minRepeated is the length from which a word that repeats itself is none.
const minRepeated = 16

// repeats reports whether a word is one part of four letters or more, over and over.
func repeats(w []byte) bool {
	for n := 4; len(w) >= minRepeated && n <= len(w)/2; n++ {
		if len(w)%n == 0 && bytes.Equal(w[n:], w[:len(w)-n]) {
			return true
		}
	}
	return false
}

// follows holds, for each letter from a to z, the letters that follow it in words: the 330 pairs that make up 98 % of all
// pairs in technical English. Letters drawn by lot form such a pair every other time.
var follows = [26]string{
	"bcdfgiklmnprstuvwxy", "abceijlorstuy", "aceghiklmoprstuvy", "adefilmorsuvy", "abcdefghilmnopqrstuvwxy", "acdefilorstuy",
	"aceghilmnorsu", "aeimortu", "abcdefglmnoprstvxz", "aeu", "aeins", "acdefgilopstuvy", "abeiklmopsu", "abcdefghiklmnoprstuvwy",
	"abcdefgiklmnoprstuvwx", "acehiloprstuy", "u", "abcdefgiklmnoprstuvwy", "acefghiklmnopstuwy", "acdefghilmoprstuxy",
	"abcdefgilmnoprst", "aeimos", "aehinors", "aceiptv", "imnps", "aei",
}

// pronounceable reports whether the letters of s follow each other as in words: at most one pair in five is strange.
func pronounceable(s string) bool {
	pairs, strange := strangePairs(s)
	return strange*5 <= pairs
}

// spoken is pronounceable for one word, of which more is asked where it is long: one pair in seven.
func spoken(word string) bool {
	pairs, strange := strangePairs(word)
	return strange*5 <= pairs && (pairs < 10 || strange*7 <= pairs)
}

// strangePairs counts the pairs of letters in s, and those that words seldom have.
func strangePairs(s string) (pairs, strange int) {
	for i := 1; i < len(s); i++ {
		a, b := fold(s[i-1]), fold(s[i])
		if kindOf[a] != lower || kindOf[b] != lower {
			continue
		}
		pairs++
		if strings.IndexByte(follows[a-'a'], b) < 0 {
			strange++
		}
	}
	return pairs, strange
}

// drill reports whether s is an exercise in counting or a repetition: "123456789", "abc123xyz456", "a1b2c3d4", "xxxxxxxx".
func drill(s string) bool {
	if strings.Count(s, "-") < 3 {
		return drills(s, 7)
	}
	for group := range strings.SplitSeq(s, "-") { // as of a UUID
		if !drills(group, 3) {
			return drills(s, 7)
		}
	}
	return true
}

// drills is drill for a text without groups. Two counts that alternate are an exercise from that many pairs on.
func drills(s string, alternating int) bool {
	steps, same, pairs, run, strides := 0, 0, 0, 0, 0
	var before, earlier byte
	for i := range len(s) {
		c := fold(s[i])
		if kindOf[c] == other && c != '*' && c != '.' {
			continue
		}
		if earlier != 0 && (c-earlier == 1 || c == earlier) && c != before {
			strides++
		}
		earlier = before
		if before != 0 {
			pairs++
			switch d := int(c) - int(before); {
			case d == 0:
				same++
				run++
				if run >= 4 && (c == 'x' || c == '*' || c == '.') {
					return true
				}
			case d == 1 || d == -1 || before == '9' && (c == 'a' || c == '0'):
				steps++
				run = 0
			default:
				run = 0
			}
		}
		before = c
	}
	return pairs >= 2 && same*10 >= pairs*6 || pairs >= 3 && steps == pairs || pairs >= 5 && (steps+same)*10 >= pairs*6 ||
		pairs >= alternating && strides*10 >= (pairs-1)*8
}
