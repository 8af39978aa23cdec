// Package likeness finds, among many packages, those that another is a near-copy of: by what people know a package by, its
// name and description, and by what it is made of. It looks each trait up, so that its work does not grow with the number of
// packages, and it would rather miss a copy than cry wolf.
package likeness

import (
	"cmp"
	"slices"
	"strings"
)

// Profile is what a package is known by, and what it is made of.
type Profile struct {
	ID          string
	Name        string
	Description string
	Shape       []string // its kind first, then what it declares: types of assets, capabilities, tools
	Digests     []string // of its payload
}

// Trait is what two packages have in common.
type Trait int

// The traits.
const (
	Name Trait = iota
	Description
	Payload
)

// Match is a package that another is nearly the same as.
type Match struct {
	ID    string
	Trait Trait
	Share float64 // of a name 1 where it reads the same; of the words of the descriptions; of the payload of the package here
}

// Bounds. A trait that more packages have than these are followed for belongs to nobody.
const (
	maxFollowed = 64  // packages per word or digest
	maxBucket   = 256 // packages per beginning or end of a name
	maxDigests  = 64  // digests kept of a package; the least, which is as good as any of them at random
	maxShape    = 256 // words of a shape
	commonIn    = 4   // namespaces from which on a word or digest is common

	maxNameBytes        = 256
	maxDescriptionBytes = 4 << 10
)

// From these lengths on names and descriptions say whose they are.
const (
	minName      = 5  // characters of a name
	minSlipName  = 10 // characters of a name in which a slip may be
	minSame      = 6  // words of a description that is the same
	minAlike     = 9  // words of a description that is nearly so
	sharedWords  = .85
	sharedShaped = .7 // where the shape is the same, too
	sharedShape  = .6
	sharedFiles  = .6
)

// Index finds near-copies of packages. It is safe for concurrent use.
type Index struct {
	entries []entry
	byName  map[string][]int // by what a name looks like
	byEnd   map[string][]int // by the beginning and the end of it
	byWord  map[string][]int // of descriptions
	byFile  map[string][]int // by digest

	wordSpaces map[string]spaces // of words of names
	fileSpaces map[string]spaces
}

// entry is a package of the index.
type entry struct {
	id          string
	name        name
	description []string
	shape       []string
	digests     []string
}

// spaces counts the namespaces that something is found in, up to commonIn.
type spaces struct {
	seen [commonIn]string
	n    int
}

func (s spaces) with(space string) spaces {
	if s.n < commonIn && !slices.Contains(s.seen[:s.n], space) {
		s.seen[s.n] = space
		s.n++
	}
	return s
}

func (s spaces) common() bool { return s.n == commonIn }

// Namespace is what an id has in front of its last part.
func Namespace(id string) string { return strings.ToLower(id[:max(strings.LastIndexByte(id, '.'), 0)]) }

// New returns the index of some packages.
func New(profiles []Profile) *Index {
	x := &Index{byName: map[string][]int{}, byEnd: map[string][]int{}, byWord: map[string][]int{}, byFile: map[string][]int{},
		wordSpaces: map[string]spaces{}, fileSpaces: map[string]spaces{}}
	for i, p := range profiles {
		e, space := newEntry(p.Kept()), Namespace(p.ID)
		x.entries = append(x.entries, e)
		for _, w := range e.name.words {
			x.wordSpaces[w] = x.wordSpaces[w].with(space)
		}
		follow(x.byName, e.name.look, i, maxBucket)
		for _, end := range e.name.ends() {
			follow(x.byEnd, end, i, maxBucket)
		}
		for _, w := range e.description {
			follow(x.byWord, w, i, maxFollowed)
		}
		for _, d := range e.digests {
			x.fileSpaces[d] = x.fileSpaces[d].with(space)
			follow(x.byFile, d, i, maxFollowed)
		}
	}
	return x
}

func follow(in map[string][]int, key string, i, most int) {
	if list := in[key]; len(list) <= most {
		in[key] = append(list, i)
	}
}

