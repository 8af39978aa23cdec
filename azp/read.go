package azp

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// chunkSize is how many bytes of an entry are handled at once, packedSize how many compressed ones are read at once.
const (
	chunkSize  = 256 << 10
	packedSize = 64 << 10
)

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// content reads an entry's unpacked bytes, at most one more than declared. Faults of the data come as dataError.
type content struct {
	source *section      // the bytes in the archive
	packed *bufio.Reader // nil where they are stored as they are
	r      io.Reader     // the bytes unpacked
	left   int64         // declared bytes not read yet
	crc    uint32
	entry  *Entry
}

// dataError is a fault of an entry's data.
type dataError struct{ Problem }

func (e *dataError) Error() string { return e.Detail }

// section is a part of the archive that remembers whether reading failed.
type section struct {
	r      io.Reader
	failed error
}

func (s *section) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// open returns a reader of an entry's data. The entry must not be Broken.
func (a *Archive) open(e *Entry) *content {
	src := &section{r: io.NewSectionReader(a.r, e.data, e.Packed)}
	c := &content{source: src, r: src, left: e.Size, entry: e}
	if e.Method == Deflated {
		c.packed = bufio.NewReaderSize(src, int(max(512, min(e.Packed, packedSize))))
		z := inflaters.Get().(io.ReadCloser)
		_ = z.(flate.Resetter).Reset(c.packed, nil) // fails never without a dictionary
		c.r = z
	}
	return c
}

// close gives the inflater back.
func (c *content) close() {
	if z, ok := c.r.(io.ReadCloser); ok {
		inflaters.Put(z)
	}
	c.r = nil
}

// next fills buf as far as the data goes. At the end, after all checks, it returns io.EOF.
func (c *content) next(buf []byte) (n int, err error) {
	buf = buf[:min(int64(len(buf)), c.left+1)]
	for n < len(buf) && err == nil {
		var got int
		got, err = c.r.Read(buf[n:])
		n += got
	}
	if int64(n) > c.left {
		return 0, &dataError{problem(SizeMismatch, c.entry.Name, "the entry is declared with %d bytes and unpacks to more", c.entry.Size)}
	}
	c.left -= int64(n)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, buf[:n])
	switch err {
	case nil:
		return n, nil
	case io.EOF:
		return n, c.finish()
	default:
		return 0, c.broken(err)
	}
}

// broken tells faults of the data from those of reading: whatever the inflater says that the source did not.
func (c *content) broken(err error) error {
	if c.source.failed == nil {
		return &dataError{problem(NotAZip, c.entry.Name, "the entry's compressed data is corrupt")}
	}
	return fmt.Errorf("reading entry %s: %w", quoted(c.entry.Name), err)
}

// finish judges the entry as a whole.
func (c *content) finish() error {
	if c.left > 0 {
		return &dataError{problem(SizeMismatch, c.entry.Name, "the entry is declared with %d bytes and unpacks to %d", c.entry.Size, c.entry.Size-c.left)}
	}
	if c.packed != nil {
		if _, err := c.packed.ReadByte(); err != io.EOF {
			return &dataError{problem(HiddenData, c.entry.Name, "bytes follow the end of the entry's compressed data")}
		}
	}
	if c.crc != c.entry.CRC32 {
		return &dataError{problem(ChecksumMismatch, c.entry.Name, "the entry's CRC-32 is %08x, declared is %08x", c.crc, c.entry.CRC32)}
	}
	return io.EOF
}

// StreamEntry gives an entry's bytes to read and asks for nothing but its error. What it made of them does not count where
// the result is false: the data has a fault, one that leaves doubt about what the bytes are, and verifying reports it. The
// entry must not be Broken.
func (a *Archive) StreamEntry(e *Entry, read func(io.Reader) error) (bool, error) {
	c := a.open(e)
	defer c.close()
	err := read(contentReader{c})
	if _, ok := errors.AsType[*dataError](err); ok {
		return false, nil
	}
	return err == nil, err
}

// contentReader reads an entry's bytes, with all checks but that of the CRC-32.
type contentReader struct{ *content }

func (c contentReader) Read(p []byte) (int, error) {
	n, err := c.next(p)
	if fault, ok := errors.AsType[*dataError](err); ok && fault.Code == ChecksumMismatch {
		err = io.EOF
	}
	return n, err
}

// ReadEntry returns an entry's bytes. A fault of the data is reported as a problem; with any but a wrong CRC-32, which
// leaves no doubt about what the bytes are, there are none. The error is about reading alone.
func (a *Archive) ReadEntry(e *Entry) ([]byte, bool, error) {
	c := a.open(e)
	defer c.close()
	out := make([]byte, 0, min(e.Size, chunkSize))
	buf := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(buf)
	for {
		n, err := c.next(buf[:])
		out = append(out, buf[:n]...)
		if err == io.EOF {
			return out, true, nil
		}
		if fault, ok := errors.AsType[*dataError](err); ok {
			a.report(fault.Problem)
			return out, fault.Code == ChecksumMismatch, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}
