package gitsource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/utils/ioutil"
	"github.com/go-git/go-git/v5/utils/sync"
)

// pack is a pack file with its index (gitformat-pack).
type pack struct {
	file   packFile
	index  *idxfile.MemoryIndex
	number int64            // of the pack in its database
	bases  *cache.BufferLRU // shared by all packs; see key
}

type packFile interface {
	io.ReaderAt
	io.Closer
}

// openPack opens a pack by its path, without an extension.
func openPack(name string) (*pack, error) {
	idx, err := os.Open(name + ".idx")
	if err != nil {
		return nil, err
	}
	defer idx.Close()
	p := &pack{index: idxfile.NewMemoryIndex()}
	if err := idxfile.NewDecoder(idx).Decode(p.index); err != nil {
		return nil, err
	}
	if p.file, err = os.Open(name + ".pack"); err != nil {
		return nil, err
	}
	return p, nil
}

// Close closes the pack file.
func (p *pack) Close() error { return p.file.Close() }

// find looks an object up; nil where the pack has none such.
func (p *pack) find(id plumbing.Hash) (*object, error) {
	offset, err := p.index.FindOffset(id)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := p.entryAt(offset)
	if err != nil {
		return nil, err
	}
	if !e.isDelta() {
		return &object{id: id, kind: e.kind, size: e.size, raw: func() (io.ReadCloser, error) { return p.inflate(e) }}, nil
	}
	o := &object{id: id, raw: func() (io.ReadCloser, error) { return p.undeltified(offset) }}
	if o.size, err = p.deltaTarget(e); err != nil {
		return nil, err
	}
	o.kind, err = p.kindOf(e)
	return o, err
}

// entry is the head of an object in a pack.
type entry struct {
	offset int64
	kind   plumbing.ObjectType // may be a delta
	size   int64               // of what is stored: a delta's own, not that of the object it makes
	data   int64               // offset of the zlib stream
	base   int64               // offset of the entry that a delta starts from
}

func (e entry) isDelta() bool { return e.kind.IsDelta() }

// maxEntryHead is the longest head: ten bytes of kind and size, then an object id.
const maxEntryHead = 10 + len(plumbing.Hash{})

func (p *pack) entryAt(offset int64) (entry, error) {
	var buf [maxEntryHead]byte
	n, err := p.file.ReadAt(buf[:], offset)
	if err != nil && err != io.EOF {
		return entry{}, err
	}
	head := bytes.NewReader(buf[:n])
	e, err := p.parseEntry(head, offset)
	if err != nil {
		return entry{}, fmt.Errorf("%w: entry at byte %d of a pack: %w", ErrCorrupt, offset, err)
	}
	e.data = offset + int64(n-head.Len())
	return e, nil
}

func (p *pack) parseEntry(head *bytes.Reader, offset int64) (entry, error) {
	c, err := head.ReadByte()
	if err != nil {
		return entry{}, err
	}
	e := entry{offset: offset, kind: plumbing.ObjectType(c >> 4 & 7), size: int64(c & 0x0f)}
	if c&0x80 != 0 {
		rest, err := readSize(head)
		if err != nil {
			return entry{}, err
		}
		e.size |= rest << 4
	}
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		back, err := readDistance(head)
		if err != nil {
			return entry{}, err
		}
		if e.base = offset - back; back <= 0 || e.base < 0 {
			return entry{}, errors.New("a delta's base lies outside the pack")
		}
	case plumbing.REFDeltaObject:
		var id plumbing.Hash
		if _, err := io.ReadFull(head, id[:]); err != nil {
			return entry{}, err
		}
		if e.base, err = p.index.FindOffset(id); err != nil {
			return entry{}, errors.New("a delta's base is not in the pack")
		}
	default:
		return entry{}, fmt.Errorf("kind %d is unknown", e.kind)
	}
	return e, nil
}

// readSize reads a number in groups of seven bits, the lowest first.
func readSize(r io.ByteReader) (int64, error) {
	var n int64
	for shift := 0; shift < 56; shift += 7 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errors.New("a size is out of range")
}

// readDistance reads the distance to a delta's base: groups of seven bits, the highest first, in which no number can be
// written in two ways.
func readDistance(r io.ByteReader) (int64, error) {
	var n int64
	for range 8 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int64(c & 0x7f)
		if c&0x80 == 0 {
			return n, nil
		}
		n = (n + 1) << 7
	}
	return 0, errors.New("a distance is out of range")
}

// inflate returns what an entry stores.
func (p *pack) inflate(e entry) (io.ReadCloser, error) {
	buffered := sync.GetBufioReader(io.NewSectionReader(p.file, e.data, 1<<62-e.data))
	z, err := sync.GetZlibReader(buffered)
	if err != nil {
		sync.PutBufioReader(buffered)
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return ioutil.NewReadCloserWithCloser(z.Reader, func() error {
		sync.PutZlibReader(z)
		sync.PutBufioReader(buffered)
		return nil
	}), nil
}
