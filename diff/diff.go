// Package diff says what changed between two versions of a package that a reviewer has to see, gravest first: who signed it,
// what it may do, what it starts, whom it speaks to, what it asks for, what it offers, and its payload.
//
// Both manifests are walked side by side, and every difference is one change: the table of kinds says how grave it is, so
// that nothing is left out for being unknown. Text of the packages is made visible and cut, and what looks like a
// credential is masked.
package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
)

// Weight says how much a change asks of a reviewer.
type Weight string

// The weights, gravest first.
const (
	Grave   Weight = "grave"   // what runs, what it may do, whom it speaks to, or whose it is
	Notable Weight = "notable" // what it asks for, offers and carries
	Minor   Weight = "minor"   // what is said of it, and what it no longer does
)

func (w Weight) rank() int { return slices.Index([]Weight{Grave, Notable, Minor}, w) }

// Change is one difference.
type Change struct {
	Kind    string `json:"kind"` // "signer", "grant", "command"…: what it is about
	Weight  Weight `json:"weight"`
	Message string `json:"message"` // one sentence without a full stop, in which names and values are quoted
	// Pointer is the RFC 6901 pointer of the value in the newer manifest, in the older one where it is gone; absent where
	// the change is not in the manifest.
	Pointer string `json:"pointer,omitempty"`
	// Old and New are the values as they can be shown; absent where there is none.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`

	order int // of the kind
}

// Version is one of the two packages.
type Version struct {
	Path    string `json:"path"`
	ID      string `json:"id"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Digest  string `json:"digest,omitempty"` // of an archive
	Signer  string `json:"signer,omitempty"` // public key
	Size    int64  `json:"size,omitempty"`   // of the payload, unpacked, in bytes
}

// Diff is what changed.
type Diff struct {
	Old, New Version
	Changes  []Change // gravest first
	// Omitted is how many changes were too many to be kept: of each kind, the first ones are.
	Omitted int
}

// maxPerKind bounds the changes of one kind that are kept: nobody reads more.
const maxPerKind = 100

// Compare says what changed from one version to another.
func Compare(before, after Side) Diff {
	c := comparison{before: before, after: after, kept: map[string]int{}}
	c.identity()
	c.signer()
	c.walk(trail{}, before.root(), after.root())
	c.payload()
	slices.SortStableFunc(c.changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Weight.rank(), b.Weight.rank()), cmp.Compare(a.order, b.order))
	})
	return Diff{Old: before.version(), New: after.version(), Changes: c.changes, Omitted: c.omitted}
}

// comparison gathers changes.
type comparison struct {
	before, after Side
	changes       []Change
	kept          map[string]int // by kind
	omitted       int
}

// add keeps a change, unless there are too many of its kind.
func (c *comparison) add(k kind, w Weight, pointer, was, is, format string, args ...any) {
	if c.kept[k.name]++; c.kept[k.name] > maxPerKind {
		c.omitted++
		return
	}
	c.changes = append(c.changes, Change{Kind: k.name, Weight: w, Message: fmt.Sprintf(format, args...), Pointer: visiblePointer(pointer), Old: was, New: is, order: k.order})
}

// identity compares what the two claim to be.
func (c *comparison) identity() {
	before, after := c.before.root(), c.after.root()
	was, is := before.Get("version").Str(), after.Get("version").Str()
	if !azp.ValidVersion(was) || !azp.ValidVersion(is) || before.Get("id").Str() != after.Get("id").Str() {
		return
	}
	pointer := after.Get("version").Pointer()
	switch n := azp.CompareVersions(is, was); {
	case n < 0:
		c.add(kindVersion, Grave, pointer, visible(was), visible(is), "the version goes back: %s, was %s", quote(is), quote(was))
	case n == 0 && c.before.manifestDigest != c.after.manifestDigest:
		c.add(kindVersion, Grave, pointer, visible(was), visible(is), "the version stays %s, though the package is another one", quote(is))
	}
}

// signer compares who answers for the two, where both are archives: a source is signed once it is packed.
func (c *comparison) signer() {
	was, is := c.before.signer, c.after.signer
	switch {
	case !c.before.built || !c.after.built:
	case c.after.badSignature:
		c.add(kindSigner, Grave, "", was, is, "the signature does not verify")
	case was == is:
	case was == "":
		c.add(kindSigner, Notable, "", was, is, "it is signed now, by %s", quote(is))
	case is == "":
		c.add(kindSigner, Grave, "", was, is, "it is no longer signed; it was by %s", quote(was))
	case slices.Contains(c.after.chain, was):
		c.add(kindSigner, Notable, "", was, is, "it is signed by another key, for which the earlier one vouches: %s, was %s", quote(is), quote(was))
	default:
		c.add(kindSigner, Grave, "", was, is, "it is signed by another key: %s, was %s", quote(is), quote(was))
	}
}

// pointerOf returns the pointer of the value that is there.
func pointerOf(before, after jsontree.Value) string {
	if after.Exists() {
		return after.Pointer()
	}
	return before.Pointer()
}
