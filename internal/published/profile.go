package published

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/registry"
)

// maxCompared bounds the packages that another one is compared with.
const maxCompared = 10_000

// CompareWithAtMost lowers the number of packages that are read to compare another one with them, for a tree of which reading is
// dear, to those whose ids have most in common with it. Where the registry has profiles, these alone count. It is to be called
// before anything is compared.
func (s *Shelf) CompareWithAtMost(n int) { s.compared = min(n, maxCompared) }

// Near returns the packages here that another is a near-copy of. The error means that we could not look.
func (s *Shelf) Near(ctx context.Context, p likeness.Profile) ([]likeness.Match, error) {
	x, err := s.index(ctx, p)
	if err != nil {
		return nil, err
	}
	return x.Near(p), nil
}

// index returns the index of what a package is compared with. Where that does not depend on the package, it is made once.
func (s *Shelf) index(ctx context.Context, p likeness.Profile) (*likeness.Index, error) {
	newest := s.newest()
	kept, there := s.profiles()
	if s.dear() && !there {
		return s.indexOf(ctx, related(newest, p, s.compared), kept)
	}
	s.indexing.Lock()
	defer s.indexing.Unlock()
	if s.all != nil {
		return s.all, nil
	}
	places := newest[:min(len(newest), maxCompared)]
	if s.dear() {
		places = slices.DeleteFunc(slices.Clone(places), func(at idPlace) bool {
			_, ok := known(kept, at)
			return !ok
		})
	}
	all, err := s.indexOf(ctx, places, kept)
	if err == nil {
		s.all = all
	}
	return all, err
}

// dear reports whether few packages may be read.
func (s *Shelf) dear() bool { return s.compared < maxCompared }

// indexOf makes the index of packages, from the profiles that the registry keeps and by reading those that have none. What
// can't be read counts as not there, as in Newest.
func (s *Shelf) indexOf(ctx context.Context, places []idPlace, kept registry.Profiles) (*likeness.Index, error) {
	var profiles []likeness.Profile
	for _, at := range places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p, ok := known(kept, at); ok {
			profiles = append(profiles, p)
			continue
		}
		p, err := s.profile(ctx, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if p.ID == at.id {
			profiles = append(profiles, p)
		}
	}
	return likeness.New(profiles), nil
}

// profile reads what a package is known by: of an archive no more than its manifest.
func (s *Shelf) profile(ctx context.Context, at idPlace) (likeness.Profile, error) {
	if at.source {
		return s.sourceProfile(ctx, at.location)
	}
	r, size, closer, err := azp.OpenFile(s.tree, at.location, s.limits)
	if err != nil {
		return likeness.Profile{}, err
	}
	defer closer.Close()
	archive, err := azp.OpenArchive(r, size, s.limits)
	if err != nil {
		return likeness.Profile{}, err
	}
	entry := archive.Lookup(azp.ManifestName)
	if entry == nil || entry.Broken || entry.Size > azp.DefaultLimits.Manifest {
		return likeness.Profile{}, nil
	}
	text, ok, err := archive.ReadEntry(entry)
	if err != nil || !ok {
		return likeness.Profile{}, err
	}
	doc, _ := azp.ParseManifest(text, s.limits)
	return ProfileOf(doc.Root()), nil
}

// sourceProfile reads the folder of a package. Where reading is dear, its files are not compared.
func (s *Shelf) sourceProfile(ctx context.Context, location string) (likeness.Profile, error) {
	folder, err := fs.Sub(s.tree, location)
	if err != nil {
		return likeness.Profile{}, err
	}
	if s.dear() {
		text, err := fs.ReadFile(folder, azp.ManifestName)
		if err != nil {
			return likeness.Profile{}, err
		}
		doc, _ := azp.ParseManifest(text, s.limits)
		return ProfileOf(doc.Root()), nil
	}
	src, err := azp.ReadSource(ctx, folder, s.limits)
	if err != nil {
		return likeness.Profile{}, err
	}
	return SourceProfile(src), nil
}

// ProfileOf is what a package is known by, as its manifest has it.
func ProfileOf(root jsontree.Value) likeness.Profile {
	p := likeness.Profile{ID: root.Get("id").Str(), Name: root.Get("name").Str(), Description: root.Get("description").Str(), Shape: []string{root.Get("kind").Str()}}
	for f := range root.Get("files").Members() {
		p.Digests = appendDigest(p.Digests, f.Name(), f.Value.Str())
	}
	for _, a := range root.Get("assets").Elements() {
		p.Shape = append(p.Shape, "asset "+a.Get("type").Str())
		p.Digests = appendDigest(p.Digests, "", a.Get("checksum").Str())
	}
	for _, c := range root.Get("capabilities").Elements() {
		p.Shape = append(p.Shape, "capability "+c.Str())
	}
	for _, server := range root.Get("mcp", "servers").Elements() {
		p.Digests = appendDigest(p.Digests, "", server.Get("local", "wasi", "checksum").Str())
		for _, t := range server.Get("offers", "tools").Elements() {
			p.Shape = append(p.Shape, "tool "+t.Str())
		}
	}
	return p
}

