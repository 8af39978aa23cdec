package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/registry"
)

// maxImitated bounds the packages of others that a package is compared with in full: as many as are found at all in practice.
const maxImitated = 20

// judgeImitation warns of an id that people could take for that of another publisher's package (the format, section 6). The
// error is about reading alone.
func (m *manifest) judgeImitation(ctx context.Context, author registry.Author) error {
	id := m.root.Get("id")
	if !idPattern().MatchString(id.Str()) || len(id.Str()) > maxSuggestLength {
		return nil
	}
	ids := m.c.publishedIDs()
	if ids.has(id.Str()) {
		return nil // the package has its place already
	}
	for _, other := range ids.like(id.Str()) {
		own, err := m.isOwn(ctx, other, author)
		if err != nil {
			return err
		}
		if own {
			continue
		}
		m.add("provenance/id-imitates", at(id), "the id "+quote(id.Str())+" is easily taken for "+quote(other)+", which the registry has already, from somebody else",
			fix("choose an id that nobody confuses with it; a maintainer decides whether this one may stay"))
		return nil
	}
	return nil
}

// isOwn reports whether an id is known to belong to an author.
func (m *manifest) isOwn(ctx context.Context, id string, author registry.Author) (bool, error) {
	owner, err := m.c.published.Owner(ctx, id)
	if err != nil {
		return false, err
	}
	switch registry.Relate(owner, author) {
	case registry.SameKey, registry.Vouched, registry.SameAccount:
		return true, nil
	}
	return registry.Relate(owner, registry.Author{GitHubID: m.c.account}) == registry.SameAccount, nil
}

// judgeNearCopies warns of a package that is nearly the same as another publisher's, by its name, its description or its
// files (the format, section 6). Of an update, only what is new in it counts. The error is about reading alone.
func (m *manifest) judgeNearCopies(ctx context.Context, s submitted) error {
	p := s.profile
	before, err := m.c.published.Newest(ctx, p.ID)
	if err != nil {
		return err
	}
	if before != nil {
		old := published.ProfileOf(before.Manifest.Root())
		if p.Digests = nil; p.Name == old.Name {
			p.Name = ""
		}
		if p.Description == old.Description {
			p.Description = ""
		}
	}
	if p.Name == "" && p.Description == "" && len(p.Digests) == 0 {
		return nil
	}
	near, err := m.c.published.Near(ctx, p)
	if err != nil {
		return err
	}
	compared := map[likeness.Trait]int{}
	said := map[likeness.Trait]bool{}
	for _, n := range near {
		if compared[n.Trait]++; said[n.Trait] || compared[n.Trait] > maxImitated {
			continue
		}
		own, err := m.isOwn(ctx, n.ID, s.author)
		if err != nil {
			return err
		}
		if own || s.author.PublicKey == "" && likeness.Namespace(n.ID) == likeness.Namespace(p.ID) { // nothing tells them apart
			continue
		}
		said[n.Trait] = true
		m.addNearCopy(n)
	}
	return nil
}

func (m *manifest) addNearCopy(n likeness.Match) {
	switch n.Trait {
	case likeness.Name:
		name := m.root.Get("name")
		m.add("provenance/name-imitates", at(name), "the name "+describe(name)+" is easily taken for that of "+quote(n.ID)+", which the registry has already, from somebody else",
			fix("choose a name that tells the two apart; a maintainer decides whether this one may stay"))
	case likeness.Description:
		words := "nearly the same as"
		if n.Share == 1 {
			words = "the same as"
		}
		m.add("provenance/description-copied", at(m.root.Get("description")), "the description is "+words+" that of "+quote(n.ID)+", which the registry has already, from somebody else",
			fix("say in your own words what this package does, and where it comes from if it builds on the other; a maintainer decides whether it may stay"))
	case likeness.Payload:
		share := "all files"
		if n.Share < 1 {
			share = fmt.Sprintf("%.0f%% of the files", 100*n.Share)
		}
		m.add("provenance/files-copied", opening(orElse(m.root.Get("files"), m.root)), share+" of "+quote(n.ID)+" are in this package, byte for byte; the registry has that one already, from somebody else",
			fix("name the package that the files come from in the description, and see that its license allows it; a maintainer decides whether this one may stay"))
	}
}

// idIndex finds ids that look alike: those with the same namespace and a name that hardly differs, or the other way round.
type idIndex struct {
	exact   map[string]bool
	ids     []string
	looks   []looks          // of ids
	bySpace map[string][]int // ids by what their namespace looks like
	byName  map[string][]int // and by their last part
}

// looks is what the namespace and the last part of an id look like.
type looks struct{ space, name string }

func newIDIndex(ids []string) *idIndex {
	x := &idIndex{exact: map[string]bool{}, bySpace: map[string][]int{}, byName: map[string][]int{}}
	for _, id := range ids {
		if len(id) > maxSuggestLength {
			continue
		}
		l := looksOf(id)
		x.bySpace[l.space] = append(x.bySpace[l.space], len(x.ids))
		x.byName[l.name] = append(x.byName[l.name], len(x.ids))
		x.exact[id] = true
		x.ids, x.looks = append(x.ids, id), append(x.looks, l)
	}
	return x
}

func (x *idIndex) has(id string) bool { return x.exact[id] }

// like returns the first ids that differ from one in how they are spelled, but hardly in how they look: by signs that look
// alike, by separators, or by one slip of the finger.
func (x *idIndex) like(id string) []string {
	var found []string
	wanted := looksOf(id)
	for _, list := range [][]int{x.bySpace[wanted.space], x.byName[wanted.name]} {
		for _, i := range list {
			if len(found) < maxImitated && x.looks[i].like(wanted) && !slices.Contains(found, x.ids[i]) {
				found = append(found, x.ids[i])
			}
		}
	}
	return found
}

// From these lengths on, a slip of the finger makes no other name of a name, and no other namespace: fs and js are two.
const (
	minTypoName      = 6
	minTypoNamespace = 10
)

func looksOf(id string) looks {
	id = strings.ToLower(id)
	dot := strings.LastIndexByte(id, '.') + 1
	return looks{likeness.Alike.Replace(id[:dot]), likeness.Alike.Replace(id[dot:])}
}

func (l looks) like(other looks) bool {
	switch {
	case l.space == other.space:
		return l.name == other.name || len(l.name) >= minTypoName && likeness.OneSlip(l.name, other.name)
	case l.name == other.name:
		return len(l.space) >= minTypoNamespace && likeness.OneSlip(l.space, other.space)
	default:
		return false
	}
}
