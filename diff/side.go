package diff

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
)

// Side is one version, as far as it can be compared.
type Side struct {
	path           string // under which it is shown
	manifest       *jsontree.Doc
	manifestDigest azp.Digest
	files          map[string]file // payload by path
	built          bool
	digest         string
	signer         string   // public key; "" where it is not signed
	chain          []string // public keys that vouch for it
	badSignature   bool
}

// file is a file of the payload. The size of one that only a manifest lists is not known.
type file struct {
	digest string
	size   int64 // in bytes, -1 where it is not known
}

// ErrNoManifest says that there is nothing to compare.
var ErrNoManifest = errors.New("its manifest.json is missing or can't be read: run `azp verify` for the reason")

// Open reads a side from a tree: an archive, a folder that is to be packed, or a .json manifest by itself. It is shown under
// the path as.
func Open(ctx context.Context, tree fs.FS, location, as string, lim azp.Limits) (Side, error) {
	info, err := fs.Stat(tree, location)
	switch {
	case err != nil:
		return Side{}, err
	case info.IsDir():
		folder, err := fs.Sub(tree, location)
		if err != nil {
			return Side{}, err
		}
		return Source(ctx, as, folder, lim)
	case !info.Mode().IsRegular(): // opening a pipe could wait for ever
		return Side{}, errors.New("it is neither a file nor a folder")
	}
	r, size, closer, err := azp.OpenFile(tree, location, lim)
	if err != nil {
		return Side{}, err
	}
	defer closer.Close()
	if !strings.EqualFold(path.Ext(location), ".json") {
		return Archive(ctx, as, r, size, lim)
	}
	text, err := io.ReadAll(io.NewSectionReader(r, 0, min(size, azp.DefaultLimits.Manifest+1))) // a byte more tells that it is too long
	if err != nil {
		return Side{}, err
	}
	return Manifest(as, text, lim)
}

// Archive reads a side from an archive of the given size. A package with other faults than in its manifest can be compared.
func Archive(ctx context.Context, as string, r io.ReaderAt, size int64, lim azp.Limits) (Side, error) {
	p, err := azp.Read(ctx, r, size, lim)
	if err != nil {
		return Side{}, err
	}
	s, err := newSide(as, p.Manifest)
	if err != nil {
		return s, err
	}
	s.built, s.digest = true, p.Digest.String()
	for _, e := range p.Entries {
		if e.Name != azp.ManifestName && e.Name != azp.SignatureName && !e.IsDir() {
			s.files[e.Name] = file{s.files[e.Name].digest, e.Size}
		}
	}
	if p.Signature != nil {
		s.signer = p.Signature.PublicKey.String()
		for _, k := range p.Signature.Chain {
			s.chain = append(s.chain, k.PublicKey.String())
		}
	}
	for _, problem := range p.Problems {
		s.badSignature = s.badSignature || strings.HasPrefix(string(problem.Code), "azp/signature-")
	}
	return s, nil
}

// Source reads a side from a folder that is to be packed.
func Source(ctx context.Context, as string, folder fs.FS, lim azp.Limits) (Side, error) {
	src, err := azp.ReadSource(ctx, folder, lim)
	if err != nil {
		return Side{}, err
	}
	s, err := newSide(as, src.Manifest)
	if err != nil {
		return s, err
	}
	for _, f := range src.Files {
		s.files[f.Path] = file{f.Digest.String(), f.Size}
	}
	delete(s.files, azp.SignatureName)
	return s, nil
}

// Manifest reads a side from a manifest by itself.
func Manifest(as string, text []byte, lim azp.Limits) (Side, error) {
	doc, _ := azp.ParseManifest(text, lim)
	return newSide(as, doc)
}

func newSide(as string, doc *jsontree.Doc) (Side, error) {
	s := Side{path: as, manifest: doc, files: map[string]file{}}
	if !doc.Root().Is(jsontree.Object) {
		return s, ErrNoManifest
	}
	s.manifestDigest = azp.DigestOf(doc.Text().Bytes())
	for m := range doc.Root().Get("files").Members() {
		s.files[m.Name()] = file{m.Value.Str(), -1}
	}
	return s, nil
}

func (s Side) root() jsontree.Value { return s.manifest.Root() }

// ID returns the id of the package, as the manifest has it.
func (s Side) ID() string { return s.root().Get("id").Str() }

// size returns the bytes of the payload, as far as they are known.
func (s Side) size() (n int64) {
	for _, f := range s.files {
		n += max(f.size, 0)
	}
	return n
}

func (s Side) version() Version {
	text := func(name string) string { return visible(s.root().Get(name).Str()) }
	return Version{Path: visible(s.path), ID: text("id"), Version: text("version"), Kind: text("kind"), Digest: s.digest, Signer: s.signer, Size: s.size()}
}
