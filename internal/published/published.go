// Package published reads what a tree, that of a base branch, holds of packages already: the versions of an id, and whom the
// id belongs to. It reads no more than is asked for, since a tree may be one at GitHub, where each file is a request.
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
	"sync"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/registry"
)

// Shelf is what a tree holds. It is safe for concurrent use.
type Shelf struct {
	tree        fs.FS
	submissions string
	registry    string
	limits      azp.Limits

	mu         sync.Mutex
	read       map[string]*Package // by location
	publishers func() registry.Publishers

	compared int // see CompareWithAtMost
	newest   func() []idPlace
	profiles func() (registry.Profiles, bool)
	loose    func() map[string][]string
	indexing sync.Mutex
	all      *likeness.Index // of all packages; nil until it is asked for
}

// New returns the shelf of a tree, with the folders of submissions and of the registry in it.
func New(tree fs.FS, submissions, folder string, limits azp.Limits) *Shelf {
	s := &Shelf{tree: tree, submissions: submissions, registry: folder, limits: limits, read: map[string]*Package{}, compared: maxCompared}
	s.publishers = sync.OnceValue(s.readPublishers)
	s.profiles = sync.OnceValues(s.readProfiles)
	s.newest = sync.OnceValue(s.newestPlaces)
	s.loose = sync.OnceValue(s.looseArchives)
	return s
}

// Tree is the tree that the shelf is in.
func (s *Shelf) Tree() fs.FS { return s.tree }

// Package is a version that is there.
type Package struct {
	ID, Version string
	Location    string // in the tree
	Source      bool   // a folder, not an archive
	Manifest    *jsontree.Doc
	// Content is the digest of the manifest as it is packed, which lists the digests of all else.
	Content azp.Digest
	Signer  string   // public key; "" where it is not signed
	Chain   []string // public keys that vouch for it
}

// place is where a version may be.
type place struct {
	location string
	version  string // as the file's name has it; "" where that says nothing
	source   bool
}

// places returns where the versions of an id may be, the newest first by the names of the files.
func (s *Shelf) places(id string) []place {
	if !fs.ValidPath(id) || strings.Contains(id, "/") {
		return nil
	}
	var found []place
	add := func(in, archive string) {
		name := strings.TrimSuffix(archive, extension)
		version, named := strings.CutPrefix(name, id+"-")
		if !named || !azp.ValidVersion(version) {
			version = ""
		}
		found = append(found, place{location: path.Join(in, archive), version: version})
	}
	folder, apart := path.Join(s.submissions, id), path.Join(s.registry, registry.PackagesPath, id)
	hasManifest := false
	for _, in := range []string{folder, apart} {
		entries, err := fs.ReadDir(s.tree, in)
		if err != nil {
			continue // a folder that is not there holds nothing
		}
		for _, e := range entries {
			hasManifest = hasManifest || in == folder && e.Name() == azp.ManifestName && e.Type().IsRegular()
			if strings.HasSuffix(e.Name(), extension) && e.Type().IsRegular() {
				add(in, e.Name())
			}
		}
	}
	for _, archive := range s.loose()[id] {
		add(s.submissions, archive)
	}
	if len(found) == 0 && hasManifest {
		return []place{{location: folder, source: true}}
	}
	slices.SortStableFunc(found, func(a, b place) int { return compareVersions(b.version, a.version) })
	return found
}

const extension = ".azp"

// looseArchives returns the archives that lie in the folder of submissions itself, by what their names have before a hyphen:
// the id of one of them is among those.
func (s *Shelf) looseArchives() map[string][]string {
	loose := map[string][]string{}
	entries, err := fs.ReadDir(s.tree, s.submissions)
	if err != nil {
		return loose // a folder that is not there holds nothing
	}
	for _, e := range entries {
		name, isArchive := strings.CutSuffix(e.Name(), extension)
		if !isArchive || !e.Type().IsRegular() {
			continue
		}
		for i := range name {
			if name[i] == '-' {
				loose[name[:i]] = append(loose[name[:i]], e.Name())
			}
		}
	}
	return loose
}

// compareVersions orders versions, what is none before all others.
func compareVersions(a, b string) int {
	switch {
	case a == "" || b == "":
		return cmp.Compare(len(a), len(b))
	default:
		return azp.CompareVersions(a, b)
	}
}

// maxUnnamed bounds the archives of an id that are read because their names say nothing.
const maxUnnamed = 20

// Newest returns the newest version of an id, nil where there is none. What can't be read counts as not there: it is not
// this tree that is judged. The error means that we could not look.
func (s *Shelf) Newest(ctx context.Context, id string) (*Package, error) {
	var newest *Package
	unnamed := 0
	for _, at := range s.places(id) {
		switch {
		case at.version == "" && !at.source:
			if unnamed++; unnamed > maxUnnamed {
				return newest, nil
			}
		case newest != nil:
			continue // the named ones are in order
		}
		p, err := s.open(ctx, at)
		if err != nil {
			return nil, err
		}
		if p != nil && p.ID == id && (newest == nil || compareVersions(p.Version, newest.Version) > 0) {
			newest = p
		}
	}
	return newest, nil
}

