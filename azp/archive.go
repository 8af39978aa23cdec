package azp

import (
	"fmt"
	"io"
	"slices"
)

// Archive is a ZIP archive whose structure has been read; no payload is in memory.
type Archive struct {
	// Entries are the entries in the order of the central directory, those with faults included.
	Entries []*Entry
	// Problems are the faults of the structure, in the order in which they were found.
	Problems []Problem

	incomplete bool // the central directory can't be read to its end: there may be more entries

	r    io.ReaderAt
	size int64
	lim  Limits
}

// Entry is one entry of an archive.
type Entry struct {
	Name   string // the stored bytes; valid UTF-8 unless Broken
	Method uint16 // Stored or Deflated
	CRC32  uint32
	Packed int64 // bytes in the archive
	Size   int64 // bytes unpacked

	// Broken says that the entry can't be read: its records are faulty, so nothing of its data is judged.
	Broken bool

	flags    uint16
	external uint32 // attributes
	header   int64  // offset of the local header
	data     int64  // offset of the data
	end      int64  // offset after the data descriptor
}

// Compression methods of the format.
const (
	Stored   = 0
	Deflated = 8
)

// IsDir reports whether the entry's name is that of a directory.
func (e *Entry) IsDir() bool { return len(e.Name) > 0 && e.Name[len(e.Name)-1] == '/' }

// OpenArchive reads the structure of an archive of the given size. The error is about reading alone.
func OpenArchive(r io.ReaderAt, size int64, lim Limits) (*Archive, error) {
	a := &Archive{r: r, size: size, lim: lim.orDefault()}
	if size > a.lim.Package {
		a.report(problem(PackageTooBig, "", "the archive has %d bytes; the limit is %d", size, a.lim.Package))
		return a, nil
	}
	dir, err := a.findDirectory()
	if err != nil || dir == nil {
		return a, err
	}
	if err := a.readDirectory(dir); err != nil {
		return nil, err
	}
	if a.Has(TooManyEntries, DirectoryTooBig) { // what was not read can't be judged
		a.Entries = nil
		return a, nil
	}
	if err := a.readLocalHeaders(dir); err != nil {
		return nil, err
	}
	a.checkNames()
	a.checkUnpackedSize()
	return a, nil
}

func (a *Archive) report(p Problem) { a.Problems = append(a.Problems, p) }

// fault reports a problem of an entry and gives the entry up.
func (a *Archive) fault(e *Entry, code Code, format string, args ...any) {
	e.Broken = true
	a.report(problem(code, e.Name, format, args...))
}

// Lookup returns the only entry of that name, nil where there is none or more than one.
func (a *Archive) Lookup(name string) *Entry {
	var found *Entry
	for _, e := range a.Entries {
		if e.Name == name {
			if found != nil {
				return nil
			}
			found = e
		}
	}
	return found
}

// Has reports whether a problem of one of the codes was found.
func (a *Archive) Has(codes ...Code) bool {
	return slices.ContainsFunc(a.Problems, func(p Problem) bool { return slices.Contains(codes, p.Code) })
}

func (a *Archive) checkUnpackedSize() {
	var total int64
	for _, e := range a.Entries {
		if e.Broken {
			continue
		}
		if e.Size > a.lim.Unpacked-total {
			a.report(problem(UnpackedTooBig, "", "the entries unpack to more than %d bytes, which is the limit", a.lim.Unpacked))
			for _, e := range a.Entries {
				e.Broken = e.Broken || e.Name != ManifestName // judge the manifest still
			}
			return
		}
		total += e.Size
	}
}

// readAt reads exactly len(buf) bytes, or as many as there are before the end of the archive.
func (a *Archive) readAt(buf []byte, offset int64) (int, error) {
	n := int(max(0, min(int64(len(buf)), a.size-offset)))
	if n == 0 {
		return 0, nil
	}
	got, err := a.r.ReadAt(buf[:n], offset)
	if got == n {
		return n, nil
	}
	return got, fmt.Errorf("reading the archive at offset %d: %w", offset, err)
}
