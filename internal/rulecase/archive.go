package rulecase

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"testing/fstest"
)

// entry is a file of a source folder, or an entry of an archive with what is wrong with it.
type entry struct {
	name   string
	data   []byte
	target string // where a link leads; "" for a file

	gap         []byte          // bytes in front of the entry that belong to none
	both, local []func(*header) // faults of both headers, and of the local one alone
	outer       *entry          // in whose data the entry stands, from byte at on; nil for its own place
	at          int
}

// file returns the entry as a file of a tree.
func (e *entry) file() *fstest.MapFile {
	if e.target != "" {
		return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(e.target)}
	}
	return &fstest.MapFile{Mode: 0o644, Data: e.data}
}

// header holds what a ZIP archive says of an entry, in its local header and in the central directory.
type header struct {
	name                                            string
	version, flags, method, crc, packed, size, mode uint32 // mode is that of Unix
}

// fields are the numbers of a header by the names that directives know.
func (h *header) fields() map[string]*uint32 {
	return map[string]*uint32{
		"version": &h.version, "flags": &h.flags, "method": &h.method, "crc": &h.crc,
		"packed": &h.packed, "size": &h.size, "mode": &h.mode,
	}
}

// header returns what is true of the entry, with the faults. Entries are stored without compression.
func (e *entry) header(faults ...[]func(*header)) header {
	size := uint32(len(e.data))
	h := header{name: e.name, version: 20, crc: crc32.ChecksumIEEE(e.data), packed: size, size: size, mode: 0o100644}
	if strings.HasSuffix(e.name, "/") {
		h.mode = 0o040755
	}
	for _, set := range faults {
		for _, fault := range set {
			fault(&h)
		}
	}
	return h
}

// endRecord holds what the end record of an archive gets wrong.
type endRecord struct {
	records int // number of entries; 0 for the true one
	comment string
	padding int // bytes behind the last record that count as part of the central directory
}

// Signatures of ZIP records (APPNOTE.TXT 6.3.10, section 4.3), and the one timestamp of the format.
const (
	localSignature   = 0x04034b50
	centralSignature = 0x02014b50
	endSignature     = 0x06054b50

	dosDate = 20<<9 | 1<<5 | 1
)

var le = binary.LittleEndian

// written returns the archive, which directives that change entries can no longer reach.
func (b *builder) written() []byte {
	if b.bytes == nil {
		b.bytes = b.write()
	}
	return b.bytes
}

// write writes the archive.
func (b *builder) write() []byte {
	var out, directory []byte
	offsets := map[*entry]int{}
	for _, e := range b.entries {
		if e.outer != nil {
			continue
		}
		out = append(out, e.gap...)
		offsets[e] = len(out)
		out = append(e.appendLocal(out), e.data...)
	}
	for _, e := range b.entries {
		offset := offsets[e]
		if o := e.outer; o != nil {
			offset = offsets[o] + len(o.appendLocal(nil)) + e.at
		}
		directory = e.appendCentral(directory, offset)
	}
	directory = append(directory, make([]byte, b.end.padding)...)
	start := len(out)
	return b.appendEnd(append(out, directory...), len(directory), start)
}

// appendLocal appends the local header.
func (e *entry) appendLocal(out []byte) []byte {
	h := e.header(e.both, e.local)
	out = le.AppendUint32(out, localSignature)
	out = h.appendCommon(out)
	return append(out, h.name...)
}

// appendCentral appends the record of the central directory.
func (e *entry) appendCentral(out []byte, offset int) []byte {
	h := e.header(e.both)
	out = le.AppendUint32(out, centralSignature)
	out = le.AppendUint16(out, 3<<8|20) // made on Unix
	out = h.appendCommon(out)
	out = append(out, make([]byte, 6)...) // no comment, the first disk, no internal attributes
	out = le.AppendUint32(out, h.mode<<16)
	out = le.AppendUint32(out, uint32(offset))
	return append(out, h.name...)
}

// appendCommon appends the fields that both headers have, without extra fields.
func (h *header) appendCommon(out []byte) []byte {
	for _, n := range []uint32{h.version, h.flags, h.method, 0, dosDate} {
		out = le.AppendUint16(out, uint16(n))
	}
	for _, n := range []uint32{h.crc, h.packed, h.size} {
		out = le.AppendUint32(out, n)
	}
	return append(le.AppendUint16(out, uint16(len(h.name))), 0, 0)
}

func (b *builder) appendEnd(out []byte, size, offset int) []byte {
	records := len(b.entries)
	if b.end.records != 0 {
		records = b.end.records
	}
	out = append(le.AppendUint32(out, endSignature), 0, 0, 0, 0)
	out = le.AppendUint16(out, uint16(records))
	out = le.AppendUint16(out, uint16(records))
	out = le.AppendUint32(out, uint32(size))
	out = le.AppendUint32(out, uint32(offset))
	out = le.AppendUint16(out, uint16(len(b.end.comment)))
	return append(out, b.end.comment...)
}

// load takes the entries of an archive.
func (b *builder) load(archive []byte) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	b.entries, b.bytes, b.built = nil, nil, true
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		b.entries = append(b.entries, &entry{name: f.Name, data: data})
	}
	return nil
}
