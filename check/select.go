package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/azphalt/submissions/finding"
)

// Selection is what is to be judged of a tree.
type Selection struct {
	Targets []Target
	Missing []string // folders that were touched and hold no package
	Removed []string // submissions that are gone
}

// Select finds the packages below a folder of a tree, of which only those count that were touched: an archive whose bytes
// changed, a source folder with any changed file. A nil list of changes means everything.
func (c *Checker) Select(tree fs.FS, root string, changed []string) (Selection, error) {
	var s Selection
	targets, err := c.Discover(tree, root, root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNoPackage) {
		return s, err
	}
	if changed == nil {
		s.Targets = targets
		return s, nil
	}
	touched := newPathSet(changed)
	for _, t := range targets {
		if t.Shape == finding.Source && touched.below(t.Path) || touched.has(t.Path) {
			s.Targets = append(s.Targets, t)
		}
	}
	s.Missing, s.Removed = leftovers(tree, root, changed, targets)
	return s, nil
}

// JudgeAll judges what was selected, several packages at once, and calls done, where it is not nil, after each. What could
// not be read has its entry, too; the error says so.
func (c *Checker) JudgeAll(ctx context.Context, tree fs.FS, s Selection, done func()) ([]finding.Package, error) {
	out := make([]finding.Package, len(s.Targets)+len(s.Missing))
	errs := make([]error, len(s.Targets))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range s.Targets {
		group.Go(func() error {
			var err error
			if out[i], err = c.Judge(ctx, tree, t); err != nil {
				out[i], errs[i] = c.Unreadable(t), fmt.Errorf("%s: %w", t.Path, err)
			}
			if done != nil {
				done()
			}
			return nil
		})
	}
	_ = group.Wait() // the functions above return no error
	for i, missing := range s.Missing {
		out[len(s.Targets)+i] = c.Missing(missing)
	}
	return out, errors.Join(errs...)
}

// leftovers finds the folders directly below the root that were touched and hold no package: those that are still there
// should, and the others were removed.
func leftovers(tree fs.FS, root string, changed []string, targets []Target) (missing, removed []string) {
	covered := map[string]bool{}
	for _, t := range targets {
		covered[firstBelow(root, t.Path)] = true
	}
	seen := map[string]bool{}
	for _, p := range changed {
		name := firstBelow(root, p)
		isFile := path.Join(root, name) == p
		if name == "" || covered[name] || seen[name] || isFile && !strings.EqualFold(path.Ext(name), ".azp") {
			continue
		}
		seen[name] = true
		full := path.Join(root, name)
		if _, err := fs.Stat(tree, full); err != nil {
			removed = append(removed, full)
		} else if !isFile {
			missing = append(missing, full)
		}
	}
	slices.Sort(missing)
	slices.Sort(removed)
	return missing, removed
}

// firstBelow returns the first part of a path below a folder, "" where it is not below it.
func firstBelow(folder, p string) string {
	if folder == "." {
		first, _, _ := strings.Cut(p, "/")
		return first
	}
	rest, ok := strings.CutPrefix(p, folder+"/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// pathSet answers whether a path, or one below it, is in a set.
type pathSet struct{ paths, folders map[string]bool }

func newPathSet(paths []string) pathSet {
	s := pathSet{map[string]bool{}, map[string]bool{}}
	for _, p := range paths {
		s.paths[p] = true
		for dir := path.Dir(p); dir != "." && !s.folders[dir]; dir = path.Dir(dir) {
			s.folders[dir] = true
		}
	}
	return s
}

func (s pathSet) has(p string) bool { return s.paths[p] }

func (s pathSet) below(folder string) bool {
	return s.folders[folder] || folder == "." && len(s.paths) > 0
}
