package azp

import (
	"bytes"
	"cmp"
	"slices"
)

// readLocalHeaders compares each local header with the central directory and lays the entries end to end: every byte
// before the directory must belong to exactly one entry.
func (a *Archive) readLocalHeaders(dir *directory) error {
	order := slices.Clone(a.Entries)
	slices.SortStableFunc(order, func(x, y *Entry) int { return cmp.Compare(x.header, y.header) })
	var end int64
	for i, e := range order {
		start, next := min(e.header, dir.offset), dir.offset
		if i+1 < len(order) {
			next = min(next, order[i+1].header)
		}
		switch {
		case start > end && i == 0:
			if err := a.unowned(LeadingData, end, start); err != nil {
				return err
			}
		case start > end:
			if err := a.unowned(HiddenData, end, start); err != nil {
				return err
			}
		case start < end:
			a.fault(e, Overlap, "the entry shares bytes with the one before it")
		}
		if err := a.readLocal(e, next, dir.offset); err != nil {
			return err
		}
		end = max(end, e.end)
	}
	if end < dir.offset {
		code := HiddenData
		if len(order) == 0 {
			code = LeadingData
		}
		return a.unowned(code, end, dir.offset)
	}
	return nil
}

// unowned reports bytes that belong to no entry.
func (a *Archive) unowned(code Code, from, to int64) error {
	head := make([]byte, 4)
	if _, err := a.readAt(head, from); err != nil {
		return err
	}
	what := count(to-from, "byte belongs", "bytes belong")
	switch {
	case string(head) == localSignature:
		a.report(problem(HiddenData, "", "%s to an entry that the central directory does not list, at offset %d: some readers would see it", what, from))
	case code == LeadingData:
		a.report(problem(code, "", "%s to no entry, at the start of the archive", what))
	default:
		a.report(problem(code, "", "%s to no entry, at offset %d", what, from))
	}
	return nil
}

// readLocal reads an entry's local header, up to the next entry at most, and finds where its data starts and ends.
func (a *Archive) readLocal(e *Entry, next, directory int64) error {
	e.end = min(e.header, directory)
	head := make([]byte, localSize)
	if e.header+localSize > directory {
		a.fault(e, NotAZip, "the entry's data is said to stand at offset %d, where there is none", e.header)
		return nil
	}
	if _, err := a.readAt(head, e.header); err != nil {
		return err
	}
	if string(head[:4]) != localSignature {
		a.fault(e, NotAZip, "no entry starts at offset %d, where the central directory says that one does", e.header)
		return nil
	}
	rest := make([]byte, int(le.Uint16(head[26:]))+int(le.Uint16(head[28:])))
	e.data = e.header + localSize + int64(len(rest))
	e.end = e.data
	if n, err := a.readAt(rest, e.header+localSize); err != nil {
		return err
	} else if n < len(rest) || e.data > directory || e.Packed > directory-e.data {
		e.end = min(e.data, directory)
		a.fault(e, NotAZip, "the entry's data is said to end behind the start of the central directory")
		return nil
	}
	e.end = e.data + e.Packed
	a.compareLocal(e, head, rest)
	if e.flags&flagDescriptor != 0 {
		return a.readDescriptor(e, next)
	}
	return nil
}

// compareLocal reports where the local header says something else than the central directory.
func (a *Archive) compareLocal(e *Entry, head, rest []byte) {
	name, extra := rest[:le.Uint16(head[26:])], rest[le.Uint16(head[26:]):]
	if !bytes.Equal(name, []byte(e.Name)) {
		a.fault(e, HeaderMismatch, "the entry's local header names it %s: streaming readers would see that name", quoted(string(name)))
	}
	flags := le.Uint16(head[6:])
	if (flags^e.flags)&^flagLevel != 0 {
		a.fault(e, HeaderMismatch, "the entry's flags are %#04x in its local header and %#04x in the central directory", flags, e.flags)
	}
	if method := le.Uint16(head[8:]); method != e.Method {
		a.fault(e, HeaderMismatch, "the entry's compression method is %d in its local header and %d in the central directory", method, e.Method)
	}
	wide := wideFields{size: uint64(le.Uint32(head[22:])), packed: uint64(le.Uint32(head[18:]))}
	broken := e.Broken
	e.Broken = false
	a.readExtra(e, extra, &wide)
	if e.Broken { // the extra field is at fault, and with it the sizes
		return
	}
	e.Broken = broken
	crc := le.Uint32(head[14:])
	// With a data descriptor, the real values follow the data; those that were not known yet are 0.
	streamed := e.flags&flagDescriptor != 0
	if crc != e.CRC32 && !(streamed && crc == 0) {
		a.fault(e, HeaderMismatch, "the entry's CRC-32 is %08x in its local header and %08x in the central directory", crc, e.CRC32)
	}
	agrees := func(local uint64, central int64) bool {
		return local == uint64(central) || streamed && (local == 0 || local == 0xffffffff)
	}
	if !agrees(wide.size, e.Size) || !agrees(wide.packed, e.Packed) {
		a.fault(e, HeaderMismatch, "the entry's sizes are %d and %d in its local header, %d and %d in the central directory",
			wide.packed, wide.size, e.Packed, e.Size)
	}
}

// readDescriptor checks the data descriptor, whose form (with or without a signature, 32 or 64 bits) is told by the bytes
// that are there.
func (a *Archive) readDescriptor(e *Entry, next int64) error {
	const longest = 24
	buf := make([]byte, max(0, min(longest, next-e.end)))
	if _, err := a.readAt(buf, e.end); err != nil {
		return err
	}
	// A gap of 12, 16, 20 or 24 bytes is a descriptor of that form; in a longer one, the longest form that fits is.
	for _, form := range []struct {
		length int
		signed bool
		wide   bool
	}{{24, true, true}, {20, false, true}, {16, true, false}, {12, false, false}} {
		if len(buf) < form.length {
			continue
		}
		rec := buf[:form.length]
		if form.signed {
			if string(rec[:4]) != descriptorSignature {
				continue
			}
			rec = rec[4:]
		}
		crc, packed, size := le.Uint32(rec), uint64(le.Uint32(rec[4:])), uint64(le.Uint32(rec[8:]))
		if form.wide {
			packed, size = le.Uint64(rec[4:]), le.Uint64(rec[12:])
		}
		if crc == e.CRC32 && packed == uint64(e.Packed) && size == uint64(e.Size) {
			e.end += int64(form.length)
			return nil
		}
	}
	a.fault(e, HeaderMismatch, "the entry's data descriptor is missing or contradicts the central directory")
	e.end = next
	return nil
}