// Version returns a version of an id, nil where it is not there.
func (s *Shelf) Version(ctx context.Context, id, version string) (*Package, error) {
	unnamed := 0
	for _, at := range s.places(id) {
		if at.version == "" && !at.source {
			unnamed++
		}
		if at.version != "" && at.version != version || unnamed > maxUnnamed {
			continue
		}
		p, err := s.open(ctx, at)
		if err != nil {
			return nil, err
		}
		if p != nil && p.ID == id && p.Version == version {
			return p, nil
		}
	}
	return nil, nil
}

// Owner returns whom an id belongs to: as the registry has it on record or, where it keeps no record, whoever signed the
// newest version. It is nil where that is nobody.
func (s *Shelf) Owner(ctx context.Context, id string) (*registry.Owner, error) {
	if pin, ok := s.publishers().Of(id); ok {
		return &pin.Owner, nil
	}
	p, err := s.Newest(ctx, id)
	if err != nil || p == nil || p.Signer == "" {
		return nil, err
	}
	return &registry.Owner{PublicKey: p.Signer}, nil
}

// readPublishers reads the registry's record of publishers. One that can't be read counts as none: whoever merges has to
// look at that, and does.
func (s *Shelf) readPublishers() registry.Publishers {
	none, _ := registry.ParsePublishers(nil)
	text, err := fs.ReadFile(s.tree, path.Join(s.registry, registry.PublishersPath))
	if err != nil {
		return none
	}
	p, err := registry.ParsePublishers(text)
	if err != nil {
		return none
	}
	return p
}

// open reads what is at a place, once; nil where that is no package.
func (s *Shelf) open(ctx context.Context, at place) (*Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.read[at.location]; ok {
		return p, nil
	}
	load := s.archive
	if at.source {
		load = s.folder
	}
	p, err := load(ctx, at.location)
	if errors.Is(err, fs.ErrNotExist) {
		p, err = nil, nil
	}
	if err == nil {
		s.read[at.location] = p
	}
	return p, err
}

func (s *Shelf) archive(ctx context.Context, location string) (*Package, error) {
	r, size, closer, err := azp.OpenFile(s.tree, location, s.limits)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	read, err := azp.Read(ctx, r, size, s.limits)
	if err != nil || !read.Manifest.Root().Exists() {
		return nil, err
	}
	p := newPackage(location, read.Manifest, read.Manifest.Text().Bytes())
	if read.Signature != nil {
		p.Signer = read.Signature.PublicKey.String()
		for _, k := range read.Signature.Chain {
			p.Chain = append(p.Chain, k.PublicKey.String())
		}
	}
	return p, nil
}

func (s *Shelf) folder(ctx context.Context, location string) (*Package, error) {
	folder, err := fs.Sub(s.tree, location)
	if err != nil {
		return nil, err
	}
	src, err := azp.ReadSource(ctx, folder, s.limits)
	if err != nil || !src.Manifest.Root().Exists() {
		return nil, err
	}
	packed, err := src.PackedManifest()
	if err != nil {
		return nil, nil //nolint:nilerr // what can't be packed is not published
	}
	p := newPackage(location, src.Manifest, packed)
	p.Source = true
	return p, nil
}

func newPackage(location string, doc *jsontree.Doc, packed []byte) *Package {
	root := doc.Root()
	return &Package{ID: root.Get("id").Str(), Version: root.Get("version").Str(), Location: location, Manifest: doc, Content: azp.DigestOf(packed)}
}

// maxIDs bounds the ids that are listed.
const maxIDs = 50_000

// IDs returns the ids that the tree has a place for, by the names of folders and files: nothing is read. Some may be none.
func (s *Shelf) IDs() []string {
	seen := map[string]bool{}
	for _, in := range []string{s.submissions, path.Join(s.registry, registry.PackagesPath)} {
		entries, err := fs.ReadDir(s.tree, in)
		if err != nil {
			continue // a folder that is not there holds nothing
		}
		for _, e := range entries[:min(len(entries), maxIDs)] {
			id := e.Name()
			if name, isArchive := strings.CutSuffix(id, extension); isArchive && !e.IsDir() {
				if id, _, isArchive = cutVersion(name); !isArchive {
					continue
				}
			} else if !e.IsDir() {
				continue
			}
			seen[id] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// cutVersion takes the version off the name of an archive, which may have hyphens, too.
func cutVersion(name string) (id, version string, ok bool) {
	for i := range name {
		if name[i] == '-' && azp.ValidVersion(name[i+1:]) {
			return name[:i], name[i+1:], true
		}
	}
	return "", "", false
}
