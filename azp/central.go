package azp

import (
	"bytes"
	"unicode/utf8"
)

// maxDirectory bounds the central directory, and with it the memory that names take.
const maxDirectory = 16 << 20

// newestVersion is the newest version of the ZIP specification, times ten.
const newestVersion = 63

// Bits of the general purpose flag.
const (
	flagEncrypted        = 1 << 0
	flagLevel            = 1<<1 | 1<<2
	flagDescriptor       = 1 << 3
	flagStrongEncryption = 1 << 6
	flagUTF8             = 1 << 11
	flagMaskedHeader     = 1 << 13
)

// readDirectory reads the central directory into a.Entries.
func (a *Archive) readDirectory(dir *directory) error {
	if dir.records > uint64(a.lim.Entries) {
		a.report(problem(TooManyEntries, "", "the archive has %d entries; the limit is %d", dir.records, a.lim.Entries))
		return nil
	}
	if dir.size > maxDirectory {
		a.report(problem(DirectoryTooBig, "", "the central directory has %d bytes; the limit is %d", dir.size, int64(maxDirectory)))
		return nil
	}
	buf := make([]byte, dir.size)
	if _, err := a.readAt(buf, dir.offset); err != nil {
		return err
	}
	for len(buf) > 0 {
		e, n := a.readRecord(buf)
		if e == nil {
			a.incomplete = true
			code := EndRecord
			if len(a.Entries) == 0 {
				code = NotAZip
			}
			a.report(problem(code, "", "the central directory is broken at record %d", len(a.Entries)+1))
			return nil
		}
		a.Entries = append(a.Entries, e)
		buf = buf[n:]
		if len(a.Entries) > a.lim.Entries {
			a.report(problem(TooManyEntries, "", "the archive has more than %d entries, which is the limit", a.lim.Entries))
			return nil
		}
	}
	if n := uint64(len(a.Entries)); n != dir.records {
		a.report(problem(EndRecord, "", "the end record counts %d entries, the central directory holds %d: some readers would not see them all", dir.records, n))
	}
	return nil
}

// readRecord reads the first record of buf and returns its length; the entry is nil where there is no whole record.
func (a *Archive) readRecord(buf []byte) (*Entry, int) {
	if len(buf) < centralSize || string(buf[:4]) != centralSignature {
		return nil, 0
	}
	nameLen, extraLen, commentLen := int(le.Uint16(buf[28:])), int(le.Uint16(buf[30:])), int(le.Uint16(buf[32:]))
	size := centralSize + nameLen + extraLen + commentLen
	if len(buf) < size {
		return nil, 0
	}
	e := &Entry{
		Name:     string(buf[centralSize : centralSize+nameLen]),
		Method:   le.Uint16(buf[10:]),
		CRC32:    le.Uint32(buf[16:]),
		flags:    le.Uint16(buf[8:]),
		external: le.Uint32(buf[38:]),
	}
	wide := wideFields{
		size: uint64(le.Uint32(buf[24:])), packed: uint64(le.Uint32(buf[20:])),
		offset: uint64(le.Uint32(buf[42:])), disk: uint64(le.Uint16(buf[34:])),
	}
	extra := buf[centralSize+nameLen : centralSize+nameLen+extraLen]
	a.readExtra(e, extra, &wide)
	e.Size, e.Packed, e.header = bounded(wide.size), bounded(wide.packed), bounded(wide.offset)
	a.checkRecord(e, &wide, le.Uint16(buf[6:]))
	return e, size
}

// bounded returns a field of 64 bits as a number to which lengths can be added. Any archive is shorter than its bound.
func bounded(field uint64) int64 { return int64(min(field, 1<<62)) }

// checkRecord refuses what readers take differently or can't take at all.
func (a *Archive) checkRecord(e *Entry, wide *wideFields, version uint16) {
	switch {
	case wide.disk != 0:
		a.fault(e, EndRecord, "the entry is said to stand on another disk")
	case e.flags&(flagEncrypted|flagStrongEncryption|flagMaskedHeader) != 0:
		a.fault(e, Encrypted, "the entry is marked as encrypted")
	case e.flags&^(flagLevel|flagDescriptor|flagUTF8) != 0:
		a.fault(e, UnknownFeature, "the entry has flags (%#04x) that no reader of packages knows", e.flags)
	case e.Method != Stored && e.Method != Deflated:
		a.fault(e, NotAZip, "the entry is compressed with method %d%s; packages know Store and Deflate alone", e.Method, methodName(e.Method))
	case version&0xff > newestVersion:
		a.fault(e, UnknownFeature, "the entry asks for version %d.%d of the ZIP format, which does not exist", version&0xff/10, version&0xff%10)
	case e.Method == Stored && e.Size != e.Packed:
		a.fault(e, SizeMismatch, "the entry is stored, yet declared with %d bytes packed and %d unpacked", e.Packed, e.Size)
	}
	a.checkAttributes(e)
}

