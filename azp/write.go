package azp

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"unicode/utf16"

	"github.com/klauspost/compress/flate"

	"github.com/azphalt/submissions/internal/jsontree"
)

// The one timestamp of all entries: 2000-01-01 00:00:00 as DOS writes it.
const (
	dosDate = 20<<9 | 1<<5 | 1
	dosTime = 0
)

var errChanged = errors.New("the file changed while it was packed")

// packed is an entry to be written: its header without the sizes that compression tells, and how to get its bytes.
type packed struct {
	header zip.FileHeader
	// raw yields the bytes as they are to be stored in the archive; open yields the plain bytes, to be compressed.
	raw  func() io.Reader
	open func() (io.ReadCloser, error)
}

// write writes the package with another signature.json. Entries are copied as they are, compressed.
func (p *Package) write(w io.Writer, signature []byte) error {
	var entries []packed
	for _, e := range p.Entries {
		if e.Name == SignatureName {
			continue
		}
		entries = append(entries, packed{
			header: zip.FileHeader{
				Name: e.Name, Method: e.Method, CRC32: e.CRC32,
				CompressedSize64: uint64(e.Packed), UncompressedSize64: uint64(e.Size),
			},
			raw: func() io.Reader { return io.NewSectionReader(p.r, e.data, e.Packed) },
		})
	}
	return writeArchive(w, append(entries, plain(SignatureName, signature)))
}

// plain is an entry of bytes in memory.
func plain(name string, data []byte) packed {
	return packed{
		header: zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(data), UncompressedSize64: uint64(len(data))},
		open:   func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// writeArchive writes entries in the order of the format: names sorted by UTF-16 code unit, those that look like array
// indexes first.
func writeArchive(w io.Writer, entries []packed) error {
	slices.SortFunc(entries, func(a, b packed) int {
		return cmp.Or(jsontree.CompareIndexLike(a.header.Name, b.header.Name), compareUTF16(a.header.Name, b.header.Name))
	})
	z := zip.NewWriter(w)
	for _, e := range entries {
		if err := writeEntry(z, e); err != nil {
			return fmt.Errorf("writing %s: %w", quoted(e.header.Name), err)
		}
	}
	return z.Close()
}

func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// writeEntry writes one entry with its sizes in the local header, so that it needs no data descriptor.
func writeEntry(z *zip.Writer, e packed) error {
	h := e.header
	h.CreatorVersion, h.ReaderVersion = 20, 20
	h.ModifiedDate, h.ModifiedTime = dosDate, dosTime //nolint:staticcheck // Modified would add an extra field
	if !isASCII(h.Name) {
		h.Flags |= flagUTF8
	}
	if e.raw != nil {
		return copyTo(z, &h, e.raw())
	}
	size, err := e.deflate(io.Discard)
	if err != nil {
		return err
	}
	h.Method, h.CompressedSize64 = Deflated, uint64(size)
	if uint64(size) >= h.UncompressedSize64 {
		h.Method, h.CompressedSize64 = Stored, h.UncompressedSize64
	}
	out, err := z.CreateRaw(&h)
	if err != nil {
		return err
	}
	if h.Method == Stored {
		size, err = e.copy(out)
	} else {
		size, err = e.deflate(out)
	}
	if err == nil && uint64(size) != h.CompressedSize64 {
		err = errChanged
	}
	return err
}

func copyTo(z *zip.Writer, h *zip.FileHeader, r io.Reader) error {
	out, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return err
}

// deflate writes the entry compressed and returns the number of bytes written.
func (e packed) deflate(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	z, err := flate.NewWriter(counted, flate.DefaultCompression)
	if err != nil {
		return 0, err
	}
	if _, err := e.copy(z); err != nil {
		return 0, err
	}
	err = z.Close() // writes what is left
	return counted.n, err
}

// copy writes the entry's plain bytes, which must be those that were digested.
func (e packed) copy(w io.Writer) (int64, error) {
	r, err := e.open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	crc := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(w, crc), r)
	if err == nil && (uint64(n) != e.header.UncompressedSize64 || crc.Sum32() != e.header.CRC32) {
		err = errChanged
	}
	return n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
