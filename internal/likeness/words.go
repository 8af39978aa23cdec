package likeness

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Bounds on what is looked at of a text, in bytes.
const (
	maxName        = 256
	maxDescription = 4 << 10
)

// words returns the words of a text, at most limit bytes of it, in the form in which all that people read alike is the same:
// letter case, accents, widths and letters of other alphabets do not count.
func words(text string, limit int) []string {
	text = strings.ToValidUTF8(text[:min(len(text), limit)], "")
	text = norm.NFD.String(cases.Fold().String(norm.NFKC.String(text)))
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case twins[r] != 0:
			return twins[r]
		case !unicode.In(r, unicode.L, unicode.N, unicode.Mc):
			return ' '
		default:
			return r
		}
	}, text)
	var out []string
	for w := range strings.FieldsSeq(text) {
		out = append(out, pairs(w)...)
	}
	return out
}

// twins are letters that look like Latin ones. Cyrillic and Greek have nearly all that fonts do not tell apart.
var twins = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ѕ': 's', 'һ': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'т': 't', 'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'ᴢ': 'z', 'ь': 'b', 'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ø': 'o', 'ł': 'l', 'đ': 'd',
	'α': 'a', 'β': 'b', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ω': 'w', 'γ': 'y', 'ϲ': 'c', 'ϳ': 'j',
}

// pairs cuts a word of a script that has no blanks between words into pairs of characters; other words stay whole.
func pairs(word string) []string {
	runes := []rune(word)
	if len(runes) <= 2 || !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) {
		return []string{word}
	}
	out := make([]string, 0, len(runes)-1)
	for i := range runes[1:] {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// Alike makes alike the ASCII signs that look alike, in text of lower case.
var Alike = strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "-", "", "_", "")

// content returns the distinct words of a description that say something, in order.
func content(text string) []string {
	var out []string
	for _, w := range words(text, maxDescription) {
		if !stop[w] && (len(w) > 2 || w[0] >= 0x80) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var stop = set("the and for with that this any are from into onto your you its all can has have not but our their who which when will via using use uses")

// plain are words that say what a package is or does; a name of these alone belongs to nobody.
var plain = set(`a an and app apps application by for from in my new of on or the to with
	api asset assets basic bundle cli client collection core demo example extension free hello helper kit lib library lite local package pack plugin
	plus pro remote sample sdk server servers service set simple standard starter template test tool toolkit tools tutorial ui utility utilities world
	mcp wasi wasm skill skills script scripts
	agent ai assistant audio bot brush brushes browser calculator calendar chat clock cloud code color colors colour command csv data database date db
	desktop directory docs document documents drive editor effect effects email fetch file files filesystem filter filters folder font fonts fs git
	graph http icon icons image images json knowledge log logs lut luts mail map maps markdown math memory message messages music news note notes palette
	pdf photo photos picture project query random reader search shell sound sql storage system task tasks terminal text texture textures thinking time
	todo translate translator url video weather web website writer xml yaml`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}
