package azp

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/azphalt/submissions/internal/jsontree"
)

// SourceFolder is a folder from which a package is packed. Links in it are refused, never followed.
type SourceFolder struct {
	Files    []SourceFile // all regular files but manifest.json, in the order of a depth-first walk
	Manifest *jsontree.Doc
	Problems []Problem
	// Folders are the paths of all directories.
	Folders []string

	fsys  fs.FS
	lim   Limits
	paths map[string]bool
}

// SourceFile is a file to be packed.
type SourceFile struct {
	Path   string
	Size   int64
	Digest Digest
	CRC32  uint32
}

// ReadSource reads a source folder and digests its files. All faults are in Problems; the error is about reading alone.
func ReadSource(ctx context.Context, fsys fs.FS, lim Limits) (*SourceFolder, error) {
	s := &SourceFolder{fsys: fsys, lim: lim.orDefault(), Manifest: &jsontree.Doc{}, paths: map[string]bool{}}
	w := walker{SourceFolder: s, ctx: ctx}
	if err := w.folder("."); err != nil {
		return nil, err
	}
	s.Problems = append(s.Problems, collisions(w.names)...)
	return s, nil
}

// walker visits a folder's files.
type walker struct {
	*SourceFolder
	ctx   context.Context
	names []string
	total int64
	full  bool
}

func (s *SourceFolder) report(p Problem) { s.Problems = append(s.Problems, p) }

