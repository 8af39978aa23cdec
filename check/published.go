package check

import (
	"context"
	"fmt"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/registry"
)

// submitted is what of a package is compared with what the registry holds.
type submitted struct {
	content azp.Digest // of the manifest as it is packed, which lists the digests of all else
	source  bool
	author  registry.Author
	signer  place            // of the signer's key
	profile likeness.Profile // by which it is known
}

// submittedArchive describes an archive that has a manifest.
func submittedArchive(p *azp.Package) submitted {
	s := submitted{content: azp.DigestOf(p.Manifest.Text().Bytes()), profile: published.ProfileOf(p.Manifest.Root())}
	if p.Signature == nil {
		return s
	}
	s.signer = signerPlace(p)
	s.author.PublicKey = p.Signature.PublicKey.String()
	for _, k := range p.Signature.Chain {
		s.author.Chain = append(s.author.Chain, k.PublicKey.String())
	}
	return s
}

// signerPlace is the place of the signer's key.
func signerPlace(p *azp.Package) place {
	start, end := p.Text(azp.SignatureName).Root().Get("publicKey").Span()
	return place{in: azp.SignatureName, pointer: "/publicKey", start: start, end: end}
}

// judgePublished judges a package against what the registry holds already (the format, section 3): a version never
// changes, and an id stays with its publisher. The error is about reading alone.
func (m *manifest) judgePublished(ctx context.Context, s submitted) error {
	id, version := m.root.Get("id"), m.root.Get("version")
	if m.c.published == nil || !nonEmptyString(id) || !nonEmptyString(version) {
		return nil
	}
	there, err := m.c.published.Version(ctx, id.Str(), version.Str())
	if err != nil {
		return err
	}
	switch {
	case there == nil, there.Content == s.content && (s.source || there.Source || there.Signer == s.author.PublicKey):
		// new, or the same, which may have been vouched for since
	case there.Source:
		m.add("publisher/version-unchanged", at(version), fmt.Sprintf("the package differs from what the base branch holds of it, and its version is still %s: nobody could tell the two apart", quote(version.Str())),
			fix("raise the version, unless nobody has got that one yet"))
	default:
		m.add("publisher/version-published", at(version), fmt.Sprintf("version %s of %s is published already, with other bytes: versions never change, as whoever has one relies on it", quote(version.Str()), quote(id.Str())),
			fix("raise the version"))
	}
	owner, err := m.c.published.Owner(ctx, id.Str())
	if err != nil {
		return err
	}
	if s.author.PublicKey == "" {
		s.author.GitHubID = m.c.account
	}
	switch registry.Relate(owner, s.author) {
	case registry.OtherAccount:
		if m.c.account != 0 { // else nobody knows whose it is
			m.add("publisher/other-account", at(id), quote(id.Str())+" belongs to another GitHub account than the one that submits this version: a maintainer has to approve the change of publisher",
				fix("have the account that published it so far submit this version, or take an id of your own"))
		}
	case registry.Unsigned:
		m.add("publisher/unsigned", at(version), quote(id.Str())+" was signed by its publisher so far, and this version is not: nobody can tell that it comes from the same one",
			fix("sign it with the key of the earlier versions: `azp sign FILE --key KEY`"))
	case registry.OtherPublisher:
		m.add("publisher/changed", s.signer, quote(id.Str())+" was published by someone else so far, whose key does not vouch for this one: a maintainer has to approve the change of publisher",
			fix("sign with the earlier key, or have it vouch for the new one: `azp countersign FILE --key EARLIER`"))
	case registry.Newcomer:
		if err := m.judgeImitation(ctx, s.author); err != nil {
			return err
		}
	}
	return m.judgeNearCopies(ctx, s)
}
