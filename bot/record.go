package bot

import (
	"context"

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
