package bot

import (
	"context"
	"errors"
	"path"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/registry"
)

// record is the signed statement about a package as it is published.
func (e *evaluation) record(ctx context.Context, c candidate, published []byte) ([]byte, error) {
	statement := registry.NewStatement(c.packageName(), azp.DigestOf(published), registry.Admission{
		ID: c.ID, Version: c.Version, Submitted: c.submitted.String(), Publisher: c.owner(e.pull),
		Repository: e.state.FullName(), PullRequest: e.state.Number, Head: e.facts.Judged.Head, Base: e.facts.Judged.BaseTip,
		Rules: e.facts.Judged.Rules, Report: e.judgement.digest(),
	})
	return registry.Seal(ctx, statement, e.Key, e.KeyID)
}

// entry is the package in the registry's index.
func (e *evaluation) entry(c candidate, published []byte) ([]byte, error) {
	return registry.Entry{
		ID: c.ID, Version: c.Version, Digest: azp.DigestOf(published).String(), Submitted: c.submitted.String(), Size: int64(len(published)),
		Path: e.packagePath(c), Blob: objectID("blob", published), PublishedAt: e.now(), PullRequest: e.state.Number, Publisher: c.owner(e.pull),
		Manifest: c.manifest,
	}.Text()
}

// profiles reads what the registry's packages are known by, and the text of that. What can't be read is begun anew: it is there
// to save reading the packages.
func (e *evaluation) profiles(ctx context.Context) (registry.Profiles, []byte, error) {
	text, err := readOwn(ctx, e.gh, e.shelf.tree, path.Join(e.shelf.folder, registry.ProfilesPath), registry.MaxProfiles)
	if err != nil && !errors.Is(err, errShelf) {
		return registry.Profiles{}, nil, err
	}
	p, damaged := registry.ParseProfiles(text)
	if damaged = errors.Join(err, damaged); damaged == nil {
		return p, text, nil
	}
	e.log.Warn("the registry's profiles are begun anew", "error", damaged)
	p, err = registry.ParseProfiles(nil)
	return p, nil, err
}
