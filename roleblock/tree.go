package roleblock

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The files of a role and of the tree.
const (
	blockFile      = "meta/mcp.yml"
	servicesFile   = "meta/services.yml"
	usersFile      = "meta/users.yml"
	treeUsersFile  = "users.yml"
	categoriesFile = "meta/categories.yml"
	rolesDir       = "roles"
)

// tree reads a file system without following symbolic links, which could lead out of it.
type tree struct {
	fs.FS
	listings map[string]map[string]fs.FileMode // of the directories that were looked at: name to type
}

func newTree(fsys fs.FS) tree { return tree{fsys, map[string]map[string]fs.FileMode{}} }

// list returns the entries of a directory, none where it is not there.
func (t tree) list(dir string) (map[string]fs.FileMode, error) {
	if listing, known := t.listings[dir]; known {
		return listing, nil
	}
	entries, err := fs.ReadDir(t.FS, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listing := make(map[string]fs.FileMode, len(entries))
	for _, e := range entries {
		listing[e.Name()] = e.Type()
	}
	t.listings[dir] = listing
	return listing, nil
}

// roles returns the names of the directories under roles/, in order, and the paths of links in the place of a directory.
func (t tree) roles() (names, links []string, err error) {
	found, err := t.find(rolesDir)
	if found.isLink() {
		links = []string{found.path}
	}
	if err != nil || !found.IsDir() {
		return nil, links, err
	}
	listing, err := t.list(rolesDir)
	for name, mode := range listing {
		switch {
		case mode.IsDir():
			names = append(names, name)
		case mode&fs.ModeSymlink != 0:
			links = append(links, rolePath(name, ""))
		}
	}
	slices.Sort(names)
	slices.Sort(links)
	return names, links, err
}

// found is what has a path: its type, and the path itself or, where that leads through a link, the path of the link. The
// path is empty where there is nothing.
type found struct {
	path string
	fs.FileMode
}

func (f found) isLink() bool { return f.FileMode&fs.ModeSymlink != 0 }

// isFile reports whether there is a regular file.
func (f found) isFile() bool { return f.path != "" && f.IsRegular() }

// find looks up a path.
func (t tree) find(name string) (found, error) {
	f := found{".", fs.ModeDir}
	for element := range strings.SplitSeq(name, "/") {
		if f.isLink() {
			return f, nil
		}
		if !f.IsDir() {
			return found{}, nil
		}
		listing, err := t.list(f.path)
		if err != nil {
			return found{}, err
		}
		mode, ok := listing[element]
		if !ok {
			return found{}, nil
		}
		f = found{path.Join(f.path, element), mode}
	}
	return f, nil
}

// read returns up to limit+1 bytes of a regular file; ok is false where there is nothing. An irregular error is about what
// is there instead.
func (t tree) read(name string, limit int) (data []byte, ok bool, err error) {
	found, err := t.find(name)
	if err != nil || found.path == "" {
		return nil, false, err
	}
	if !found.isFile() {
		return nil, false, irregular(found)
	}
	f, err := t.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	return data, err == nil, err
}

// irregular is what stands in the place of a file and is none.
type irregular found

func (i irregular) Error() string { return "not a regular file" }

// rolePath returns the path of a role's file.
func rolePath(role, name string) string { return path.Join(rolesDir, role, name) }

// isInside reports whether a path, as written in a role's block, is one of the role's own files.
func isInside(role, name string) bool {
	rest, ok := strings.CutPrefix(name, rolesDir+"/"+role+"/files/")
	return ok && !strings.HasSuffix(rest, "/") && !slices.Contains(strings.Split(rest, "/"), "..")
}
