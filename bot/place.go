package bot

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"strings"

	"github.com/google/go-github/v62/github"
)

// placed completes a notice whose delivery did not say by way of which installation it came, or gave no number to its
// repository, as those of some servers. Where no pull request waits for what the notice tells, GitHub is not asked. Ok is
// false where the App has nothing to do with the repository.
func (w *worker) placed(ctx context.Context, n Notice) (_ Notice, ok bool, err error) {
	if n.Kind == KindSweep || n.Repo.Installation != 0 && n.Repo.ID != 0 {
		return n, true, nil
	}
	found, ok, err := w.Store.Known(ctx, n.Repo)
	if err == nil && !ok && n.Kind != KindBase && n.Kind != KindCheck {
		found, ok, err = w.Hub.Find(ctx, n.Repo.Owner, n.Repo.Name)
	}
	n.Repo.Installation, n.Repo.ID = cmp.Or(n.Repo.Installation, found.Installation), cmp.Or(n.Repo.ID, found.ID)
	return n, ok, err
}

// Find asks for the installation on a repository, or looks through all where that is not answered.
func (a *App) Find(ctx context.Context, owner, name string) (r Repository, ok bool, err error) {
	in, _, err := a.client.Apps.FindRepositoryInstallation(ctx, owner, name)
	if absent(err) {
		return a.among(ctx, owner, name)
	}
	if err != nil {
		return r, false, err
	}
	r = Repository{Installation: in.GetID(), Owner: owner, Name: name}
	client, err := a.installation(r.Installation)
	if err != nil {
		return r, false, err
	}
	repo, _, err := client.Repositories.Get(ctx, owner, name)
	if err != nil && !absent(err) {
		return r, false, err
	}
	r.ID = cmp.Or(repo.GetID(), r.byName())
	return r, true, nil
}

// among looks for a repository among all that the App is installed on.
func (a *App) among(ctx context.Context, owner, name string) (Repository, bool, error) {
	all, err := a.Repositories(ctx)
	if err != nil && !absent(err) {
		return Repository{}, false, err
	}
	for _, r := range all {
		if strings.EqualFold(r.FullName(), owner+"/"+name) {
			return r, true, nil
		}
	}
	return Repository{}, false, nil
}

func repositoryOf(r *github.Repository, installation int64) Repository {
	out := Repository{Installation: installation, ID: r.GetID(), Owner: r.GetOwner().GetLogin(), Name: r.GetName()}
	out.ID = cmp.Or(out.ID, out.byName())
	return out
}

// byName is a number for a repository to which the server gives none. It is negative, unlike all that servers give.
func (r Repository) byName() int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(r.FullName())))
	return int64(h.Sum64()>>1) + math.MinInt64
}
