package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
)

// ErrNoPackage says that a folder holds neither a manifest nor a package nor folders of them.
var ErrNoPackage = errors.New("neither a manifest.json nor an .azp package here, nor folders of them")

const extension = ".azp"

// Discover finds the packages at a path of a tree: an archive, a folder of a package, a folder of those, or a manifest by
// itself. Links are not followed. In the folder for submissions every folder counts as one, also where it holds no package.
// Packages are reported under the path as.
func (c *Checker) Discover(tree fs.FS, root, as string) ([]Target, error) {
	info, err := fs.Stat(tree, root)
	if err != nil {
		return nil, err
	}
	d := discovery{c: c, tree: tree, root: root, as: as}
	switch {
	case info.IsDir():
		err = d.folder(root, 0)
	case info.Mode().IsRegular():
		err = d.file(root)
	default: // opening a pipe or a device could wait for ever
		err = fmt.Errorf("%s: neither a file nor a folder", as)
	}
	if err == nil && len(d.targets) == 0 {
		err = fmt.Errorf("%s: %w", as, ErrNoPackage)
	}
	return d.targets, err
}

// file adds a file that was named itself.
func (d *discovery) file(file string) error {
	switch strings.ToLower(path.Ext(file)) {
	case extension:
		t := d.target(file, finding.Built)
		t.Sibling = sibling(d.tree, path.Dir(file))
		d.c.placeInSubmissions(&t)
		d.targets = append(d.targets, t)
		return nil
	case ".json":
		d.targets = append(d.targets, d.target(file, finding.Manifest))
		return nil
	default:
		return fmt.Errorf("%s: want an .azp package, a folder or a .json manifest", d.as)
	}
}

// target is a package at a location in the tree.
func (d *discovery) target(location string, shape finding.Shape) Target {
	below := strings.TrimPrefix(strings.TrimPrefix(location, d.root), "/")
	if d.root == "." {
		below = strings.TrimPrefix(location, "./")
	}
	return Target{Path: path.Join(d.as, below), Location: location, Shape: shape}
}

// placeInSubmissions recognises an archive that lies in a submissions folder.
func (c *Checker) placeInSubmissions(t *Target) {
	parts := strings.Split(t.Location, "/")
	submissions := strings.Split(c.config.Submissions, "/")
	last := submissions[len(submissions)-1]
	switch n := len(parts); {
	case n >= 2 && parts[n-2] == last:
		t.Submission = true
	case n >= 3 && parts[n-3] == last:
		t.Submission, t.Folder = true, parts[n-2]
	}
}

// sibling is the path of the manifest.json in a folder, "" where there is none.
func sibling(tree fs.FS, dir string) string {
	file := path.Join(dir, azp.ManifestName)
	if info, err := fs.Lstat(tree, file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// discovery walks a folder.
type discovery struct {
	c        *Checker
	tree     fs.FS
	root, as string
	targets  []Target
}

// maxDiscoveryDepth is how deep folders of packages are looked for.
const maxDiscoveryDepth = 8

func (d *discovery) folder(dir string, depth int) error {
	entries, err := fs.ReadDir(d.tree, dir)
	if err != nil {
		return err
	}
	var archives []fs.DirEntry
	hasManifest := false
	for _, e := range entries {
		hasManifest = hasManifest || e.Name() == azp.ManifestName && !e.IsDir()
		if strings.EqualFold(path.Ext(e.Name()), extension) && !e.IsDir() {
			archives = append(archives, e)
		}
	}
	for _, e := range archives {
		d.archive(e, dir, hasManifest)
	}
	if hasManifest {
		if len(archives) == 0 {
			d.source(dir)
		}
		return nil
	}
	if depth >= maxDiscoveryDepth {
		return nil
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules":
			child, found := path.Join(dir, e.Name()), len(d.targets)
			if err := d.folder(child, depth+1); err != nil {
				return err
			}
			if len(d.targets) == found && d.holdsSubmissions(dir) { // a submission without a manifest
				d.source(child)
			}
		case e.Type()&fs.ModeSymlink != 0 && path.Base(dir) == path.Base(d.c.config.Submissions):
			t := d.target(path.Join(dir, e.Name()), finding.Source) // a submission that is a link
			t.Link, t.Submission, t.Folder = true, true, e.Name()
			d.targets = append(d.targets, t)
		}
	}
	return nil
}

// source adds a source folder.
func (d *discovery) source(dir string) {
	t := d.target(dir, finding.Source)
	t.Folder, t.Submission = folderName(dir), true
	d.targets = append(d.targets, t)
}

// holdsSubmissions reports whether a folder is the one for submissions, in which every folder has to be one.
func (d *discovery) holdsSubmissions(dir string) bool {
	submissions := d.c.config.Submissions
	return dir == path.Join(d.root, submissions) || dir == d.root && path.Base(dir) == path.Base(submissions)
}

// archive adds an archive. In a folder of its own below where the search began it is a submission of that folder.
func (d *discovery) archive(e fs.DirEntry, dir string, hasManifest bool) {
	t := d.target(path.Join(dir, e.Name()), finding.Built)
	t.Link = !e.Type().IsRegular()
	if hasManifest {
		t.Sibling = path.Join(dir, azp.ManifestName)
	}
	d.c.placeInSubmissions(&t)
	if !t.Submission && (dir != d.root || hasManifest) {
		t.Submission, t.Folder = true, folderName(dir)
	}
	d.targets = append(d.targets, t)
}

// folderName is the name of a submission's folder; that of the tree's root is not known.
func folderName(dir string) string {
	if dir == "." {
		return ""
	}
	return path.Base(dir)
}
