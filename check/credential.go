package check

import (
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// credentialWords make a name look like that of a credential: anywhere in it, in any letter case (the format, section 4).
// "apikey" and its spellings hold "key". Letter case is that of ASCII: the Kelvin sign is no k.
var credentialWords = []string{"key", "token", "secret", "password", "passwd", "authorization", "credential", "bearer"}

// credentialWord returns the word by which a name looks like that of a credential, "" where there is none.
func credentialWord(name string) string {
	lower := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
	for _, word := range credentialWords {
		if strings.Contains(lower, word) {
			return word
		}
	}
	return ""
}

// Input references are `${input:ID}`; an id has 1 to 128 UTF-16 units.
const (
	refStart    = "${input:"
	maxRefUnits = 128
)

// ref is an input reference within a string.
type ref struct {
	id         string
	start, end int // bytes of the decoded string
	long       bool
}

// references returns the input references of a string. One whose id is too long is no reference for the format; it is
// returned all the same, marked, since its author took it for one.
func references(s string) []ref {
	var refs []ref
	end := -1 // the first closing brace from the reference on
	for from := 0; ; {
		i := strings.Index(s[from:], refStart)
		if i < 0 {
			return refs
		}
		start := from + i
		idStart := start + len(refStart)
		if end < idStart {
			length := strings.IndexByte(s[idStart:], '}')
			if length < 0 {
				return refs
			}
			end = idStart + length
		}
		id := s[idStart:end]
		// An id of n bytes has at least n/3 units; the length of longer ones need not be counted.
		long := len(id) > 3*maxRefUnits || jsontree.UTF16Len(id) > maxRefUnits
		if id == "" || long && strings.Contains(id, refStart) { // the latter was never closed, and has another inside
			from = idStart
			continue
		}
		refs = append(refs, ref{id: id, start: start, end: end + 1, long: long})
		from = end + 1
	}
}

// hasReference reports whether a string holds a reference that the format knows.
func hasReference(refs []ref) bool {
	for _, r := range refs {
		if !r.long {
			return true
		}
	}
	return false
}
