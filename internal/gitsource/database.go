package gitsource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/utils/ioutil"
)

// database is the objects of a repository and of those it borrows from.
//
// The formats of its files are read by go-git, but its object store is not used: that holds every base of a delta in memory
// four times over (650 MB for a file of 200 MB), makes small objects from bases of any size, and trusts what it reads.
type database struct {
	dirs    []string // its own folder of objects, then those it borrows from
	packs   []*pack
	partial bool // whether objects may have been left out of a pack (git fetch --filter)
}

// maxAlternates bounds the folders that objects are borrowed from.
const maxAlternates = 64

func openDatabase(dir string) (*database, error) {
	d := &database{dirs: []string{dir}}
	bases := cache.NewBufferLRU(deltaCacheSize)
	for i := 0; i < len(d.dirs); i++ {
		if err := d.openPacks(d.dirs[i], bases); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		others, err := alternates(d.dirs[i])
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		if d.dirs = append(d.dirs, others...); len(d.dirs) > maxAlternates {
			return nil, errors.Join(errors.New("it borrows objects from too many folders"), d.Close())
		}
	}
	return d, nil
}

func (d *database) openPacks(dir string, bases *cache.BufferLRU) error {
	dir = filepath.Join(dir, "pack")
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, file := range files {
		d.partial = d.partial || strings.HasSuffix(file.Name(), ".promisor")
		name, ok := strings.CutSuffix(file.Name(), ".idx")
		if !ok {
			continue
		}
		p, err := openPack(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.bases, p.number = bases, int64(len(d.packs))
		d.packs = append(d.packs, p)
	}
	return nil
}

// alternates lists the folders that a folder of objects borrows from (gitrepository-layout, "objects/info/alternates").
func alternates(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var others []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		others = append(others, line)
	}
	return others, err
}

// Close closes the packs.
func (d *database) Close() error {
	var errs []error
	for _, p := range d.packs {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// object is an object that was found. Its content has not been read.
type object struct {
	id   plumbing.Hash
	kind plumbing.ObjectType
	size int64
	raw  func() (io.ReadCloser, error) // the content, not yet checked
}

// find looks an object up; the error is ErrAbsent where there is none.
func (d *database) find(id plumbing.Hash) (*object, error) {
	for _, p := range d.packs {
		o, err := p.find(id)
		if err != nil {
			return nil, fmt.Errorf("object %s: %w", id, err)
		}
		if o != nil {
			return o, nil
		}
	}
	return d.findLoose(id)
}

func (d *database) findLoose(id plumbing.Hash) (*object, error) {
	o := &object{id: id, raw: func() (io.ReadCloser, error) {
		r, _, _, err := d.openLoose(id)
		return r, err
	}}
	r, kind, size, err := d.openLoose(id)
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", id, err)
	}
	o.kind, o.size = kind, size
	return o, r.Close()
}

func (d *database) openLoose(id plumbing.Hash) (io.ReadCloser, plumbing.ObjectType, int64, error) {
	f, err := d.looseFile(id.String())
	if err != nil {
		return nil, 0, 0, err
	}
	r, err := objfile.NewReader(f)
	if err != nil {
		return nil, 0, 0, errors.Join(ErrCorrupt, err, f.Close())
	}
	kind, size, err := r.Header()
	if err != nil || size < 0 {
		return nil, 0, 0, errors.Join(ErrCorrupt, err, r.Close(), f.Close())
	}
	return ioutil.NewReadCloserWithCloser(r, f.Close), kind, size, nil
}

func (d *database) looseFile(id string) (*os.File, error) {
	for _, dir := range d.dirs {
		f, err := os.Open(filepath.Join(dir, id[:2], id[2:]))
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, ErrAbsent
}

// open returns the object's content. Reading it ends in an error, not at io.EOF, where it is not what the id says.
func (o *object) open() (io.ReadCloser, error) {
	r, err := o.raw()
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", o.id, err)
	}
	return &verified{ReadCloser: r, object: o, hash: plumbing.NewHasher(o.kind, o.size), left: o.size}, nil
}

// content reads the whole object.
func (o *object) content() (*content, error) {
	return newContent(o.size, func(w io.Writer) error {
		r, err := o.open()
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		return errors.Join(err, r.Close())
	})
}

// verified reads an object and checks its size and id.
type verified struct {
	io.ReadCloser
	object *object
	hash   plumbing.Hasher
	left   int64
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	if int64(n) > v.left {
		return 0, fmt.Errorf("object %s: %w: it is longer than it says", v.object.id, ErrCorrupt)
	}
	v.left -= int64(n)
	v.hash.Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, fmt.Errorf("object %s: %w: %w", v.object.id, ErrCorrupt, err)
	case v.left > 0 || v.hash.Sum() != v.object.id:
		return n, fmt.Errorf("object %s: %w: its content is another's", v.object.id, ErrCorrupt)
	}
	return n, io.EOF
}

// read returns the content of an object of one kind, of at most limit bytes.
func (d *database) read(id plumbing.Hash, kind plumbing.ObjectType, limit int64) ([]byte, error) {
	o, err := d.find(id)
	if err != nil {
		return nil, err
	}
	return o.read(kind, limit)
}

func (o *object) read(kind plumbing.ObjectType, limit int64) ([]byte, error) {
	if o.kind != kind {
		return nil, fmt.Errorf("object %s is a %s, not a %s", o.id, o.kind, kind)
	}
	if o.size > limit {
		return nil, fmt.Errorf("%s %s has %d bytes; at most %d are read", kind, o.id, o.size, limit)
	}
	r, err := o.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, o.size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, r) // meets the check at the end
	return data, err
}
