package gitsource

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

const (
	// maxPath is the longest path that is opened, in bytes: what Linux takes. It bounds the depth of folders too.
	maxPath = 4096
	// treeCacheSize bounds the memory for folders that were read, in bytes, but for the last one.
	treeCacheSize = 32 << 20
)

// errTooLong is about a path that no working tree could hold.
var errTooLong = errors.New("path is longer than 4096 bytes")

// treeFS is the tree of a commit.
type treeFS struct {
	objects *database
	root    plumbing.Hash

	mu     sync.Mutex
	dirs   map[string]tree // folders that were read; emptied when full
	cached int             // cost of dirs
}

func newTreeFS(objects *database, root plumbing.Hash) *treeFS {
	return &treeFS{objects: objects, root: root, dirs: map[string]tree{}}
}

// Open opens a file or folder.
func (f *treeFS) Open(name string) (fs.File, error) {
	node, err := f.node(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if node.IsDir() {
		list, err := f.list(name)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &openDir{path: name, node: node, rest: list}, nil
	}
	return openFileOrLink(name, node)
}

// Stat describes a file or folder.
func (f *treeFS) Stat(name string) (fs.FileInfo, error) {
	node, err := f.node(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	info, err := node.info()
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info, nil
}

// ReadDir lists a folder in order of the names' bytes.
func (f *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := f.list(name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	return list, nil
}

// ReadFile returns a file's content.
func (f *treeFS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	buf.Grow(int(min(info.Size(), 1<<20)) + bytes.MinRead) // the size is only said to be so
	if _, err := buf.ReadFrom(file); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// validPath is fs.ValidPath for names that need not be UTF-8.
func validPath(name string) error {
	if len(name) > maxPath {
		return errTooLong
	}
	if name == "." {
		return nil
	}
	for elem := range strings.SplitSeq(name, "/") {
		if elem == "" || elem == "." || elem == ".." {
			return fs.ErrInvalid
		}
	}
	return nil
}

// node finds what has a path.
func (f *treeFS) node(name string) (*node, error) {
	if err := validPath(name); err != nil {
		return nil, err
	}
	if name == "." {
		return &node{objects: f.objects, treeEntry: treeEntry{name: ".", mode: filemode.Dir, id: f.root}}, nil
	}
	t, err := f.dir(path.Dir(name))
	if err != nil {
		return nil, err
	}
	e := t.lookup(path.Base(name))
	if e == nil {
		return nil, fs.ErrNotExist
	}
	return &node{objects: f.objects, treeEntry: *e}, nil
}

// dir returns the entries of a folder. Only what is not cached is looked up from the folder above.
func (f *treeFS) dir(name string) (tree, error) {
	f.mu.Lock()
	t, ok := f.dirs[name]
	f.mu.Unlock()
	if ok {
		return t, nil
	}
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, fs.ErrNotExist
	}
	if t, err = f.objects.tree(n.id); err != nil {
		return nil, err
	}
	f.keep(name, t)
	return t, nil
}

func (f *treeFS) keep(name string, t tree) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cost := len(name) + t.cost()
	if f.cached+cost > treeCacheSize {
		clear(f.dirs)
		f.cached = 0
	}
	if _, ok := f.dirs[name]; !ok {
		f.dirs[name] = t
		f.cached += cost
	}
}

func (f *treeFS) list(name string) ([]fs.DirEntry, error) {
	if err := validPath(name); err != nil {
		return nil, err
	}
	t, err := f.dir(name)
	if err != nil {
		return nil, err
	}
	list := make([]fs.DirEntry, len(t))
	for i := range t {
		list[i] = &node{objects: f.objects, treeEntry: t[i]}
	}
	return list, nil
}

// node is an entry of a folder that can tell about itself.
type node struct {
	treeEntry
	objects *database
}

func (n *node) Name() string      { return n.name }
func (n *node) IsDir() bool       { return n.isDir() }
func (n *node) Type() fs.FileMode { return n.fileMode().Type() }
func (n *node) String() string    { return fs.FormatDirEntry(n) }

// Info implements fs.DirEntry.
func (n *node) Info() (fs.FileInfo, error) {
	info, err := n.info()
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: n.name, Err: err}
	}
	return info, nil
}

// info looks up the size of a file; folders and links have none.
func (n *node) info() (*fileInfo, error) {
	if !n.Type().IsRegular() {
		return &fileInfo{node: n}, nil
	}
	o, err := n.blob()
	if err != nil {
		return nil, err
	}
	return &fileInfo{node: n, size: o.size}, nil
}

func (n *node) blob() (*object, error) {
	o, err := n.objects.find(n.id)
	if err != nil {
		return nil, err
	}
	if o.kind != plumbing.BlobObject {
		return nil, fmt.Errorf("object %s is a %s, not a file", o.id, o.kind)
	}
	return o, nil
}

// fileInfo describes an entry.
type fileInfo struct {
	*node
	size int64
}

func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() fs.FileMode  { return i.fileMode() }
func (i *fileInfo) ModTime() time.Time { return time.Time{} }
func (i *fileInfo) Sys() any           { return nil }
func (i *fileInfo) String() string     { return fs.FormatFileInfo(i) }
