package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"github.com/azphalt/submissions/azp"
)

// entry is an entry of an archive, unpacked.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
	size uint64 // as declared; as it is where 0
}

// entries returns a step that changes the entries of an archive and writes it anew, one after the other in their order.
func entries(change func([]entry) []entry) step {
	return func(archive []byte) ([]byte, error) {
		list, err := unpack(archive)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, e := range change(list) {
			if err := e.write(z); err != nil {
				return nil, err
			}
		}
		err = z.Close()
		return out.Bytes(), err
	}
}

func unpack(archive []byte) ([]entry, error) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, f := range r.File {
		data, err := fs.ReadFile(r, f.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name: f.Name, data: data})
	}
	return list, nil
}

// write writes the entry with all its sizes in the local header.
func (e entry) write(z *zip.Writer) error {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(e.data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	h := &zip.FileHeader{
		Name: e.name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(e.data),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(e.data)),
	}
	if e.mode != 0 {
		h.SetMode(e.mode)
	}
	if e.size != 0 {
		h.UncompressedSize64 = e.size
	}
	out, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = out.Write(packed.Bytes())
	return err
}

// change is a step that changes one entry.
func change(name string, how func(*entry)) step {
	return entries(func(list []entry) []entry {
		for i := range list {
			if list[i].name == name {
				how(&list[i])
			}
		}
		return list
	})
}

func edit(name string, how func([]byte) []byte) step {
	return change(name, func(e *entry) { e.data = how(e.data) })
}

func link(name string) step {
	return change(name, func(e *entry) { e.mode = fs.ModeSymlink | 0o777 })
}

func declareSize(name string, size uint64) step {
	return change(name, func(e *entry) { e.size = size })
}

func add(name, data string) step {
	return entries(func(list []entry) []entry { return append(list, entry{name: name, data: []byte(data)}) })
}

// rename renames an entry, in the manifest too.
func rename(from, to string) step {
	return entries(func(list []entry) []entry {
		for i, e := range list {
			switch e.name {
			case from:
				list[i].name = to
			case azp.ManifestName:
				list[i].data = replace(from, to)(e.data)
			}
		}
		return list
	})
}

// exchange gives an entry other data, and the manifest its digest.
func exchange(name, data string) step {
	return entries(func(list []entry) []entry {
		var before string
		for i, e := range list {
			if e.name == name {
				before = azp.DigestOf(e.data).String()
				list[i].data = []byte(data)
			}
		}
		for i, e := range list {
			if e.name == azp.ManifestName {
				list[i].data = replace(before, azp.DigestOf([]byte(data)).String())(e.data)
			}
		}
		return list
	})
}

func wrap(folder string) step {
	return entries(func(list []entry) []entry {
		for i := range list {
			list[i].name = folder + list[i].name
		}
		return list
	})
}

func toCRLF(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) }

func replace(from, to string) func([]byte) []byte {
	return func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(from), []byte(to)) }
}

func trail(what string) step {
	return func(archive []byte) ([]byte, error) { return append(archive, what...), nil }
}

// renameLocally changes the name of an entry in its local header alone. Both names have the same length.
func renameLocally(name, to string) step {
	return func(archive []byte) ([]byte, error) {
		r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			return nil, err
		}
		for _, f := range r.File {
			if f.Name != name {
				continue
			}
			data, err := f.DataOffset()
			if err != nil {
				return nil, err
			}
			copy(archive[data-int64(len(name)):], to) // there is no extra field between
		}
		return archive, nil
	}
}

// unlist takes an entry out of the central directory and leaves its data where it is.
func unlist(name string) step {
	const recordSize, endSize = 46, 22
	le := binary.LittleEndian
	return func(archive []byte) ([]byte, error) {
		end := archive[len(archive)-endSize:]
		directory := le.Uint32(end[16:])
		out := bytes.Clone(archive[:directory])
		for rest := archive[directory : len(archive)-endSize]; len(rest) > 0; {
			named := int(le.Uint16(rest[28:]))
			length := recordSize + named + int(le.Uint16(rest[30:])) + int(le.Uint16(rest[32:]))
			if string(rest[recordSize:recordSize+named]) != name {
				out = append(out, rest[:length]...)
			}
			rest = rest[length:]
		}
		records := le.Uint16(end[10:]) - 1
		end = bytes.Clone(end)
		le.PutUint16(end[8:], records)
		le.PutUint16(end[10:], records)
		le.PutUint32(end[12:], uint32(len(out))-directory)
		return append(out, end...), nil
	}
}

// gzipped packs an archive once more.
func gzipped(archive []byte) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(archive); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}

// become is a step that leaves nothing of the archive.
func become(what string) step {
	return func([]byte) ([]byte, error) { return []byte(what), nil }
}

// lfsPointer is a Git LFS pointer. Its last line, the size, is missing on purpose: servers of Git refuse a push with a
// complete pointer to an object that they do not have.
const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"

// zippedByOthers writes an archive as an ordinary ZIP tool does: streamed, with data descriptors, times and modes.
func zippedByOthers(archive []byte) ([]byte, error) {
	list, err := unpack(archive)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range list {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)}
		h.SetMode(0o644)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}
