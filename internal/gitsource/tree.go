package gitsource

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// maxTree is the largest tree object that is read, in bytes: a folder of some 300,000 entries.
const maxTree = 16 << 20

// tree is the entries of a folder, in order of their names' bytes.
type tree []treeEntry

type treeEntry struct {
	name string
	mode filemode.FileMode // one of go-git's constants
	id   plumbing.Hash
}

func (e *treeEntry) isDir() bool { return e.mode == filemode.Dir }

// fileMode is the entry's type, with the permissions that a checkout gives it but the right to write.
func (e *treeEntry) fileMode() fs.FileMode {
	switch e.mode {
	case filemode.Dir:
		return fs.ModeDir | 0o555
	case filemode.Executable:
		return 0o555
	case filemode.Symlink:
		return fs.ModeSymlink | 0o444
	case filemode.Submodule:
		return fs.ModeIrregular
	default:
		return 0o444
	}
}

// cost estimates the memory that a tree takes, in bytes.
func (t tree) cost() int {
	total := 0
	for i := range t {
		total += len(t[i].name) + 48
	}
	return total
}

// lookup returns the entry of a name, nil where there is none.
func (t tree) lookup(name string) *treeEntry {
	i, ok := slices.BinarySearchFunc(t, name, func(e treeEntry, name string) int { return cmp.Compare(e.name, name) })
	if !ok {
		return nil
	}
	return &t[i]
}

func (d *database) tree(id plumbing.Hash) (tree, error) {
	data, err := d.read(id, plumbing.TreeObject, maxTree)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(data)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w: %w", id, ErrCorrupt, err)
	}
	return t, nil
}

// parseTree reads a tree object: for each entry the mode in octal digits, a space, the name, a NUL and the bare id.
func parseTree(data []byte) (tree, error) {
	var t tree
	text := string(data) // which all names share
	for len(text) > 0 {
		mode, rest, ok := strings.Cut(text, " ")
		if !ok {
			return nil, errors.New("an entry without a mode")
		}
		name, rest, ok := strings.Cut(rest, "\x00")
		if !ok || len(rest) < len(plumbing.ZeroHash) {
			return nil, errors.New("an entry is cut short")
		}
		e := treeEntry{name: name, id: plumbing.Hash([]byte(rest[:len(plumbing.ZeroHash)]))}
		text = rest[len(plumbing.ZeroHash):]
		if e.mode, ok = parseMode(mode); !ok {
			return nil, fmt.Errorf("entry %.64q has the mode %.16q", name, mode)
		}
		if !safeName(name) {
			return nil, fmt.Errorf("an entry has the name %.64q", name)
		}
		t = append(t, e)
	}
	byName := func(a, b treeEntry) int { return cmp.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(t, byName) {
		slices.SortFunc(t, byName)
	}
	for i := 1; i < len(t); i++ {
		if t[i].name == t[i-1].name {
			return nil, fmt.Errorf("two entries have the name %.64q", t[i].name)
		}
	}
	return t, nil
}

// parseMode reads a mode as git does: of a regular file, only whether it is executable counts.
func parseMode(s string) (filemode.FileMode, bool) {
	n, err := strconv.ParseUint(s, 8, 20)
	if err != nil {
		return 0, false
	}
	switch n & 0o170000 {
	case 0o040000:
		return filemode.Dir, true
	case 0o100000:
		if n&0o111 != 0 {
			return filemode.Executable, true
		}
		return filemode.Regular, true
	case 0o120000:
		return filemode.Symlink, true
	case 0o160000:
		return filemode.Submodule, true
	}
	return 0, false
}

// safeName refuses the names that no git program checks out.
func safeName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.EqualFold(s, ".git") && !strings.Contains(s, "/")
}