func methodName(method uint16) string {
	names := map[uint16]string{
		1: "Shrink", 6: "Implode", 9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd", 99: "AES encryption",
	}
	if name, ok := names[method]; ok {
		return " (" + name + ")"
	}
	return ""
}

// Unix file types and modes, in the upper half of the external attributes whatever system is said to have made the entry;
// DOS attributes in the lower.
const (
	unixType      = 0xf000
	unixRegular   = 0x8000
	unixDirectory = 0x4000
	unixLink      = 0xa000
	unixSetID     = 0x0c00
	dosVolume     = 0x08
	dosDirectory  = 0x10
)

// checkAttributes refuses everything but plain files and directories.
func (a *Archive) checkAttributes(e *Entry) {
	mode := e.external >> 16
	kind := mode & unixType
	switch {
	case kind == unixLink:
		a.report(problem(SpecialFile, e.Name, "the entry is a symbolic link; a program that unpacks it could be led out of the package"))
	case kind != 0 && kind != unixRegular && kind != unixDirectory, e.external&dosVolume != 0:
		a.report(problem(SpecialFile, e.Name, "the entry is no plain file"))
	case mode&unixSetID != 0:
		a.report(problem(SpecialFile, e.Name, "the entry has the set-user-id or set-group-id bit"))
	case !e.IsDir() && (kind == unixDirectory || e.external&dosDirectory != 0):
		a.report(problem(SpecialFile, e.Name, "the entry is marked as a directory, but its name is that of a file"))
	case e.IsDir() && kind == unixRegular:
		a.report(problem(SpecialFile, e.Name, "the entry is marked as a file, but its name is that of a directory"))
	}
}

// wideFields are the fields that a zip64 extra field can widen.
type wideFields struct{ size, packed, offset, disk uint64 }

// Identifiers of extra fields that change what an entry is.
const (
	extraZip64       = 0x0001
	extraUnicodeName = 0x7075
	extraAES         = 0x9901
)

// readExtra checks that the extra fields are well formed and takes the wide sizes from them.
func (a *Archive) readExtra(e *Entry, extra []byte, wide *wideFields) {
	seen64 := false
	for len(extra) > 0 {
		if len(extra) < 4 || len(extra)-4 < int(le.Uint16(extra[2:])) {
			a.fault(e, UnknownFeature, "the entry's extra field is cut short")
			return
		}
		id, data := le.Uint16(extra), extra[4:4+le.Uint16(extra[2:])]
		extra = extra[4+len(data):]
		switch id {
		case extraZip64:
			if seen64 || !wide.widen(data) {
				a.fault(e, UnknownFeature, "the entry's zip64 field is malformed")
				return
			}
			seen64 = true
		case extraUnicodeName:
			if len(data) < 5 || !bytes.Equal(data[5:], []byte(e.Name)) {
				a.fault(e, UnknownFeature, "the entry has a second name in its extra field: readers disagree about which one counts")
				return
			}
		case extraAES:
			a.fault(e, Encrypted, "the entry is encrypted (AES)")
			return
		}
	}
}

// widen takes the 64-bit values for the fields that hold their maximum, in the order of the specification (4.5.3). Some
// writers give all values; those must then agree.
func (w *wideFields) widen(data []byte) bool {
	take := func(field *uint64, max uint64, width int) bool {
		if *field != max {
			return true
		}
		if len(data) < width {
			return false
		}
		if width == 8 {
			*field = le.Uint64(data)
		} else {
			*field = uint64(le.Uint32(data))
		}
		data = data[width:]
		return true
	}
	narrow := *w
	if !take(&w.size, 0xffffffff, 8) || !take(&w.packed, 0xffffffff, 8) || !take(&w.offset, 0xffffffff, 8) || !take(&w.disk, 0xffff, 4) {
		return false
	}
	if len(data) == 0 {
		return true
	}
	// All values are there although the fields were wide enough: they must say the same.
	values := []uint64{narrow.size, narrow.packed, narrow.offset}
	if narrow != *w || len(data)%8 != 0 || len(data)/8 > len(values) {
		return false
	}
	for i := 0; i*8 < len(data); i++ {
		if le.Uint64(data[i*8:]) != values[i] {
			return false
		}
	}
	return true
}

// validName reports whether an entry's name is UTF-8, the only encoding of names that the format knows.
func validName(name string) bool { return utf8.ValidString(name) }
