package action

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
)

// selection is what is to be judged.
type selection struct {
	targets []check.Target
	missing []string // folders that were touched and hold no package
	removed []string // submissions that are gone
}

// choose finds the packages below a folder of a tree, of which only those count that were touched: an archive whose bytes
// changed, a source folder with any changed file. A nil list of changes means everything.
func choose(c *check.Checker, tree fs.FS, root string, changed []string) (selection, error) {
	var s selection
	targets, err := c.Discover(tree, root, root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, check.ErrNoPackage) {
		return s, err
	}
	if changed == nil {
		s.targets = targets
		return s, nil
	}
	touched := newPathSet(changed)
	for _, t := range targets {
		if t.Shape == finding.Source && touched.below(t.Path) || touched.has(t.Path) {
			s.targets = append(s.targets, t)
		}
	}
	s.missing, s.removed = leftovers(tree, root, changed, targets)
	return s, nil
}

// leftovers finds the folders directly below the root that were touched and hold no package: those that are still there
// should, and the others were removed.
func leftovers(tree fs.FS, root string, changed []string, targets []check.Target) (missing, removed []string) {
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
