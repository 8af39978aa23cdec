package azp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/azphalt/submissions/internal/jsontree"
)

// Package is a package that has been read and verified: structure, digests and signature. The rules of its kind are not
// judged here.
type Package struct {
	*Archive
	Digest   Digest // of the archive
	Size     int64
	Manifest *jsontree.Doc // has no root where the manifest is missing or can't be read
	Signed   bool          // there is a signature.json, of whatever worth
	// Signature is nil where there is none or its key can't be read.
	Signature *Signature

	texts map[string]*jsontree.Doc
}

// Text returns the JSON text of that name, nil where it was not read.
func (p *Package) Text(name string) *jsontree.Doc { return p.texts[name] }

// Read reads a package of the given size. All faults are in Problems; the error is about reading alone.
func Read(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (*Package, error) {
	a, err := OpenArchive(r, size, lim)
	if err != nil {
		return nil, err
	}
	p := &Package{Archive: a, Size: size, Manifest: &jsontree.Doc{}, texts: map[string]*jsontree.Doc{}}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		p.Digest, _, err = DigestOfReader(&contextReader{ctx, io.NewSectionReader(r, 0, size)})
		return err
	})
	group.Go(func() error { return p.verify(ctx) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	p.placeEntries()
	slices.SortStableFunc(p.Problems, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(x.In, y.In), cmp.Compare(x.Start, y.Start), cmp.Compare(x.Code, y.Code), cmp.Compare(x.Entry, y.Entry))
	})
	return p, nil
}

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(buf []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(buf)
}

func (p *Package) verify(ctx context.Context) error {
	p.Signed = slices.ContainsFunc(p.Entries, func(e *Entry) bool { return e.Name == SignatureName })
	if err := p.readManifest(); err != nil || !p.Manifest.Root().Exists() {
		return err
	}
	digests, err := p.digestAll(ctx, func(e *Entry) bool { return e.Name == ManifestName })
	if err != nil {
		return err
	}
	p.compareFiles(digests)
	if p.Lookup(LicenseName) == nil && !p.Has(DuplicateName) && !p.incomplete {
		p.report(problem(LicenseMissing, "", "the package has no LICENSE").at(ManifestName, p.Manifest.Root().Get("license")))
	}
	return p.readSignature()
}

// readManifest reads manifest.json, where there is exactly one that can be read.
func (p *Package) readManifest() error {
	e := p.Lookup(ManifestName)
	if e == nil {
		if len(p.Entries) > 0 && !p.Has(DuplicateName) && !p.incomplete || len(p.Problems) == 0 {
			p.report(p.manifestMissing())
		}
		return nil
	}
	doc, err := p.readText(e, ManifestNotJSON)
	if err != nil || doc == nil {
		return err
	}
	p.Manifest = doc
	if doc.Root().Exists() && doc.Depth() > p.lim.Depth {
		p.report(deepProblem(doc, p.lim.Depth))
	}
	return nil
}

// manifestMissing says where a manifest was found instead, if anywhere.
func (p *Package) manifestMissing() Problem {
	for _, e := range p.Entries {
		if path.Base(e.Name) == ManifestName {
			found := problem(ManifestMissing, "", "the archive has no %s at its root; there is one at %s: zip the contents of the folder, not the folder", ManifestName, quoted(e.Name))
			found.Others = []string{e.Name}
			return found
		}
	}
	return problem(ManifestMissing, "", "the archive has no %s at its root", ManifestName)
}

// readText reads an entry that is a JSON text; nil where its bytes can't be had.
func (p *Package) readText(e *Entry, notJSON Code) (*jsontree.Doc, error) {
	if e.Broken {
		return nil, nil
	}
	if e.Size > p.lim.Manifest {
		p.report(problem(ManifestTooBig, e.Name, "%s has %d bytes; the limit is %d", e.Name, e.Size, p.lim.Manifest))
		return nil, nil
	}
	data, ok, err := p.ReadEntry(e)
	if !ok || err != nil {
		return nil, err
	}
	doc, problems := jsontree.Parse(data)
	p.texts[e.Name] = doc
	p.Problems = append(p.Problems, jsonProblems(e.Name, notJSON, problems)...)
	return doc, nil
}

// files returns manifest.files as a map from path to member. Of a repeated path the last counts. What is no object is
// read as the reference reads it, by index, so that its faults are all said.
func (p *Package) files() map[string]jsontree.Member {
	files := map[string]jsontree.Member{}
	list := p.Manifest.Root().Get("files")
	for m := range list.Members() {
		files[m.Name()] = m
	}
	for i, e := range list.Elements() {
		files[strconv.Itoa(i)] = jsontree.Member{Key: e, Value: e}
	}
	for i := range min(jsontree.UTF16Len(list.Str()), p.lim.Entries) {
		files[strconv.Itoa(i)] = jsontree.Member{Key: list, Value: list}
	}
	return files
}

