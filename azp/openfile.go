package azp

import (
	"bytes"
	"io"
	"io/fs"
)

// OpenFile opens a file of a tree for reading at any place, and returns its size. What can't do that by itself is read into
// memory, up to the limit of a package and a byte more, by which it is told to be too big. The caller closes it.
func OpenFile(tree fs.FS, name string, lim Limits) (io.ReaderAt, int64, io.Closer, error) {
	f, err := tree.Open(name)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, nil, err
	}
	if r, ok := f.(io.ReaderAt); ok {
		return r, info.Size(), f, nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, lim.orDefault().Package+1))
	if err != nil {
		return nil, 0, nil, err
	}
	return bytes.NewReader(data), int64(len(data)), io.NopCloser(nil), nil
}
