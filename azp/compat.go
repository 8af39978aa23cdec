package azp

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

// Compat is the host version that a package asks for: one comparator and a version (the format, section 5).
type Compat struct {
	Op      string    // ">=", ">", "<=", "<" or "="
	Version [3]string // decimal digits without leading zeros, of any length
}

// Space is the white space of ECMAScript, as a class of regular expressions: it has U+FEFF and the spaces of Unicode, and
// neither U+0085 nor U+180E.
const Space = `[\t\n\v\f\r \x{00a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`

var compatPattern = regexp.MustCompile(`^` + Space + `*(?:(>=|<=|>|<|=)` + Space + `*)?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?` + Space + `*$`)

// ParseCompat reads a compat; ok is false where it does not follow the grammar. Parts left out are 0, the comparator is >=
// unless given.
func ParseCompat(s string) (c Compat, ok bool) {
	m := compatPattern.FindStringSubmatch(s)
	if m == nil {
		return c, false
	}
	c.Op = cmp.Or(m[1], ">=")
	for i, part := range m[2:5] {
		c.Version[i] = cmp.Or(strings.TrimLeft(part, "0"), "0")
	}
	return c, true
}

// Satisfied reports whether a host of the given version fulfils the comparator. A host that can't be read fulfils none.
func (c Compat) Satisfied(host string) bool {
	h, ok := ParseCompat(host)
	if !ok {
		return false
	}
	order := 0
	for i := range h.Version {
		order = cmp.Or(order, compareDigits(h.Version[i], c.Version[i]))
	}
	switch c.Op {
	case ">=":
		return order >= 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case "<":
		return order < 0
	default:
		return order == 0
	}
}

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// ValidVersion reports whether a version is semantic versioning 2.0.0, complete.
func ValidVersion(v string) bool {
	core, _, _ := strings.Cut(v, "+")
	core, _, _ = strings.Cut(core, "-")
	return strings.Count(core, ".") == 2 && semver.IsValid("v"+v) // the package takes v1 and v1.2 for v1.0.0 and v1.2.0
}

// CompareVersions orders versions by the precedence of semantic versioning, in which build metadata does not count.
// Invalid ones come before all others, ordered by UTF-16 code unit.
func CompareVersions(a, b string) int {
	switch validA, validB := ValidVersion(a), ValidVersion(b); {
	case validA && validB:
		return semver.Compare("v"+a, "v"+b)
	case validA:
		return 1
	case validB:
		return -1
	default:
		return compareUTF16(a, b)
	}
}