// Kept returns as much of a profile as an index keeps.
func (p Profile) Kept() Profile {
	p.Name, p.Description, p.Shape = cut(p.Name, maxNameBytes), cut(p.Description, maxDescriptionBytes), p.Shape[:min(len(p.Shape), maxShape)]
	p.Digests = distinct(p.Digests)
	p.Digests = p.Digests[:min(len(p.Digests), maxDigests)]
	return p
}

// distinct returns the different ones of some digests, in order.
func distinct(digests []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(digests)))
}

// cut returns at most so many bytes of a text, whole characters of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// newEntry reads a profile, whose digests are distinct.
func newEntry(p Profile) entry {
	return entry{id: p.ID, name: newName(p.Name), description: content(p.Description), shape: slices.Clone(p.Shape), digests: p.Digests}
}

// Near returns what a package is nearly the same as, itself left out: of each trait what is most alike first.
func (x *Index) Near(p Profile) []Match {
	p.Digests = distinct(p.Digests)
	e := newEntry(p)
	found := slices.Concat(x.nearName(e), x.nearDescription(e), x.nearPayload(e))
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Trait, b.Trait), cmp.Compare(b.Share, a.Share), cmp.Compare(a.ID, b.ID))
	})
	return found
}

func (x *Index) nearName(e entry) (found []Match) {
	if len(e.name.look) < minName || !slices.ContainsFunc(e.name.words, x.telling) {
		return nil
	}
	seen := map[int]bool{}
	for _, i := range x.byName[e.name.look] {
		if o := x.entries[i]; o.id != e.id {
			found = append(found, Match{o.id, Name, 1})
			seen[i] = true
		}
	}
	for _, end := range e.name.ends() {
		for _, i := range x.byEnd[end] {
			if o := x.entries[i]; o.id != e.id && !seen[i] && o.name.slipOf(e.name) {
				found = append(found, Match{o.id, Name, .9})
				seen[i] = true
			}
		}
	}
	return found
}

// telling reports whether a word of a name says whose it is.
func (x *Index) telling(word string) bool {
	return !plain[word] && len(word) > 1 && !x.wordSpaces[word].common()
}

func (x *Index) nearDescription(e entry) (found []Match) {
	if len(e.description) < minSame {
		return nil
	}
	for i, shared := range x.shared(e.description, x.byWord, func(string) bool { return false }) {
		o := x.entries[i]
		if o.id == e.id || shared < len(e.description)/4 { // alike in what every description says
			continue
		}
		need := sharedWords
		if sameShape(e.shape, o.shape) {
			need = sharedShaped
		}
		share := overlap(e.description, o.description)
		if share == 1 || share >= need && min(len(e.description), len(o.description)) >= minAlike {
			found = append(found, Match{o.id, Description, share})
		}
	}
	return found
}

func (x *Index) nearPayload(e entry) (found []Match) {
	common := func(d string) bool { return x.fileSpaces[d].common() }
	for i, shared := range x.shared(e.digests, x.byFile, common) {
		o := x.entries[i]
		if share := float64(shared) / float64(len(o.digests)); o.id != e.id && share >= sharedFiles {
			found = append(found, Match{o.id, Payload, share})
		}
	}
	return found
}

// shared counts how many keys each entry has in common with a list, those left out that too many have.
func (x *Index) shared(keys []string, in map[string][]int, leave func(string) bool) map[int]int {
	out := map[int]int{}
	for _, k := range keys {
		if list := in[k]; len(list) <= maxFollowed && !leave(k) {
			for _, i := range list {
				out[i]++
			}
		}
	}
	return out
}

// overlap is twice what two sorted sets share over what they have.
func overlap(a, b []string) float64 {
	shared, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch c := strings.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return 2 * float64(shared) / float64(max(len(a)+len(b), 1))
}

// sameShape reports whether two packages of one kind declare much the same.
func sameShape(a, b []string) bool {
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] {
		return false
	}
	a, b = slices.Sorted(slices.Values(a[1:])), slices.Sorted(slices.Values(b[1:]))
	return overlap(slices.Compact(a), slices.Compact(b)) >= sharedShape
}