// SourceProfile is what the package that is packed from a folder will be known by.
func SourceProfile(src *azp.SourceFolder) likeness.Profile {
	p := ProfileOf(src.Manifest.Root())
	for _, f := range src.Files {
		p.Digests = appendDigest(p.Digests, f.Path, f.Digest.String())
	}
	return p
}

// noBytes is the digest of an empty file, which says nothing of whose it is.
var noBytes = azp.DigestOf(nil).String()

// appendDigest adds the digest of a file, unless it is one that packages of all publishers have.
func appendDigest(list []string, name, digest string) []string {
	if _, ok := azp.ParseDigest(digest); !ok || digest == noBytes || name == azp.LicenseName {
		return list
	}
	return append(list, digest)
}

// idPlace is where the newest version of an id may be.
type idPlace struct {
	id string
	place
}

// newestPlaces returns where the newest version of each id is, by the names of files, in the order of the ids. Nothing is
// read but folders, and each once.
func (s *Shelf) newestPlaces() []idPlace {
	found := map[string]place{}
	add := func(id string, at place) {
		before, there := found[id]
		if !there || before.source || !at.source && compareVersions(at.version, before.version) > 0 {
			found[id] = at
		}
	}
	for _, in := range []string{s.submissions, path.Join(s.registry, registry.PackagesPath)} {
		entries, err := fs.ReadDir(s.tree, in)
		if err != nil {
			continue // a folder that is not there holds nothing
		}
		for _, e := range entries[:min(len(entries), maxIDs)] {
			name, isArchive := strings.CutSuffix(e.Name(), extension)
			id, version, named := cutVersion(name)
			switch {
			case e.IsDir():
				s.addFolder(path.Join(in, e.Name()), e.Name(), add)
			case isArchive && named && e.Type().IsRegular():
				add(id, place{location: path.Join(in, e.Name()), version: version})
			}
		}
	}
	var out []idPlace
	for _, id := range slices.Sorted(maps.Keys(found)) {
		out = append(out, idPlace{id, found[id]})
	}
	return out
}

// addFolder adds what the folder of an id holds.
func (s *Shelf) addFolder(folder, id string, add func(string, place)) {
	entries, err := fs.ReadDir(s.tree, folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, isArchive := strings.CutSuffix(e.Name(), extension)
		switch version, _ := strings.CutPrefix(name, id+"-"); {
		case !e.Type().IsRegular():
		case isArchive && azp.ValidVersion(version):
			add(id, place{location: path.Join(folder, e.Name()), version: version})
		case isArchive:
			add(id, place{location: path.Join(folder, e.Name())})
		case e.Name() == azp.ManifestName:
			if _, submitted := strings.CutPrefix(folder, s.submissions+"/"); submitted {
				add(id, place{location: folder, source: true})
			}
		}
	}
}

// related returns the places whose ids have most in common with the name and the last part of the id of a package: rare
// words count for more.
func related(places []idPlace, p likeness.Profile, most int) []idPlace {
	wanted := map[string]bool{}
	last := p.ID[strings.LastIndexByte(p.ID, '.')+1:]
	for _, w := range slices.Concat(idWords("."+last), likeness.NameWords(p.Name)) {
		wanted[w] = true
	}
	in := map[string]int{} // how many ids have a word
	for _, at := range places {
		for _, w := range idWords(at.id) {
			if wanted[w] {
				in[w]++
			}
		}
	}
	type ranked struct {
		idPlace
		score float64
	}
	var list []ranked
	for _, at := range places {
		r := ranked{idPlace: at}
		for _, w := range idWords(at.id) {
			if wanted[w] {
				r.score += 1 / float64(in[w])
			}
		}
		if r.score > 0 && at.id != p.ID {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	var out []idPlace
	for _, r := range list[:min(len(list), most)] {
		out = append(out, r.idPlace)
	}
	return out
}

// idWords returns the distinct words of an id, its first label left out: it is the same for most.
func idWords(id string) []string {
	_, id, _ = strings.Cut(strings.ToLower(id), ".")
	words := slices.Sorted(strings.FieldsFuncSeq(id, func(r rune) bool { return r == '.' || r == '-' || r == '_' }))
	return slices.Compact(words)
}
