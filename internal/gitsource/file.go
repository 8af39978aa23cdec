package gitsource

import (
	"errors"
	"io"
	"io/fs"
	"sync"
)

// openFileOrLink opens what is no folder.
func openFileOrLink(name string, n *node) (fs.File, error) {
	if !n.Type().IsRegular() {
		return &openLink{path: name, info: &fileInfo{node: n}}, nil
	}
	blob, err := n.blob()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{path: name, info: &fileInfo{node: n, size: blob.size}, blob: blob}, nil
}

// openLink is an open link or submodule, which can be described only.
type openLink struct {
	path string
	info *fileInfo
}

func (l *openLink) Stat() (fs.FileInfo, error) { return l.info, nil }
func (l *openLink) Close() error               { return nil }

func (l *openLink) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: l.path, Err: errors.New("a link or submodule: links are not followed")}
}

// openDir is an open folder.
type openDir struct {
	path string
	node *node
	rest []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node.Info() }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: errors.New("is a folder")}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.rest) {
		n = len(d.rest)
	}
	list := d.rest[:n:n]
	d.rest = d.rest[n:]
	return list, nil
}

// openFile is an open regular file. Read streams it. ReadAt, which several goroutines may call, first takes all of it into
// memory or, above maxInMemory, into a temporary file.
type openFile struct {
	path   string
	info   *fileInfo
	blob   *object
	stream io.ReadCloser // what Read reads

	mu     sync.Mutex // guards what follows
	whole  *content   // what ReadAt reads
	closed bool
}

// Stat implements fs.File.
func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Read implements io.Reader.
func (f *openFile) Read(p []byte) (int, error) {
	if f.isClosed() {
		return 0, f.fault("read", fs.ErrClosed)
	}
	if f.stream == nil {
		stream, err := f.blob.open()
		if err != nil {
			return 0, f.fault("read", err)
		}
		f.stream = stream
	}
	n, err := f.stream.Read(p)
	return n, f.fault("read", err)
}

// ReadAt implements io.ReaderAt.
func (f *openFile) ReadAt(p []byte, offset int64) (int, error) {
	whole, err := f.atHand()
	if err != nil {
		return 0, f.fault("read", err)
	}
	n, err := whole.ReadAt(p, offset)
	return n, f.fault("read", err)
}

// atHand returns the file's content, which the first call gathers.
func (f *openFile) atHand() (whole *content, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fs.ErrClosed
	}
	if f.whole == nil {
		f.whole, err = f.blob.content()
	}
	return f.whole, err
}

func (f *openFile) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// Close closes the file and removes the temporary one.
func (f *openFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.fault("close", fs.ErrClosed)
	}
	f.closed = true
	var errs []error
	if f.stream != nil {
		errs = append(errs, f.stream.Close())
	}
	if f.whole != nil {
		errs = append(errs, f.whole.Close())
	}
	return f.fault("close", errors.Join(errs...))
}

// fault says in which file an error happened.
func (f *openFile) fault(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &fs.PathError{Op: op, Path: f.path, Err: err}
}