// compareFiles compares manifest.files with the entries: each path has its payload, each payload its digest.
func (p *Package) compareFiles(digests []*digested) {
	root := p.Manifest.Root()
	list, _ := root.Member("files")
	if list.Value.Empty() {
		p.report(problem(FilesMissing, "", `the manifest has no "files": nothing says what belongs to the package`).at(ManifestName, orRoot(list.Value, root)))
		return
	}
	if !list.Value.Is(jsontree.Object) {
		p.report(problem(FilesType, "", `"files" is %s; want an object from path to digest`, list.Value.Kind()).at(ManifestName, list.Value))
	}
	byName, byFolded := map[string]int{}, map[string]string{}
	for i, e := range p.Entries {
		byName[e.Name] = i
		byFolded[fold(e.Name)] = e.Name
	}
	delete(byName, ManifestName)
	listed := p.files()
	for name, m := range listed {
		i, ok := byName[name]
		switch {
		case !ok && p.incomplete: // it may be among the entries that were not read
		case !ok:
			p.report(problem(PayloadMissing, name, "%s is listed, but not in the package%s", quoted(name), nearest(name, byFolded)).at(ManifestName, m.Key))
		case p.Entries[i].IsDir():
			p.report(problem(DirectoryEntry, name, "%s is a directory; only files have digests", quoted(name)).at(ManifestName, m.Key))
		default:
			p.compareDigest(p.Entries[i], digests[i], m)
		}
	}
	p.reportUnlisted(listed, orRoot(list.Key, root))
	for i, d := range digests {
		if d != nil && isLFSPointer(d.head) {
			p.report(lfsProblem(p.Entries[i].Name))
		}
	}
}

// nearest names the entry that a listed path may have meant. Entries are the folded names of all of them.
func nearest(name string, entries map[string]string) string {
	if near, ok := entries[fold(path.Clean(strings.ReplaceAll(name, `\`, "/")))]; ok && near != name {
		return "; there is " + quoted(near)
	}
	return ""
}

// compareDigest compares an entry's digest with the listed one.
func (p *Package) compareDigest(e *Entry, got *digested, m jsontree.Member) {
	if got == nil {
		return // the entry can't be read, which has been said
	}
	want, ok := ParseDigest(m.Value.Str())
	fits := ok && want == got.digest
	// That other bytes have another CRC-32 goes without saying.
	if got.problem != nil && (fits || got.problem.Code != ChecksumMismatch) {
		p.report(*got.problem)
		return
	}
	if fits {
		return
	}
	detail := "the digest of %s is another one: its bytes are not those that were packed"
	switch {
	case got.problem != nil:
		detail += " (nor have they the CRC-32 of the archive)"
	case ok:
		detail += p.lineEnds(e, want)
	default:
		detail = `the digest of %s has not the form "sha256-" and 64 lower-case hex digits`
	}
	mismatch := problem(DigestMismatch, e.Name, detail, quoted(e.Name)).at(ManifestName, m.Value)
	mismatch.Want = got.digest.String()
	p.report(mismatch)
}

// maxLineEnds bounds the text for which a change of line ends is looked into.
const maxLineEnds = 1 << 20

// lineEnds finds out whether a checkout's conversion of line ends is why a digest does not fit.
func (p *Package) lineEnds(e *Entry, want Digest) string {
	if e.Size > maxLineEnds {
		return ""
	}
	data, ok, err := p.ReadEntry(e)
	if !ok || err != nil {
		return "" // it has just been read: the explanation is not worth a failure
	}
	lf := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	switch {
	case DigestOf(lf) == want:
		return "; they fit once CR LF is turned into LF: line ends were converted after packing (set `* -text` in .gitattributes)"
	case DigestOf(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))) == want:
		return "; they fit once LF is turned into CR LF: line ends were converted after packing (set `* -text` in .gitattributes)"
	default:
		return ""
	}
}

// reportUnlisted reports the entries that no digest covers. What Finder leaves behind is said once.
func (p *Package) reportUnlisted(listed map[string]jsontree.Member, place jsontree.Value) {
	var finder []string
	for _, e := range p.Entries {
		if _, ok := listed[e.Name]; ok || e.Name == ManifestName || e.Name == SignatureName {
			continue
		}
		if isFinderFile(e.Name) {
			finder = append(finder, e.Name)
			continue
		}
		what := "%s is in the package, but not in files: no digest covers it"
		if e.IsDir() {
			what = "%s is a directory entry; packages have none (zip -D leaves them out)"
		}
		p.report(problem(PayloadUnlisted, e.Name, what, quoted(e.Name)).at(ManifestName, place))
	}
	if len(finder) > 0 {
		junk := problem(PayloadUnlisted, finder[0], "the package holds %s of macOS Finder, which no digest covers: pack with `azp pack`, or zip from the command line with -X",
			count(int64(len(finder)), "file", "files")).at(ManifestName, place)
		junk.Others = finder
		p.report(junk)
	}
}

func isFinderFile(name string) bool {
	base := path.Base(name)
	return base == ".DS_Store" || strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._")
}

const lfsPrefix = "version https://git-lfs.github.com/spec/v1\n"

func isLFSPointer(head []byte) bool { return bytes.HasPrefix(head, []byte(lfsPrefix)) }

func lfsProblem(name string) Problem {
	return problem(GitLFSPointer, name, "%s is a Git LFS pointer, not the file itself", quoted(name))
}

// readSignature reads and verifies signature.json.
func (p *Package) readSignature() error {
	e := p.Lookup(SignatureName)
	if e == nil {
		return nil
	}
	doc, err := p.readText(e, SignatureUnreadable)
	if err != nil || doc == nil || !doc.Root().Exists() {
		return err
	}
	sig, problems := readSignature(doc, p.Manifest.Text().Bytes())
	p.Signature = sig
	p.Problems = append(p.Problems, problems...)
	return nil
}

// placeEntries gives problems of an entry the place at which the manifest lists it.
func (p *Package) placeEntries() {
	files := p.files()
	for i, problem := range p.Problems {
		if problem.In != "" || problem.Entry == "" {
			continue
		}
		if m, ok := files[problem.Entry]; ok {
			p.Problems[i] = problem.at(ManifestName, m.Key)
		}
	}
}
