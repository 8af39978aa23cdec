package azp

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Signatures and fixed sizes of ZIP records (APPNOTE.TXT 6.3.10, section 4.3).
const (
	localSignature      = "PK\x03\x04"
	descriptorSignature = "PK\x07\x08"
	centralSignature    = "PK\x01\x02"
	endSignature        = "PK\x05\x06"
	end64Signature      = "PK\x06\x06"
	locatorSignature    = "PK\x06\x07"

	localSize   = 30
	centralSize = 46
	endSize     = 22
	end64Size   = 56
	locatorSize = 20

	maxComment = 1<<16 - 1
)

var le = binary.LittleEndian

// directory is where the central directory stands, and how many records it holds.
type directory struct {
	offset, size int64
	records      uint64
}

// findDirectory reads the end records. Without a directory the archive can't be read at all.
func (a *Archive) findDirectory() (*directory, error) {
	buf := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(buf)
	tail := buf[:min(endSize+maxComment, a.size)]
	if _, err := a.readAt(tail, a.size-int64(len(tail))); err != nil {
		return nil, err
	}
	at, ok := a.chooseEnd(tail)
	if !ok {
		return nil, nil
	}
	end := a.size - int64(len(tail)) + int64(at)
	return a.readEnd(tail[at:], end)
}

// chooseEnd returns the offset in tail of the one end record whose comment reaches to the end of the archive.
func (a *Archive) chooseEnd(tail []byte) (int, bool) {
	var fitting, others []int
	for i := 0; ; i++ {
		next := bytes.Index(tail[i:], []byte(endSignature))
		if next < 0 || i+next+endSize > len(tail) {
			break
		}
		i += next
		if i+endSize+int(le.Uint16(tail[i+20:])) == len(tail) {
			fitting = append(fitting, i)
		} else {
			others = append(others, i)
		}
	}
	switch {
	case len(fitting) == 1:
		for _, i := range others {
			if i > fitting[0] {
				a.report(problem(SeveralEnds, "", "the archive's comment holds what looks like another end record: readers disagree about which one counts"))
				break
			}
		}
		return fitting[0], true
	case len(fitting) > 1:
		a.report(problem(SeveralEnds, "", "%d end records could be the archive's: readers disagree about which one counts", len(fitting)))
		return 0, false
	case len(others) > 0:
		a.explainEnd(tail, others[len(others)-1])
		return 0, false
	default:
		a.explainBytes()
		return 0, false
	}
}

// explainEnd reports an end record that does not end the archive.
func (a *Archive) explainEnd(tail []byte, at int) {
	end := at + endSize + int(le.Uint16(tail[at+20:]))
	if extra := len(tail) - end; extra > 0 {
		offset := a.size - int64(extra)
		a.report(problem(TrailingData, "", "%s after the end of the archive, from offset %d on; no digest covers them", count(int64(extra), "byte stands", "bytes stand"), offset))
		return
	}
	a.report(problem(EndRecord, "", "the archive's comment is declared %s longer than the file", count(int64(end-len(tail)), "byte", "bytes")))
}

// explainBytes reports in words what a file without an end record is.
func (a *Archive) explainBytes() {
	head := make([]byte, 512)
	n, _ := a.r.ReadAt(head, 0)
	head = head[:n]
	if isLFSPointer(head) {
		a.report(problem(GitLFSPointer, "", "the file is a Git LFS pointer, not the package itself"))
		return
	}
	a.report(problem(NotAZip, "", "the file is %s", describe(head)))
}

// describe names the kind of a file by its first bytes.
func describe(head []byte) string {
	for _, kind := range []struct{ magic, words string }{
		{localSignature, "a truncated ZIP archive: it starts with an entry, but its end record is missing"},
		{"\x1f\x8b", "gzip data (a .tar.gz?), not a ZIP archive"},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive, not a ZIP archive"},
		{"Rar!", "a RAR archive, not a ZIP archive"},
		{"\x28\xb5\x2f\xfd", "Zstandard data, not a ZIP archive"},
		{"BZh", "bzip2 data, not a ZIP archive"},
		{"\xfd7zXZ", "xz data, not a ZIP archive"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return kind.words
		}
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(head) == 0:
		return "empty"
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return "a tar archive, not a ZIP archive"
	case bytes.HasPrefix(text, []byte("{")):
		return "a JSON text, not a ZIP archive"
	case bytes.HasPrefix(text, []byte("<")):
		return "an HTML or XML page, not a ZIP archive"
	default:
		return "no ZIP archive: it has no end record"
	}
}

