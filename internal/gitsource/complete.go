package gitsource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Complete reports whether all folders, files and links of the commit's tree are in the repository. Only in a partial clone
// can they fail to be.
func (c *Commit) Complete(ctx context.Context) (bool, error) {
	if !c.repo.objects.partial {
		return true, nil
	}
	seen := map[plumbing.Hash]bool{}
	err := c.repo.objects.complete(ctx, c.tree, seen)
	if errors.Is(err, ErrAbsent) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the tree of commit %s: %w", c.id, err)
	}
	return true, nil
}

// complete returns ErrAbsent where something in a tree is absent. Trees that were seen before are passed over.
func (d *database) complete(ctx context.Context, id plumbing.Hash, seen map[plumbing.Hash]bool) error {
	if seen[id] {
		return nil
	}
	seen[id] = true
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := d.tree(id)
	if err != nil {
		return err
	}
	for _, e := range t {
		switch e.mode {
		case filemode.Dir:
			err = d.complete(ctx, e.id, seen)
		case filemode.Submodule: // is in another repository
		default:
			err = d.has(e.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// has returns ErrAbsent where there is no such object.
func (d *database) has(id plumbing.Hash) error {
	for _, p := range d.packs {
		if ok, err := p.index.Contains(id); ok || err != nil {
			return err
		}
	}
	name := id.String()
	for _, dir := range d.dirs {
		if _, err := os.Stat(filepath.Join(dir, name[:2], name[2:])); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return ErrAbsent
}