// folder visits a folder; its names come in byte order.
func (w *walker) folder(dir string) error {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		if w.full {
			return nil
		}
		switch {
		case e.IsDir():
			w.Folders = append(w.Folders, name)
			if err := w.folder(name); err != nil {
				return err
			}
		case !e.Type().IsRegular():
			w.report(problem(LinkInSource, name, "%s is a link or special file: links in a submission are refused, not followed", quoted(name)))
		default:
			if err := w.file(name, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// file reads and digests one file.
func (w *walker) file(name string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	if len(w.names) >= w.lim.Entries {
		w.full = true
		w.report(problem(TooManyEntries, "", "the folder has more than %d files, which is the limit", w.lim.Entries))
		return nil
	}
	if w.total += info.Size(); w.total > w.lim.Unpacked {
		w.full = true
		w.report(problem(UnpackedTooBig, "", "the files have more than %d bytes together, which is the limit", w.lim.Unpacked))
		return nil
	}
	w.names = append(w.names, name)
	if !validName(name) {
		w.report(problem(BadEncoding, name, "the name of %s is not UTF-8, the only encoding of names that packages know", quoted(name)))
		return nil
	}
	w.Problems = append(w.Problems, NameProblems(name)...)
	if name == ManifestName {
		return w.manifest(info.Size())
	}
	f := SourceFile{Path: name}
	if err := w.digest(&f); err != nil {
		return fmt.Errorf("reading %s: %w", quoted(name), err)
	}
	w.Files = append(w.Files, f)
	w.paths[name] = true
	return nil
}

// digest streams a file.
func (w *walker) digest(f *SourceFile) error {
	r, err := w.fsys.Open(f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	hash, crc, head := sha256.New(), crc32.NewIEEE(), &prefix{limit: headSize}
	text := &utf8Checker{}
	sinks := []io.Writer{hash, crc, head}
	if f.Path == LicenseName {
		sinks = append(sinks, text)
	}
	f.Size, err = io.CopyBuffer(io.MultiWriter(sinks...), &contextReader{w.ctx, r}, make([]byte, 32<<10))
	if err != nil {
		return err
	}
	f.Digest, f.CRC32 = Digest(hash.Sum(nil)), crc.Sum32()
	if isLFSPointer(head.data) {
		w.report(lfsProblem(f.Path))
	}
	if text.broken() {
		w.report(problem(LicenseNotUTF8, f.Path, "LICENSE is not UTF-8: packing would change its bytes"))
	}
	return nil
}

// manifest reads manifest.json.
func (w *walker) manifest(size int64) error {
	data, err := w.text(ManifestName, size)
	if err != nil || data == nil {
		return err
	}
	doc, problems := ParseManifest(data, w.lim)
	w.Manifest = doc
	w.Problems = append(w.Problems, problems...)
	return nil
}

// text reads a JSON text of the folder; nil where it is too long.
func (s *SourceFolder) text(name string, size int64) ([]byte, error) {
	if size > s.lim.Manifest {
		s.report(problem(ManifestTooBig, name, "%s has %d bytes; the limit is %d", name, size, s.lim.Manifest))
		return nil, nil
	}
	data, err := fs.ReadFile(s.fsys, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, nil
}

// ParseManifest reads a manifest by itself and reports what is wrong with it as a JSON text.
func ParseManifest(data []byte, lim Limits) (*jsontree.Doc, []Problem) {
	lim = lim.orDefault()
	if int64(len(data)) > lim.Manifest {
		doc, _ := jsontree.Parse(nil)
		return doc, []Problem{problem(ManifestTooBig, "", "the manifest has %d bytes; the limit is %d", len(data), lim.Manifest)}
	}
	if isLFSPointer(data) {
		doc, _ := jsontree.Parse(nil)
		return doc, []Problem{lfsProblem(ManifestName)}
	}
	doc, found := jsontree.Parse(data)
	problems := jsonProblems(ManifestName, ManifestNotJSON, found)
	for i := range problems {
		if problems[i].Code == JSONByteOrder { // of a source, no reader skips it
			problems[i].Code = ManifestNotJSON
		}
	}
	if doc.Root().Exists() && doc.Depth() > lim.Depth {
		problems = append(problems, deepProblem(doc, lim.Depth))
	}
	return doc, problems
}

// Signature reads the folder's signature.json, if it has one. No signature can be that of a package that is still to be
// packed, but what is wrong with it by itself is reported.
func (s *SourceFolder) Signature() (*jsontree.Doc, []Problem, error) {
	for _, f := range s.Files {
		if f.Path != SignatureName {
			continue
		}
		data, err := s.text(SignatureName, f.Size)
		if err != nil || data == nil {
			return nil, nil, err
		}
		doc, found := jsontree.Parse(data)
		problems := jsonProblems(SignatureName, SignatureUnreadable, found)
		manifest, err := s.PackedManifest()
		if doc.Root().Exists() && err == nil {
			_, more := readSignature(doc, manifest)
			problems = append(problems, more...)
		}
		return doc, problems, nil
	}
	return nil, nil, nil
}

// Has reports whether the folder holds a regular file of that path, manifest.json apart: whether the package's files will
// list it.
func (s *SourceFolder) Has(path string) bool { return s.paths[path] }

// Open opens a file of the folder.
func (s *SourceFolder) Open(path string) (io.ReadCloser, error) { return s.fsys.Open(path) }

// PackedManifest returns the manifest.json of the package: the folder's, as the format writes JSON, with files computed
// and put last.
func (s *SourceFolder) PackedManifest() ([]byte, error) {
	root := s.Manifest.Root()
	if !root.Is(jsontree.Object) {
		return nil, refuse("manifest.json holds no object")
	}
	var files []jsontree.Pair
	for _, f := range s.Files {
		if f.Path != LicenseName {
			files = append(files, jsontree.Pair{Name: f.Path, Value: f.Digest.String()})
		}
	}
	for _, f := range s.Files {
		if f.Path == LicenseName {
			files = append(files, jsontree.Pair{Name: f.Path, Value: f.Digest.String()})
		}
	}
	slices.SortStableFunc(files, func(a, b jsontree.Pair) int { return jsontree.CompareIndexLike(a.Name, b.Name) })
	out, ok := jsontree.Stringify(root, int(s.lim.Manifest), []string{"files"}, jsontree.Field{Name: "files", Strings: files})
	if !ok {
		return nil, refuse("the packed manifest.json would exceed the limit of %d bytes", s.lim.Manifest)
	}
	return append(out, '\n'), nil
}

// packable are, beside the tolerated ones, the problems that packing neither loses nor changes: verification reports them.
var packable = map[Code]bool{NameCollision: true, UnsafeName: true}

// Pack writes the package. A folder with faults that would be lost or changed in packing is not packed.
func (s *SourceFolder) Pack(w io.Writer) error {
	for _, p := range s.Problems {
		if !tolerated[p.Code] && !packable[p.Code] {
			return refuse("the folder can't be packed (%s: %s)", p.Code, p.Detail)
		}
	}
	if !s.Has(LicenseName) {
		return refuse("the folder can't be packed: it has no LICENSE")
	}
	manifest, err := s.PackedManifest()
	if err != nil {
		return err
	}
	entries := []packed{plain(ManifestName, manifest)}
	for _, f := range s.Files {
		entries = append(entries, packed{
			header: zip.FileHeader{Name: f.Path, CRC32: f.CRC32, UncompressedSize64: uint64(f.Size)},
			open:   func() (io.ReadCloser, error) { return s.fsys.Open(f.Path) },
		})
	}
	return writeArchive(w, entries)
}

// prefix keeps the first bytes that are written to it.
type prefix struct {
	data  []byte
	limit int
}

func (p *prefix) Write(b []byte) (int, error) {
	if room := p.limit - len(p.data); room > 0 {
		p.data = append(p.data, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

// utf8Checker finds out whether what is written to it is UTF-8.
type utf8Checker struct {
	rest []byte // an incomplete rune
	bad  bool
}

func (c *utf8Checker) Write(b []byte) (int, error) {
	data := slices.Concat(c.rest, b)
	for len(data) > 0 && !c.bad {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			if !utf8.FullRune(data) {
				break
			}
			c.bad = true
		}
		data = data[size:]
	}
	c.rest = bytes.Clone(data)
	return len(b), nil
}

func (c *utf8Checker) broken() bool { return c.bad || len(c.rest) > 0 }
