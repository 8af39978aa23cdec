package gitsource

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// maxInMemory is the size up to which an object that must be at hand as a whole is held in memory, in bytes. A larger
	// one is put into a temporary file.
	maxInMemory = 8 << 20
	// maxSpooled is the largest object that is put into a temporary file, in bytes.
	maxSpooled = 1 << 30
)

// content is the bytes of an object, at hand in any order.
type content struct {
	io.ReaderAt
	size int64
	data []byte   // what is held in memory
	file *os.File // or else where it is
}

// Close removes the temporary file, if there is one.
func (c *content) Close() error {
	if c.file == nil {
		return nil
	}
	return discard(c.file)
}

func discard(f *os.File) error {
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func inMemory(data []byte) *content {
	return &content{ReaderAt: bytes.NewReader(data), size: int64(len(data)), data: data}
}

// newContent gathers what fill writes, which must be size bytes.
func newContent(size int64, fill func(io.Writer) error) (*content, error) {
	if size > maxSpooled {
		return nil, fmt.Errorf("an object of %d bytes exceeds the limit of %d", size, maxSpooled)
	}
	if size <= maxInMemory {
		buf := bytes.NewBuffer(make([]byte, 0, min(size, 64<<10))) // size is only said to be so
		if err := fillExactly(buf, size, fill); err != nil {
			return nil, err
		}
		return inMemory(buf.Bytes()), nil
	}
	f, err := os.CreateTemp("", "azp-object-*")
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	if err := fillExactly(w, size, fill); err != nil {
		return nil, errors.Join(err, discard(f))
	}
	if err := w.Flush(); err != nil {
		return nil, errors.Join(err, discard(f))
	}
	return &content{ReaderAt: f, size: size, file: f}, nil
}

func fillExactly(w io.Writer, size int64, fill func(io.Writer) error) error {
	b := &bounded{w: w, left: size}
	if err := fill(b); err != nil {
		return err
	}
	if b.left != 0 {
		return fmt.Errorf("%w: it is shorter than it says", ErrCorrupt)
	}
	return nil
}

// bounded is a writer of so many bytes at most.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, fmt.Errorf("%w: it is longer than it says", ErrCorrupt)
	}
	b.left -= int64(len(p))
	return b.w.Write(p)
}

// copyTo writes size bytes from an offset on, by way of buf where they are in a file.
func (c *content) copyTo(w io.Writer, offset, size int64, buf []byte) error {
	if offset > c.size-size {
		return fmt.Errorf("%w: a delta copies from beyond its base", ErrCorrupt)
	}
	if c.file == nil {
		_, err := w.Write(c.data[offset : offset+size])
		return err
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(c, offset, size), buf)
	return err
}
