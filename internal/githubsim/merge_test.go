package githubsim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func TestMergeMethods(t *testing.T) {
	for method, want := range map[string]struct{ parents, commits int }{"merge": {2, 4}, "squash": {1, 2}, "rebase": {1, 3}} {
		t.Run(method, func(t *testing.T) {
			w := newWorld(t, githubsim.Options{})
			pr := w.contribute(githubsim.Files{"a": "1"})
			pr.Push(githubsim.Change{Files: githubsim.Files{"b": "2"}, Message: "second"})
			base := w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"c": "3"}})
			got, _, err := w.api.PullRequests.Merge(ctx, owner, name, pr.Number, "why", &github.PullRequestOptions{MergeMethod: method, SHA: pr.State().HeadSHA})
			must(t, err)
			eq(t, "merged", got.GetMerged(), true)
			eq(t, "main", w.repo.Ref("main"), got.GetSHA())
			c, _, err := w.api.Git.GetCommit(ctx, owner, name, got.GetSHA())
			must(t, err)
			eq(t, "parents", len(c.Parents), want.parents)
			count := strings.TrimSpace(git(t, w.repo, "rev-list", "--count", base+"..main"))
			eq(t, "new commits", count, map[int]string{4: "3", 3: "2", 2: "1"}[want.commits])
			eq(t, "tree", strings.TrimSpace(git(t, w.repo, "ls-tree", "-r", "--name-only", "main")), "README.md\na\nb\nc\nsubmissions/.keep")
			state := pr.State()
			if !state.Merged || state.Open || state.MergeCommit != got.GetSHA() || state.MergedBy != "azp-gate[bot]" {
				t.Errorf("state: %+v", state)
			}
			is, _, err := w.api.PullRequests.IsMerged(ctx, owner, name, pr.Number)
			must(t, err)
			eq(t, "is merged", is, true)
			_, _, err = w.api.PullRequests.Merge(ctx, owner, name, pr.Number, "", nil)
			refused(t, err, 405)
		})
	}
}

func TestAMergeIsRefused(t *testing.T) {
	for what, c := range map[string]struct {
		stage   func(w *world, pr *githubsim.PR)
		options *github.PullRequestOptions
		status  int
		says    string
	}{
		"other head": {func(*world, *githubsim.PR) {}, &github.PullRequestOptions{SHA: strings.Repeat("a", 40)}, 409, "Head branch was modified"},
		"draft":      {func(_ *world, pr *githubsim.PR) { pr.SetDraft("contributor", true) }, nil, 405, "draft"},
		"closed":     {func(_ *world, pr *githubsim.PR) { pr.Close("contributor") }, nil, 405, "not mergeable"},
		"conflict": {func(w *world, _ *githubsim.PR) {
			w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"README.md": "ours"}})
		}, nil, 405, "not mergeable"},
		"method":      {func(w *world, _ *githubsim.PR) { w.repo.AllowMerges(githubsim.MergeMethods{Squash: true}) }, nil, 405, "Merge commits are not allowed"},
		"unknown way": {func(*world, *githubsim.PR) {}, &github.PullRequestOptions{MergeMethod: "octopus"}, 422, "Validation Failed"},
		"rebase merges": {func(w *world, pr *githubsim.PR) {
			pr.Push(githubsim.Change{Parents: []string{pr.State().HeadSHA, w.repo.Commit("other", githubsim.Change{Files: githubsim.Files{"o": "o"}})}})
		}, &github.PullRequestOptions{MergeMethod: "rebase"}, 405, "can't be rebased"},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, githubsim.Options{})
			pr := w.contribute(githubsim.Files{"README.md": "theirs"})
			c.stage(w, pr)
			before := w.repo.Ref("main")
			_, _, err := w.api.PullRequests.Merge(ctx, owner, name, pr.Number, "", c.options)
			if e := refused(t, err, c.status); !strings.Contains(e.Message, c.says) {
				t.Errorf("got %q, want %q", e.Message, c.says)
			}
			eq(t, "main", w.repo.Ref("main"), before)
			w.ClearViolations()
		})
	}
}

