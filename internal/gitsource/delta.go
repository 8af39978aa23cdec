package gitsource

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/utils/ioutil"
)

const (
	// maxChain is the longest chain of deltas that git itself writes.
	maxChain = 4095
	// deltaCacheSize and maxCachedBase bound the delta bases that are kept in memory, together and each, in bytes. They
	// serve trees, most of which are a few deltas away from one another.
	deltaCacheSize = 16 << 20
	maxCachedBase  = 1 << 20
)

// key names an entry among those of all packs.
func (p *pack) key(offset int64) int64 { return p.number<<44 | offset }

// kindOf returns the kind of the object that an entry makes: that of the whole object under its deltas.
func (p *pack) kindOf(e entry) (plumbing.ObjectType, error) {
	for range maxChain {
		if !e.isDelta() {
			return e.kind, nil
		}
		var err error
		if e, err = p.entryAt(e.base); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%w: more than %d deltas on one another", ErrCorrupt, maxChain)
}

// deltaTarget returns the size of the object that a delta makes, which stands at its beginning.
func (p *pack) deltaTarget(e entry) (int64, error) {
	d, err := p.openDelta(e)
	if err != nil {
		return 0, err
	}
	return d.target, d.Close()
}

// undeltified returns the object that a chain of deltas makes.
func (p *pack) undeltified(offset int64) (io.ReadCloser, error) {
	c, err := p.resolve(offset)
	if err != nil {
		return nil, err
	}
	return ioutil.NewReadCloser(io.NewSectionReader(c, 0, c.size), c), nil
}

// resolve makes the object of an entry, from the whole object under its deltas upwards. Of the objects on the way, two
// are held at a time.
func (p *pack) resolve(offset int64) (*content, error) {
	var deltas []entry
	var c *content
	for c == nil {
		if data, ok := p.bases.Get(p.key(offset)); ok {
			c = inMemory(data)
			break
		}
		e, err := p.entryAt(offset)
		if err != nil {
			return nil, err
		}
		if e.isDelta() {
			if deltas = append(deltas, e); len(deltas) > maxChain {
				return nil, fmt.Errorf("%w: more than %d deltas on one another", ErrCorrupt, maxChain)
			}
			offset = e.base
			continue
		}
		if c, err = p.whole(e); err != nil {
			return nil, err
		}
	}
	for len(deltas) > 0 {
		e := deltas[len(deltas)-1]
		deltas = deltas[:len(deltas)-1]
		next, err := p.apply(c, e)
		if err = errors.Join(err, c.Close()); err != nil {
			return nil, err
		}
		c = next
	}
	return c, nil
}

// whole reads an entry that is no delta.
func (p *pack) whole(e entry) (*content, error) {
	c, err := newContent(e.size, func(w io.Writer) error {
		r, err := p.inflate(e)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		return errors.Join(err, r.Close())
	})
	p.keep(e, c)
	return c, err
}

// apply makes what a delta makes of its base.
func (p *pack) apply(base *content, e entry) (*content, error) {
	d, err := p.openDelta(e)
	if err != nil {
		return nil, err
	}
	if d.source != base.size {
		return nil, errors.Join(fmt.Errorf("%w: a delta's base has another size", ErrCorrupt), d.Close())
	}
	c, err := newContent(d.target, func(w io.Writer) error { return d.patch(w, base) })
	p.keep(e, c)
	return c, errors.Join(err, d.Close())
}

// keep remembers the object of an entry as a base for others.
func (p *pack) keep(e entry, c *content) {
	if c != nil && c.file == nil && c.size <= maxCachedBase {
		p.bases.Put(p.key(e.offset), c.data)
	}
}

// delta is an open delta ("Deltified representation" of gitformat-pack): the sizes of what it starts from and what it
// makes, then instructions to copy from the one or to insert bytes of its own.
type delta struct {
	*bufio.Reader
	io.Closer
	source, target int64
}

func (p *pack) openDelta(e entry) (*delta, error) {
	r, err := p.inflate(e)
	if err != nil {
		return nil, err
	}
	d, err := newDelta(r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return d, nil
}

func newDelta(r io.ReadCloser) (d *delta, err error) {
	d = &delta{Reader: bufio.NewReader(r), Closer: r}
	if d.source, err = readSize(d); err == nil {
		d.target, err = readSize(d)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a delta without sizes: %w", ErrCorrupt, err)
	}
	return d, nil
}

// patch writes what the delta makes. It reads on to the end of the delta, so that damage there is met too.
func (d *delta) patch(w io.Writer, base *content) error {
	buf := make([]byte, 32<<10)
	for {
		op, err := d.ReadByte()
		switch {
		case err == io.EOF:
			return nil // newContent has the size checked
		case err != nil:
			return fmt.Errorf("%w: a delta can't be read: %w", ErrCorrupt, err)
		case op&0x80 != 0:
			offset, size, err := d.copyOperands(op)
			if err != nil {
				return err
			}
			if err := base.copyTo(w, offset, size, buf); err != nil {
				return err
			}
		case op != 0:
			if _, err := io.ReadFull(d, buf[:op]); err != nil {
				return fmt.Errorf("%w: a delta is cut short: %w", ErrCorrupt, err)
			}
			if _, err := w.Write(buf[:op]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%w: a delta with the reserved instruction", ErrCorrupt)
		}
	}
}

// copyOperands reads the operands of a copy instruction: the low bits of op tell which bytes of them are there.
func (d *delta) copyOperands(op byte) (offset, size int64, err error) {
	var bytes [7]byte
	for i := range bytes {
		if op>>i&1 != 0 {
			if bytes[i], err = d.ReadByte(); err != nil {
				return 0, 0, fmt.Errorf("%w: a delta is cut short: %w", ErrCorrupt, err)
			}
		}
	}
	offset = int64(bytes[0]) | int64(bytes[1])<<8 | int64(bytes[2])<<16 | int64(bytes[3])<<24
	size = int64(bytes[4]) | int64(bytes[5])<<8 | int64(bytes[6])<<16
	if size == 0 {
		size = 0x10000
	}
	return offset, size, nil
}
