package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/registry"
)

// candidate is a package that passed, with what has to be known to publish it.
type candidate struct {
	PackageFacts
	target    check.Target
	submitted azp.Digest
	keyID     string // of the signer
	size      int64
	manifest  []byte
	profile   likeness.Profile
}

// shelf is what the registry holds already, as of a tree.
type shelf struct {
	tree       *Tree
	folder     string // the registry's
	publishers registry.Publishers
}

// maxRegistryFile bounds what is read of the registry's own files.
const maxRegistryFile = 32 << 20

// readShelf reads the registry's state from a tree.
func readShelf(ctx context.Context, source Reader, t *Tree, folder string) (shelf, error) {
	s := shelf{tree: t, folder: folder}
	text, err := readOwn(ctx, source, t, path.Join(folder, registry.PublishersPath), maxRegistryFile)
	if err != nil {
		return s, err
	}
	if s.publishers, err = registry.ParsePublishers(text); err != nil {
		return s, fmt.Errorf("%w: %w", errShelf, err)
	}
	return s, nil
}

// readOwn reads one of the registry's own files, nothing where it is not there; errShelf says that it is damaged.
func readOwn(ctx context.Context, source Reader, t *Tree, name string, limit int64) ([]byte, error) {
	text, ok, err := readAll(ctx, source, t, name, limit)
	if err != nil {
		return nil, err
	}
	if _, there := t.Files[name]; there && (!ok || len(text) == 0) {
		return nil, fmt.Errorf("%w: %s is empty or too large", errShelf, name)
	}
	return text, nil
}

// errShelf says that the registry's own files are not what they should be.
var errShelf = errors.New("the registry's own files are damaged")

// safeName is what an id or version may look like where it becomes a path.
var safeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

// candidates reads what is to be known about the packages that passed.
func (j *Judgement) candidates(ctx context.Context, s shelf, author Pull) ([]candidate, error) {
	var out []candidate
	for _, t := range j.Selection.Targets {
		if t.Link || failed(j.Report, t) {
			continue
		}
		c, err := j.candidate(ctx, t)
		if err != nil {
			return nil, err
		}
		if !safeName.MatchString(c.ID) || !safeName.MatchString(c.Version) {
			return nil, fmt.Errorf("%w: the id or version of %q can't be a file's name", errUnfit, t.Path)
		}
		if err := j.place(ctx, &c, s, author); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// failed reports whether a target's package has errors, waived ones not counted.
func failed(r finding.Report, t check.Target) bool {
	for i := range r.Packages {
		if p := &r.Packages[i]; p.Path == t.Path && p.Shape == t.Shape {
			return p.Verdict() != finding.Pass
		}
	}
	return true
}

func (j *Judgement) candidate(ctx context.Context, t check.Target) (candidate, error) {
	c := candidate{target: t}
	c.Path, c.Source = t.Path, t.Shape == finding.Source
	p, closer, err := j.open(ctx, t)
	if err != nil {
		return c, err
	}
	defer closer()
	root := p.Manifest.Root()
	c.manifest, c.profile = root.Raw(), published.ProfileOf(root)
	c.ID, c.Version = root.Get("id").Str(), root.Get("version").Str()
	c.submitted, c.size, c.Signed = p.Digest, p.Size, p.Signed && p.Signature != nil
	if c.Signed {
		c.Signer, c.keyID = p.Signature.PublicKey.String(), p.Signature.KeyID
		for _, k := range p.Signature.Chain {
			c.Chain = append(c.Chain, k.PublicKey.String())
		}
	}
	return c, nil
}

// open reads a target as a package; a source folder is packed first.
func (j *Judgement) open(ctx context.Context, t check.Target) (*azp.Package, func(), error) {
	if t.Shape == finding.Source {
		folder, err := fs.Sub(j.files, t.Location)
		if err != nil {
			return nil, nil, err
		}
		source, err := azp.ReadSource(ctx, folder, azp.Limits{})
		if err != nil {
			return nil, nil, err
		}
		var packed bytes.Buffer
		if err := source.Pack(&packed); err != nil {
			return nil, nil, err
		}
		p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
		return p, func() {}, err
	}
	blob, err := j.source.Blob(ctx, j.Head.Files[t.Location])
	if err != nil {
		return nil, nil, err
	}
	p, err := azp.Read(ctx, blob, blob.Size(), azp.Limits{})
	if err != nil {
		blob.Close()
		return nil, nil, err
	}
	return p, func() { blob.Close() }, nil
}

// place finds out where a package stands in the registry: whether its version is free, and who its id belongs to.
func (j *Judgement) place(ctx context.Context, c *candidate, s shelf, author Pull) error {
	if pin, ok := s.publishers.Of(c.ID); ok {
		c.Owner = &Owner{Key: pin.PublicKey, GitHubID: pin.GitHubID, Login: pin.Login}
	} else if err := j.unrecordedOwner(ctx, c); err != nil {
		return err
	}
	c.KnownHere = s.publishers.Knows(c.owner(author), c.ID)
	name := path.Join(s.folder, registry.RecordPath(c.ID, c.Version))
	text, err := readOwn(ctx, j.source, s.tree, name, maxRegistryFile)
	if err != nil {
		return err
	}
	switch before, onBase := j.Base.Files[c.target.Location]; {
	case text != nil:
		record, err := registry.Read(text)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errShelf, name, err)
		}
		c.Published = PublishedOther
		if record.Predicate.Submitted == c.submitted.String() {
			c.Published = PublishedSame
		}
	case !c.Source && onBase && before != j.Head.Files[c.target.Location]:
		c.Published = PublishedOther // by hand, before there was a record
	}
	return nil
}

