package gitsource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Kind says how a path changed.
type Kind string

// The kinds of change.
const (
	Added       Kind = "added"
	Deleted     Kind = "deleted"
	Modified    Kind = "modified"    // its content, or whether it is executable
	TypeChanged Kind = "typechanged" // between file, link and submodule; a folder is never one path
)

// Change is a path at which two trees differ.
type Change struct {
	Path string
	Kind Kind
}

// ErrTooManyChanges is about trees that differ in more places than are listed: some 500,000 files, fewer where there are
// many folders.
var ErrTooManyChanges = errors.New("too many changes to list")

// maxCost bounds the memory and time for a list of changes: each path that is visited costs its bytes and costOfPath, a
// folder also costOfFolder.
const (
	maxCost      = 64 << 20
	costOfPath   = 64
	costOfFolder = 512
)

// Changed lists the files, links and submodules in which head's tree differs from base's, in order of their paths' bytes. A
// rename is a deletion and an addition. Only folders that differ are read.
func Changed(ctx context.Context, base, head *Commit) ([]Change, error) {
	c := &comparison{ctx: ctx, old: base.repo.objects, new: head.repo.objects, budget: maxCost}
	if err := c.folders("", folder(base.tree), folder(head.tree)); err != nil {
		return nil, fmt.Errorf("comparing commit %s with %s: %w", head.id, base.id, err)
	}
	slices.SortFunc(c.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return c.changes, nil
}

func folder(id plumbing.Hash) *treeEntry { return &treeEntry{mode: filemode.Dir, id: id} }

// comparison is one walk over two trees. An entry of either that is nil stands for nothing.
type comparison struct {
	ctx      context.Context
	old, new *database
	changes  []Change
	budget   int
}

// folders compares two folders, of which one may be nil.
func (c *comparison) folders(path string, a, b *treeEntry) error {
	if a != nil && b != nil && a.id == b.id {
		return nil
	}
	if err := cmp.Or(c.ctx.Err(), c.spend(costOfFolder)); err != nil {
		return err
	}
	from, err := entries(c.old, a)
	if err != nil {
		return err
	}
	to, err := entries(c.new, b)
	if err != nil {
		return err
	}
	for len(from) > 0 || len(to) > 0 {
		var x, y *treeEntry
		switch order(from, to) {
		case -1:
			x, from = &from[0], from[1:]
		case +1:
			y, to = &to[0], to[1:]
		default:
			x, from, y, to = &from[0], from[1:], &to[0], to[1:]
		}
		if err := c.entry(path, x, y); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) spend(cost int) error {
	if c.budget -= cost; c.budget < 0 {
		return ErrTooManyChanges
	}
	return nil
}

func entries(d *database, e *treeEntry) (tree, error) {
	if e == nil {
		return nil, nil
	}
	return d.tree(e.id)
}

// order tells which list's first entry comes first.
func order(a, b tree) int {
	switch {
	case len(a) == 0:
		return +1
	case len(b) == 0:
		return -1
	}
	return cmp.Compare(a[0].name, b[0].name)
}

// entry compares what stands at one name in two folders.
func (c *comparison) entry(dir string, a, b *treeEntry) error {
	if a != nil && b != nil && a.id == b.id && a.mode == b.mode {
		return nil
	}
	path := dir
	if path != "" {
		path += "/"
	}
	path += cmp.Or(a, b).name
	if len(path) > maxPath {
		return errTooLong
	}
	if err := c.spend(len(path) + costOfPath); err != nil {
		return err
	}
	a, b, err := c.subfolders(path, a, b)
	if err != nil {
		return err
	}
	switch {
	case a == nil && b == nil:
	case a == nil:
		c.changes = append(c.changes, Change{path, Added})
	case b == nil:
		c.changes = append(c.changes, Change{path, Deleted})
	case a.fileMode().Type() != b.fileMode().Type():
		c.changes = append(c.changes, Change{path, TypeChanged})
	default:
		c.changes = append(c.changes, Change{path, Modified})
	}
	return nil
}

// subfolders compares those of two entries that are folders, and returns those that aren't.
func (c *comparison) subfolders(path string, a, b *treeEntry) (_, _ *treeEntry, err error) {
	var x, y *treeEntry
	if a != nil && a.isDir() {
		a, x = nil, a
	}
	if b != nil && b.isDir() {
		b, y = nil, b
	}
	if x != nil || y != nil {
		err = c.folders(path, x, y)
	}
	return a, b, err
}
