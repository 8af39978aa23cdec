package check

import (
	"context"
	"strings"

	"github.com/azphalt/submissions/registry"
)

// maxImitated bounds the ids of others that a package is compared with in full: as many as are found at all in practice.
const maxImitated = 3

// judgeImitation warns of an id that people could take for that of another publisher's package: the part of the check for
// near-copies (the format, section 6) that needs nothing but the ids. The error is about reading alone.
func (m *manifest) judgeImitation(ctx context.Context, author registry.Author) error {
	id := m.root.Get("id")
	if m.c.published == nil || !idPattern().MatchString(id.Str()) || len(id.Str()) > maxSuggestLength {
		return nil
	}
	ids := m.c.publishedIDs()
	if ids.has(id.Str()) {
		return nil // the package has its place already
	}
	for _, other := range ids.like(id.Str()) {
		owner, err := m.c.published.Owner(ctx, other)
		if err != nil {
			return err
		}
		if r := registry.Relate(owner, author); r == registry.SameKey || r == registry.Vouched {
			continue
		}
		m.add("provenance/id-imitates", at(id), "the id "+quote(id.Str())+" is easily taken for "+quote(other)+", which the registry has already, from somebody else",
			fix("choose an id that nobody confuses with it; a maintainer decides whether this one may stay"))
		return nil
	}
	return nil
}

// idIndex finds ids that look alike.
type idIndex struct {
	exact map[string]bool
	ids   []string
	looks []looks // of ids
}

// looks is what the namespace and the last part of an id look like.
type looks struct{ space, name string }

func newIDIndex(ids []string) *idIndex {
	x := &idIndex{exact: map[string]bool{}}
	for _, id := range ids {
		if len(id) <= maxSuggestLength {
			x.exact[id] = true
			x.ids, x.looks = append(x.ids, id), append(x.looks, looksOf(id))
		}
	}
	return x
}

func (x *idIndex) has(id string) bool { return x.exact[id] }

// like returns the first ids that differ from one in how they are spelled, but hardly in how they look: by signs that look
// alike, by separators, or by one slip of the finger.
func (x *idIndex) like(id string) []string {
	var found []string
	wanted := looksOf(id)
	for i, l := range x.looks {
		if l.like(wanted) && len(found) < maxImitated {
			found = append(found, x.ids[i])
		}
	}
	return found
}

// From these lengths on, a slip of the finger makes no other name of a name, and no other namespace: fs and js are two.
const (
	minTypoName      = 6
	minTypoNamespace = 10
)

// foldLooks makes alike what looks alike.
var foldLooks = strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "-", "", "_", "")

func looksOf(id string) looks {
	id = strings.ToLower(id)
	dot := strings.LastIndexByte(id, '.') + 1
	return looks{foldLooks.Replace(id[:dot]), foldLooks.Replace(id[dot:])}
}

func (l looks) like(other looks) bool {
	switch {
	case l.space == other.space:
		return l.name == other.name || len(l.name) >= minTypoName && oneSlip(l.name, other.name)
	case l.name == other.name:
		return len(l.space) >= minTypoNamespace && oneSlip(l.space, other.space)
	default:
		return false
	}
}

// oneSlip reports whether one character of two strings is other, missing or too much, or two of them have changed places.
func oneSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
