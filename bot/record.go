package bot

import (
	"context"
	"errors"
	"path"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/published"
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

// withProfiles adds what the registry's packages are known by, where this merge changes it. What can't be read is begun anew: it
// is there to save reading the packages.
func (e *evaluation) withProfiles(ctx context.Context, files []file) ([]file, error) {
	name := path.Join(e.shelf.folder, registry.ProfilesPath)
	before, err := readOwn(ctx, e.gh, e.shelf.tree, name, registry.MaxProfiles)
	if err != nil && !errors.Is(err, errShelf) {
		return nil, err
	}
	profiles, damaged := registry.ParseProfiles(before)
	if damaged = errors.Join(err, damaged); damaged != nil {
		e.log.Warn("the registry's profiles are begun anew", "error", damaged)
		if profiles, err = registry.ParseProfiles(nil); err != nil {
			return nil, err
		}
	}
	for _, c := range e.candidates {
		profiles = profiles.With(c.ID, published.Kept(c.Version, c.profile))
	}
	if text := profiles.Text(); string(text) != string(before) && len(text) <= registry.MaxProfiles {
		files = append(files, file{name, text, true})
	}
	return files, nil
}
