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

// roles returns the names of the directories under roles/, in order.
func (t tree) roles() ([]string, error) {
	listing, err := t.list(rolesDir)
	var names []string
	for name, mode := range listing {
		if mode.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// mode returns the type of what has a path; ok is false where nothing has it, or only by a link in the path.
func (t tree) mode(name string) (mode fs.FileMode, ok bool, err error) {
	dir, mode := ".", fs.ModeDir
	for element := range strings.SplitSeq(name, "/") {
		if !mode.IsDir() {
			return 0, false, nil
		}
		listing, err := t.list(dir)
		if err != nil {
			return 0, false, err
		}
		if mode, ok = listing[element]; !ok {
			return 0, false, nil
		}
		dir = path.Join(dir, element)
	}
	return mode, true, nil
}

// read returns up to limit+1 bytes of a regular file; ok is false where there is none.
func (t tree) read(name string, limit int) (data []byte, ok bool, err error) {
	mode, ok, err := t.mode(name)
	if err != nil || !ok {
		return nil, false, err
	}
	if !mode.IsRegular() {
		return nil, false, errNotRegular
	}
	f, err := t.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	return data, err == nil, err
}

var errNotRegular = errors.New("not a regular file")

// rolePath returns the path of a role's file.
func rolePath(role, name string) string { return path.Join(rolesDir, role, name) }

// isInside reports whether a path, as written in a role's block, is one of the role's own files.
func isInside(role, name string) bool {
	rest, ok := strings.CutPrefix(name, rolesDir+"/"+role+"/files/")
	return ok && !strings.HasSuffix(rest, "/") && !slices.Contains(strings.Split(rest, "/"), "..")
}
