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
type tree struct{ fs.FS }

// roles returns the names of the directories under roles/, in order.
func (t tree) roles() ([]string, error) {
	entries, err := fs.ReadDir(t.FS, rolesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// mode returns what a path is, following no link in it. What is not there has the mode absentMode.
func (t tree) mode(name string) (fs.FileMode, error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(t.FS, name[:i])
		switch {
		case isAbsent(err):
			return absentMode, nil
		case err != nil:
			return 0, err
		case i == len(name):
			return info.Mode(), nil
		case !info.IsDir():
			return absentMode, nil
		}
	}
	return absentMode, nil
}

// absentMode is the mode of what does not exist.
const absentMode = fs.ModeIrregular

// isAbsent reports whether an error means that there is no such file; a name that no file can have is one reason.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid)
}

// read returns up to limit+1 bytes of a regular file; ok is false where there is none.
func (t tree) read(name string, limit int) (data []byte, ok bool, err error) {
	mode, err := t.mode(name)
	if err != nil || mode == absentMode {
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