// TestAnIndirectMerge does what the bot does: a commit of its own making joins base and head, and the base is moved
// forward to it.
func TestAnIndirectMerge(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr, _ := w.contributeFromFork(githubsim.Files{"submissions/a": "author's"})
	other := w.contribute(githubsim.Files{"b": "b"})
	base, head := w.repo.Ref("main"), pr.State().HeadSHA
	tree, _, err := w.api.Git.CreateTree(ctx, owner, name, base, []*github.TreeEntry{entry("submissions/a", "100644", "counter-signed"), entry("registry/record", "100644", "{}")})
	must(t, err)
	commit, _, err := w.api.Git.CreateCommit(ctx, owner, name, &github.Commit{
		Message: github.String("Publish"), Tree: tree, Parents: []*github.Commit{{SHA: &base}, {SHA: &head}},
	}, nil)
	must(t, err)
	eq(t, "not merged yet", pr.State().Merged, false)
	move := &github.Reference{Ref: github.String("refs/heads/main"), Object: &github.GitObject{SHA: commit.SHA}}
	_, _, err = w.api.Git.UpdateRef(ctx, owner, name, move, false)
	must(t, err)

	state := pr.State()
	if !state.Merged || state.Open || state.MergeCommit != commit.GetSHA() || state.MergedBy != "azp-gate[bot]" {
		t.Errorf("state: %+v", state)
	}
	eq(t, "another pull request", other.State().Open, true)
	got, _, err := w.api.PullRequests.Get(ctx, owner, name, pr.Number)
	must(t, err)
	if got.GetState() != "closed" || !got.GetMerged() || got.MergedAt == nil || got.GetChangedFiles() != 1 {
		t.Errorf("as the API has it: %s, merged %v, %d files", got.GetState(), got.GetMerged(), got.GetChangedFiles())
	}
	eq(t, "bytes", git(t, w.repo, "show", "main:submissions/a"), "counter-signed")

	stale, _, err := w.api.Git.CreateCommit(ctx, owner, name, &github.Commit{
		Message: github.String("Publish"), Tree: tree, Parents: []*github.Commit{{SHA: &base}, {SHA: github.String(other.State().HeadSHA)}},
	}, nil)
	must(t, err)
	move.Object.SHA = stale.SHA
	_, _, err = w.api.Git.UpdateRef(ctx, owner, name, move, false)
	eq(t, "on a base that moved", refused(t, err, 422).Message, "Update is not a fast forward")
	eq(t, "another pull request", other.State().Merged, false)
}

func TestMergingBranches(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "1"})
	base := w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"b": "1"}})
	merge := func(into, head string) (*github.RepositoryCommit, *github.Response, error) {
		return w.api.Repositories.Merge(ctx, owner, name, &github.RepositoryMergeRequest{Base: &into, Head: &head})
	}
	c, _, err := merge("contribution", "main")
	must(t, err)
	eq(t, "parents", len(c.Parents), 2)
	eq(t, "head of the pull request", pr.State().HeadSHA, c.GetSHA())
	_, resp, err := merge("contribution", base)
	must(t, err)
	eq(t, "nothing to merge", resp.StatusCode, 204)
	w.repo.Commit("conflicting", githubsim.Change{Files: githubsim.Files{"a": "2"}})
	_, _, err = merge("contribution", "conflicting")
	refused(t, err, 409)
	_, _, err = merge("nothing", "main")
	refused(t, err, 404)
	_, _, err = merge("main", "nothing")
	refused(t, err, 404)

	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"b": "2"}})
	head := pr.State().HeadSHA
	_, _, err = w.api.PullRequests.UpdateBranch(ctx, owner, name, pr.Number, &github.PullRequestBranchUpdateOptions{ExpectedHeadSHA: github.String(base)})
	refused(t, err, 422)
	_, _, err = w.api.PullRequests.UpdateBranch(ctx, owner, name, pr.Number, nil)
	if _, accepted := errors.AsType[*github.AcceptedError](err); !accepted {
		t.Fatal(err)
	}
	eq(t, "moved", pr.State().HeadSHA != head && pr.State().Behind == 0, true)
}