// unrecordedOwner finds out whether an id that the registry has no owner of belongs to somebody else, by what the base
// branch holds. That it holds a package of the same publisher admits nobody: it may have got there without the bot.
func (j *Judgement) unrecordedOwner(ctx context.Context, c *candidate) error {
	owner, err := j.published.Owner(ctx, c.ID)
	if err != nil {
		return err
	}
	switch registry.Relate(owner, registry.Author{PublicKey: c.Signer, Chain: c.Chain}) {
	case registry.Unsigned, registry.OtherPublisher:
		c.Owner = &Owner{Key: owner.PublicKey}
	}
	return nil
}

// owner is who stands behind a package.
func (c *candidate) owner(author Pull) registry.Owner {
	if c.Signed {
		return registry.Owner{PublicKey: c.Signer, KeyID: c.keyID}
	}
	return registry.Owner{GitHubID: author.AuthorID, Login: author.Author}
}

// packageName is the file name of a package.
func (c *candidate) packageName() string { return c.ID + "-" + c.Version + ".azp" }

// errUnsignable says that a package can't get the registry's signature, though nothing forbids it.
var errUnsignable = errors.New("the registry's key can't sign it")

// signed returns the bytes that are published: counter-signed or, for what the author did not sign, signed by the registry.
func (j *Judgement) signed(ctx context.Context, c candidate, key azp.Signer, keyID string, unsigned config.Unsigned) ([]byte, error) {
	p, closer, err := j.open(ctx, c.target)
	if err != nil {
		return nil, err
	}
	defer closer()
	if p.Digest != c.submitted {
		return nil, fmt.Errorf("%s: its digest is not the one that was verified", c.Path)
	}
	var out bytes.Buffer
	switch {
	case c.Signed:
		err = p.Countersign(&out, key, keyID)
	case unsigned == config.UnsignedSign:
		err = p.Sign(&out, key, keyID)
	default:
		err = errors.New("it is unsigned, and the registry signs nothing in the stead of its author")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %w", errUnsignable, c.Path, err)
	}
	return out.Bytes(), verifySigned(ctx, out.Bytes(), c, key)
}

// verifySigned reads back what was signed, as whoever trusts the registry's key will, before anybody gets to see it.
func verifySigned(ctx context.Context, data []byte, c candidate, key azp.Signer) error {
	p, err := azp.Read(ctx, bytes.NewReader(data), int64(len(data)), azp.Limits{})
	if err != nil {
		return err
	}
	store := azp.NewTrustStore(azp.TrustedKey{PublicKey: key.Public().String()})
	if trust := store.Judge(p); !trust.Trusted || c.Signed && p.Signature.PublicKey.String() != c.Signer {
		return fmt.Errorf("%w: %q would not be trusted: %s", errUnsignable, c.Path, trust.Reason)
	}
	return nil
}
