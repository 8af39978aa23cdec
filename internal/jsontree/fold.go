package jsontree

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldName returns what names have in common that some parsers take for one another: letter case (with the long s and the
// Kelvin sign) and compatibility forms are folded, and what is invisible is dropped.
func FoldName(name string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, name)
	if isPlain(visible) {
		return strings.ToLower(visible)
	}
	return cases.Fold().String(norm.NFKC.String(visible))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
