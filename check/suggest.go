package check

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
)

// Bounds that keep suggestions cheap on hostile input: names that are longer, and candidates beyond that many, are not
// looked at.
const (
	maxSuggestLength     = 120
	maxSuggestCandidates = 100
)

// nearest returns the candidate with the fewest edits to name, at most a third of its length; "" where there is none.
func nearest(name string, candidates []string) string {
	if len(name) > maxSuggestLength {
		return ""
	}
	best, least := "", len(name)/3+1
	for _, c := range candidates[:min(len(candidates), maxSuggestCandidates)] {
		if len(c) > maxSuggestLength || max(len(c)-len(name), len(name)-len(c)) >= least {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < least && c != name {
			best, least = c, d
		}
	}
	return best
}

// choose is the mend of a word that is none of those it has to be: the nearest one, otherwise as given in words.
func choose(v jsontree.Value, words []string, otherwise string) option {
	near := nearest(v.Str(), words)
	if near == "" {
		return fix("%s", otherwise)
	}
	start, end := v.Span()
	return fixBy([]edit{{start, end, jsonString(near)}}, "write %s", quote(near))
}

// nearestPath returns the file of the package that a path may have meant: one with nearly the same path, or the only one
// of the same ending.
func nearestPath(name string, files []listedFile) string {
	var paths, sameKind []string
	for _, f := range files[:min(len(files), maxSuggestCandidates)] {
		paths = append(paths, f.path)
		if path.Ext(f.path) == path.Ext(name) && path.Ext(name) != "" {
			sameKind = append(sameKind, f.path)
		}
	}
	if near := nearest(name, paths); near != "" {
		return near
	}
	if len(sameKind) == 1 && len(name) <= maxSuggestLength && len(sameKind[0]) <= maxSuggestLength {
		return sameKind[0]
	}
	return ""
}

// distance is the number of single-byte insertions, deletions and replacements between two short strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// jsonString writes a JSON string.
func jsonString(s string) string {
	out, _ := jsontext.AppendQuote(nil, s) // fails on invalid UTF-8 alone, and writes it replaced even then
	return string(out)
}

// rightDigest rewrites a SHA-256 digest from the forms of neighbouring formats, where that can be done for certain.
func rightDigest(text string) (string, bool) {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, prefix := range []string{"sha256-", "sha256:", "sha-256:", ""} {
		if digits, ok := strings.CutPrefix(lower, prefix); ok && len(digits) == 64 {
			if _, err := hex.DecodeString(digits); err == nil {
				return azp.DigestPrefix + digits, true
			}
		}
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} { // as in an SRI attribute
		if raw, err := encoding.DecodeString(strings.TrimPrefix(text, azp.DigestPrefix)); err == nil && len(raw) == len(azp.Digest{}) {
			return azp.Digest(raw).String(), true
		}
	}
	return "", false
}
