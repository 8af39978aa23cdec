// Package catalog is what a registry publishes, as hosts browse it: the registry read API of the format, section 7.
package catalog

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/registry"
)

// Shelf is what a catalogue is made from.
type Shelf struct {
	Name        string           // of the registry, for people
	Keys        []azp.TrustedKey // whose signatures are the registry's
	Entries     []registry.Entry
	Revocations []registry.Revocation // the newest first
	// Denied reports whether the registry's configuration denies a version, which is then treated as one that was revoked.
	Denied func(registry.Entry) bool
}

// Catalog answers what hosts ask. It never changes, and is safe for concurrent use.
type Catalog struct {
	index       index
	packages    map[string]*pkg
	listed      []*pkg // what browsing shows: what can be installed and is not hidden, the one updated last first
	revocations []registry.Revocation
}

// pkg is a package with all its versions.
type pkg struct {
	summary  Summary
	search   searchable
	manifest jsontree.Value
	versions []version // the newest first
	latest   string    // the newest that can be installed; "" where none can
	access   access
}

// version is one of them.
type version struct {
	registry.Entry
	revoked string // why it can't be had any more; "" where it can
}

// access returns who may see the version, as its own manifest has it.
func (v version) access() access {
	doc, _ := jsontree.Parse(v.Manifest)
	return access(doc.Root().Get("visibility").Str())
}

// access is who may see a package.
type access string

// What a manifest's visibility says; all else is public.
const (
	unlisted access = "unlisted" // not shown to who browses
	private  access = "private"  // nor handed out, as this registry knows nobody
)

// New returns the catalogue of a shelf. The problems say which entries have no place in it, and why.
func New(s Shelf) (*Catalog, []error) {
	c := &Catalog{packages: map[string]*pkg{}, revocations: s.Revocations}
	var problems []error
	for id, versions := range byID(s) {
		p, err := newPackage(id, versions)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		c.packages[id] = p
		if p.latest != "" && p.access != unlisted && p.access != private {
			c.listed = append(c.listed, p)
		}
	}
	slices.SortFunc(c.listed, func(a, b *pkg) int {
		return cmp.Or(b.summary.UpdatedAt.Compare(a.summary.UpdatedAt), strings.Compare(a.summary.ID, b.summary.ID))
	})
	c.index = newIndex(s, c.listed)
	return c, problems
}

// byID yields the versions of each id, the newest first.
func byID(s Shelf) iter.Seq2[string, []version] {
	type name struct{ id, version string }
	revoked := map[name]string{}
	for _, r := range s.Revocations {
		revoked[name{r.ID, r.Version}] = cmp.Or(r.Reason, "no reason given")
	}
	all := map[string][]version{}
	for _, e := range s.Entries {
		v := version{Entry: e, revoked: revoked[name{e.ID, e.Version}]}
		if v.revoked == "" && s.Denied != nil && s.Denied(e) {
			v.revoked = "the registry denies it"
		}
		all[e.ID] = append(all[e.ID], v)
	}
	return func(yield func(string, []version) bool) {
		for _, id := range slices.Sorted(maps.Keys(all)) {
			versions := all[id]
			slices.SortFunc(versions, func(a, b version) int {
				return cmp.Or(azp.CompareVersions(b.Version, a.Version), b.PublishedAt.Compare(a.PublishedAt), strings.Compare(a.Version, b.Version))
			})
			if !yield(id, versions) {
				return
			}
		}
	}
}

// newPackage describes a package by its newest version that can be installed or, where none can, by its newest.
func newPackage(id string, versions []version) (*pkg, error) {
	p := &pkg{versions: versions}
	shown := slices.IndexFunc(versions, func(v version) bool { return v.revoked == "" })
	if shown >= 0 {
		p.latest = versions[shown].Version
	}
	at := versions[max(shown, 0)]
	doc, problems := jsontree.Parse(at.Manifest)
	if len(problems) > 0 || !doc.Root().Is(jsontree.Object) {
		return nil, fmt.Errorf("%s %s: its manifest in the index is damaged", id, at.Version)
	}
	p.manifest = doc.Root()
	p.access = access(p.manifest.Get("visibility").Str())
	p.summary = newSummary(at.Entry, p.manifest)
	p.search = newSearchable(p.summary, p.manifest)
	return p, nil
}

// find returns a package and one of its versions.
func (c *Catalog) find(id, wanted string) (*pkg, *version) {
	p, ok := c.packages[id]
	if !ok {
		return nil, nil
	}
	i := slices.IndexFunc(p.versions, func(v version) bool { return v.Version == wanted })
	if i < 0 {
		return p, nil
	}
	return p, &p.versions[i]
}

// revokedSince returns the versions that were pulled after a time, the newest first.
func (c *Catalog) revokedSince(t time.Time) []registry.Revocation {
	out := []registry.Revocation{}
	for _, r := range c.revocations {
		if r.RevokedAt.After(t) {
			out = append(out, r)
		}
	}
	return out
}

// installed is a package that a host has.
type installed struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// update is a newer version of one.
type update struct {
	ID     string `json:"id"`
	Latest string `json:"latest"`
}

// updates returns those of the packages that have a newer version, each once.
func (c *Catalog) updates(have []installed) []update {
	out := []update{}
	seen := map[installed]bool{}
	for _, h := range have {
		p, ok := c.packages[h.ID]
		if !ok || seen[h] || p.latest == "" || p.access == private || azp.CompareVersions(p.latest, h.Version) <= 0 {
			continue
		}
		seen[h] = true
		out = append(out, update{h.ID, p.latest})
	}
	return out
}
