package bot

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tree is the files of a commit, by path.
type Tree struct {
	ID    string
	Files map[string]Entry
}

// maxTreeFiles bounds the files of a tree that is looked at.
const maxTreeFiles = 1_000_000

// Diff returns the paths whose file differs between two trees, in order. A rename is two of them.
func Diff(a, b *Tree) []string {
	changed := map[string]bool{}
	for p, e := range a.Files {
		if o := b.Files[p]; o.ID != e.ID || o.Mode != e.Mode {
			changed[p] = true
		}
	}
	for p := range b.Files {
		if _, there := a.Files[p]; !there {
			changed[p] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// treeFS is the part of a tree below a folder as a file system; files are read from GitHub by id when they are opened.
type treeFS struct {
	ctx    context.Context // of the judgement that reads it
	source Reader
	dirs   map[string][]fs.DirEntry
	mu     sync.Mutex // guards files, where sizes are learnt late
	files  map[string]Entry
}

// newTreeFS returns the file system of a tree, of which only the folder named is visible; "." is all of it.
func newTreeFS(ctx context.Context, source Reader, t *Tree, folder string) *treeFS {
	f := &treeFS{ctx: ctx, source: source, files: map[string]Entry{}, dirs: map[string][]fs.DirEntry{".": nil}}
	for _, p := range slices.Sorted(maps.Keys(t.Files)) {
		if (folder == "." || strings.HasPrefix(p, folder+"/")) && fs.ValidPath(p) {
			f.files[p] = t.Files[p]
			f.enter(p, fileInfo{path.Base(p), t.Files[p]})
		}
	}
	for _, list := range f.dirs {
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f
}

// enter lists a file in its folder, and folders in theirs.
func (f *treeFS) enter(p string, info fs.FileInfo) {
	dir := path.Dir(p)
	_, known := f.dirs[dir]
	f.dirs[dir] = append(f.dirs[dir], dirEntry{info, p, f})
	if !known {
		f.enter(dir, fileInfo{path.Base(dir), Entry{Mode: dirMode}})
	}
}

// Open opens a file or folder.
func (f *treeFS) Open(name string) (fs.File, error) {
	info, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &openDir{info: info, list: f.dirs[name]}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	blob, err := f.source.Blob(f.ctx, f.entry(name))
	if err != nil {
		return nil, err
	}
	return &openFile{Blob: blob, Reader: io.NewSectionReader(blob, 0, blob.Size()), info: info}, nil
}

// Lstat describes a file or folder; a link is one.
func (f *treeFS) Lstat(name string) (fs.FileInfo, error) {
	if e := f.entry(name); e.ID != "" {
		if e.Size >= 0 {
			return fileInfo{path.Base(name), e}, nil
		}
		return f.measure(name, e)
	}
	if _, ok := f.dirs[name]; ok {
		return fileInfo{path.Base(name), Entry{Mode: dirMode}}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// entry returns a file's entry, none where there is no such file.
func (f *treeFS) entry(name string) Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[name]
}

// measure learns a size that the server did not say.
func (f *treeFS) measure(name string, e Entry) (fs.FileInfo, error) {
	blob, err := f.source.Blob(f.ctx, e)
	if err != nil {
		return nil, err
	}
	e.Size = blob.Size()
	blob.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[name] = e
	return fileInfo{path.Base(name), e}, nil
}

// dirEntry is a file or folder in a list.
type dirEntry struct {
	info fs.FileInfo
	path string
	fs   *treeFS
}

func (d dirEntry) Name() string               { return d.info.Name() }
func (d dirEntry) IsDir() bool                { return d.info.IsDir() }
func (d dirEntry) Type() fs.FileMode          { return d.info.Mode().Type() }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.fs.Lstat(d.path) }

// Stat is Lstat: no link is followed.
func (f *treeFS) Stat(name string) (fs.FileInfo, error) { return f.Lstat(name) }

// ReadLink refuses: where a link leads does not matter to anyone.
func (f *treeFS) ReadLink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// ReadDir lists a folder.
func (f *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, ok := f.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(list), nil
}

const dirMode = "040000"

// fileInfo describes a file of a tree.
type fileInfo struct {
	name  string
	entry Entry
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.entry.Size }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.entry.Mode == dirMode }
func (i fileInfo) Sys() any           { return nil }
func (i fileInfo) Mode() fs.FileMode {
	switch i.entry.Mode {
	case "100644", "100664":
		return 0o644
	case "100755":
		return 0o755
	case dirMode:
		return fs.ModeDir | 0o755
	case "120000":
		return fs.ModeSymlink | 0o777
	default: // a submodule, or what git has not invented yet
		return fs.ModeIrregular
	}
}

type openFile struct {
	Blob
	io.Reader
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Read resolves which of the embedded types reads.
func (f *openFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

type openDir struct {
	info fs.FileInfo
	list []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (d *openDir) Close() error               { return nil }
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		list := d.list
		d.list = nil
		return list, nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.list))
	list := d.list[:n]
	d.list = d.list[n:]
	return list, nil
}

// readAll reads a file of a tree, up to a limit; ok is false where there is none or it is too large.
func readAll(ctx context.Context, source Reader, t *Tree, name string, limit int64) ([]byte, bool, error) {
	e, there := t.Files[name]
	if !there || !(fileInfo{name, e}).Mode().IsRegular() || e.Size > limit {
		return nil, false, nil
	}
	blob, err := source.Blob(ctx, e)
	if err != nil {
		return nil, false, err
	}
	defer blob.Close()
	if blob.Size() > limit {
		return nil, false, nil
	}
	var buf bytes.Buffer
	_, err = io.Copy(&buf, io.NewSectionReader(blob, 0, blob.Size()))
	return buf.Bytes(), err == nil, err
}