// readEnd reads the end record at offset end, and the zip64 records before it.
func (a *Archive) readEnd(rec []byte, end int64) (*directory, error) {
	disk, startDisk := uint64(le.Uint16(rec[4:])), uint64(le.Uint16(rec[6:]))
	here, total := uint64(le.Uint16(rec[8:])), uint64(le.Uint16(rec[10:]))
	size, offset := uint64(le.Uint32(rec[12:])), uint64(le.Uint32(rec[16:]))
	limit := end // where the directory has to end

	rec64, at64, err := a.readEnd64(end)
	if err != nil {
		return nil, err
	}
	if at64 > 0 {
		limit = at64
	}
	if rec64 != nil {
		for _, f := range []struct {
			narrow *uint64
			max    uint64
			wide   uint64
		}{
			{&disk, 0xffff, uint64(le.Uint32(rec64[16:]))}, {&startDisk, 0xffff, uint64(le.Uint32(rec64[20:]))},
			{&here, 0xffff, le.Uint64(rec64[24:])}, {&total, 0xffff, le.Uint64(rec64[32:])},
			{&size, 0xffffffff, le.Uint64(rec64[40:])}, {&offset, 0xffffffff, le.Uint64(rec64[48:])},
		} {
			if *f.narrow != f.max && *f.narrow != f.wide {
				a.report(problem(EndRecord, "", "the two end records (ZIP and zip64) contradict each other"))
				return nil, nil
			}
			*f.narrow = f.wide
		}
	}
	switch {
	case disk != 0 || startDisk != 0:
		a.report(problem(EndRecord, "", "the archive claims to be one part of several"))
	case here != total:
		a.report(problem(EndRecord, "", "the end record counts %d entries here and %d in all", here, total))
	case offset > uint64(limit) || size > uint64(limit)-offset:
		a.report(problem(NotAZip, "", "the central directory is said to end at offset %d, beyond the end record at %d", saturated(offset, size), limit))
	case int64(offset+size) != limit:
		a.report(problem(EndRecord, "", "the central directory is said to end at offset %d, but the end record starts at %d", offset+size, limit))
	default:
		return &directory{offset: int64(offset), size: int64(size), records: total}, nil
	}
	return nil, nil
}

// readEnd64 returns the zip64 end record and the offset at which the zip64 records start: nil and 0 where there are none,
// nil and the offset of the locator where that leads nowhere.
func (a *Archive) readEnd64(end int64) ([]byte, int64, error) {
	if end < locatorSize {
		return nil, 0, nil
	}
	locator := make([]byte, locatorSize)
	if _, err := a.r.ReadAt(locator, end-locatorSize); err != nil {
		return nil, 0, fmt.Errorf("reading the zip64 locator: %w", err)
	}
	if string(locator[:4]) != locatorSignature {
		return nil, 0, nil
	}
	if disk, disks := le.Uint32(locator[4:]), le.Uint32(locator[16:]); disk != 0 || disks != 1 {
		a.report(problem(EndRecord, "", "the archive claims to be one part of several"))
		return nil, end - locatorSize, nil
	}
	at := le.Uint64(locator[8:])
	if at > uint64(end) || int64(at)+end64Size+locatorSize > end {
		a.report(problem(EndRecord, "", "the zip64 locator points to no end record"))
		return nil, end - locatorSize, nil
	}
	rec := make([]byte, end64Size)
	if _, err := a.r.ReadAt(rec, int64(at)); err != nil {
		return nil, 0, fmt.Errorf("reading the zip64 end record: %w", err)
	}
	// The record's length leaves no room for an extensible data sector: nobody uses one, and it could hide anything.
	if string(rec[:4]) != end64Signature || le.Uint64(rec[4:]) != end64Size-12 || int64(at)+end64Size+locatorSize != end {
		a.report(problem(EndRecord, "", "the zip64 locator points to no end record"))
		return nil, end - locatorSize, nil
	}
	return rec, int64(at), nil
}

// saturated adds without wrapping around.
func saturated(a, b uint64) uint64 {
	if a+b < a {
		return 1<<64 - 1
	}
	return a + b
}

// count puts a number before the noun it asks for.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
