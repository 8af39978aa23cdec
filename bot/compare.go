package bot

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's object ids
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/paging"
)

// maxCommits is how many commits of a pull request are looked at.
const maxCommits = 250

func (c *repoClient) Compare(ctx context.Context, base, head string, number int) (Comparison, error) {
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, c.Owner, c.Name, base, head, &github.ListOptions{PerPage: maxCommits})
	if absent(err) && number > 0 {
		return c.compareByPull(ctx, base, head, number)
	}
	if absent(err) && isCommitID(base) {
		return c.compareByParents(ctx, base, head, err)
	}
	if err != nil {
		return Comparison{}, fmt.Errorf("comparing with the base: %w", err)
	}
	out := Comparison{Base: commitOf(cmp.BaseCommit), MergeBase: commitOf(cmp.MergeBaseCommit)}
	for _, k := range cmp.Commits {
		out.Commits = append(out.Commits, commitOf(k))
	}
	out.Added = addedBy(cmp.Files)
	out.Complete = len(cmp.Commits) == cmp.GetTotalCommits() || cmp.TotalCommits == nil && len(cmp.Commits) < maxCommits
	return c.filled(ctx, out, base, head)
}

// addedBy returns the paths of the files that were added, none where any was changed in another way.
func addedBy(files []*github.CommitFile) []string {
	var paths []string
	for _, f := range files {
		if f.GetStatus() != "added" {
			return nil
		}
		paths = append(paths, f.GetFilename())
	}
	return paths
}

// filled asks for what a server left out of a comparison.
func (c *repoClient) filled(ctx context.Context, out Comparison, base, head string) (_ Comparison, err error) {
	if out.Base.SHA == "" {
		if out.Base.SHA = base; !isCommitID(base) {
			if out.Base.SHA, err = c.Branch(ctx, base); err != nil {
				return out, err
			}
		}
	}
	for i := range out.Commits {
		if err := c.fill(ctx, &out.Commits[i]); err != nil {
			return out, err
		}
	}
	if out.MergeBase.SHA == "" {
		from := parting(out.Commits, head)
		if len(from) != 1 {
			return out, fmt.Errorf("%w: GitHub names no commit from which both the base and the head come", errUnfit)
		}
		out.MergeBase.SHA = from[0]
	}
	if err := c.fill(ctx, &out.MergeBase); err != nil {
		return out, err
	}
	return out, c.fill(ctx, &out.Base)
}

// fill asks for a commit of which no more is known than its id.
func (c *repoClient) fill(ctx context.Context, k *Commit) (err error) {
	if k.Tree == "" {
		*k, err = c.Commit(ctx, k.SHA)
	}
	return err
}

// compareByPull compares where a server does not: the commits of a pull request are those that its base does not have, so
// the merge base is the one parent of theirs that is none of them.
func (c *repoClient) compareByPull(ctx context.Context, base, head string, number int) (out Comparison, _ error) {
	for k, err := range paging.Items(func(o *github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
		return c.api.PullRequests.ListCommits(ctx, c.Owner, c.Name, number, o)
	}) {
		if err != nil {
			return out, fmt.Errorf("reading the pull request's commits: %w", err)
		}
		out.Commits = append(out.Commits, commitOf(k))
	}
	out.Complete = len(out.Commits) < maxCommits
	return c.filled(ctx, out, base, head)
}

// compareByParents compares where a server does not, and the base is a commit that the head was made on, as in a merge queue.
func (c *repoClient) compareByParents(ctx context.Context, base, head string, cause error) (out Comparison, err error) {
	for at := head; at != base; {
		k, err := c.Commit(ctx, at)
		if err != nil {
			return out, err
		}
		if len(k.Parents) == 0 || len(out.Commits) == maxCommits {
			return out, fmt.Errorf("comparing with the base: %w", cause)
		}
		out.Commits = append(out.Commits, k)
		at = k.Parents[0]
	}
	slices.Reverse(out.Commits)
	out.Base.SHA, out.MergeBase.SHA = base, base
	return c.filled(ctx, out, base, head)
}

// parting returns the parents of commits that are none of them, among which the head has to be; the head itself where there
// are no commits.
func parting(commits []Commit, head string) []string {
	own := map[string]bool{}
	for _, k := range commits {
		own[k.SHA] = true
	}
	switch {
	case len(commits) == 0:
		return []string{head}
	case !own[head]:
		return nil
	}
	var from []string
	for _, k := range commits {
		for _, p := range k.Parents {
			if !own[p] && !slices.Contains(from, p) {
				from = append(from, p)
			}
		}
	}
	return from
}

// isCommitID reports whether a name is the id of a commit; GitHub lets no branch have such a name.
func isCommitID(name string) bool {
	id, err := hex.DecodeString(name)
	return err == nil && len(id) == sha1.Size
}

func (c *repoClient) Commit(ctx context.Context, sha string) (Commit, error) {
	if k, known := c.app.Cache.knownCommit(c.objectKey(sha)); known {
		return k, nil
	}
	k, _, err := c.api.Git.GetCommit(ctx, c.Owner, c.Name, sha)
	if err != nil {
		return Commit{}, fmt.Errorf("reading a commit: %w", err)
	}
	out := Commit{SHA: sha, Tree: k.GetTree().GetSHA(), Parents: parentsOf(k.Parents)}
	c.app.Cache.addCommit(c.objectKey(sha), out)
	return out, nil
}

func commitOf(c *github.RepositoryCommit) Commit {
	if c == nil {
		return Commit{}
	}
	return Commit{SHA: c.GetSHA(), Tree: c.GetCommit().GetTree().GetSHA(), Parents: parentsOf(c.Parents)}
}

func parentsOf(list []*github.Commit) []string {
	var ids []string
	for _, p := range list {
		ids = append(ids, p.GetSHA())
	}
	return ids
}
