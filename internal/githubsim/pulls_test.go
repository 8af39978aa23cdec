package githubsim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func TestAPullRequestFromAFork(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr, fork := w.contributeFromFork(githubsim.Files{"submissions/a/manifest.json": "{}\n"})
	got, _, err := w.api.PullRequests.Get(ctx, owner, name, pr.Number)
	must(t, err)
	for what, pair := range map[string][2]any{
		"head":          {got.GetHead().GetSHA(), fork.Ref("contribution")},
		"head repo":     {got.GetHead().GetRepo().GetFullName(), "contributor/registry"},
		"head is fork":  {got.GetHead().GetRepo().GetFork(), true},
		"label":         {got.GetHead().GetLabel(), "contributor:contribution"},
		"base":          {got.GetBase().GetSHA(), w.repo.Ref("main")},
		"base repo":     {got.GetBase().GetRepo().GetFullName(), "acme/registry"},
		"state":         {got.GetState(), "open"},
		"changed files": {got.GetChangedFiles(), 1},
		"commits":       {got.GetCommits(), 1},
		"association":   {got.GetAuthorAssociation(), "NONE"},
		"kept ref":      {w.repo.Ref(fmt.Sprintf("refs/pull/%d/head", pr.Number)), fork.Ref("contribution")},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
		}
	}
	w.DeleteRepo(fork)
	got, _, err = w.api.PullRequests.Get(ctx, owner, name, pr.Number)
	must(t, err)
	eq(t, "repository of a deleted fork", got.GetHead().Repo == nil, true)
	eq(t, "still open", got.GetState(), "open")
	_, _, err = w.api.Git.GetTree(ctx, owner, name, got.GetHead().GetSHA(), true)
	must(t, err)
	_, _, err = w.api.PullRequests.Merge(ctx, owner, name, pr.Number, "", nil)
	must(t, err)
}

func TestMergeabilityIsWorkedOutLater(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"README.md": "theirs\n"})
	read := func() *github.PullRequest {
		got, _, err := w.api.PullRequests.Get(ctx, owner, name, pr.Number)
		must(t, err)
		return got
	}
	first := read()
	if first.Mergeable != nil || first.GetMergeableState() != "unknown" {
		t.Errorf("first read: %v %s", first.Mergeable, first.GetMergeableState())
	}
	second := read()
	if !second.GetMergeable() || second.GetMergeableState() != "clean" {
		t.Errorf("second read: %v %s", second.Mergeable, second.GetMergeableState())
	}
	eq(t, "test merge", second.GetMergeCommitSHA(), w.repo.Ref(fmt.Sprintf("refs/pull/%d/merge", pr.Number)))

	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"README.md": "ours\n"}})
	pr.SetUnknownReads(2)
	for range 2 {
		if got := read(); got.Mergeable != nil {
			t.Errorf("known too early: %v", got.GetMergeable())
		}
	}
	dirty := read()
	if dirty.Mergeable == nil || dirty.GetMergeable() || dirty.GetMergeableState() != "dirty" {
		t.Errorf("third read: %v %s", dirty.Mergeable, dirty.GetMergeableState())
	}
	pr.SetDraft("contributor", true)
	pr.Push(githubsim.Change{Files: githubsim.Files{"README.md": "ours\n"}, Parents: []string{w.repo.Ref("main")}, Delete: []string{"submissions/.keep"}})
	read()
	eq(t, "draft", read().GetMergeableState(), "draft")
}

func TestFilesOfAPullRequest(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{
		".github/workflows/ci.yml": "on: push\njobs: {}\n# a comment so that git sees a rename\n", "submissions/old/LICENSE": "text\nmore text\n", "gone": "x\n", "bin": "\x00\x01",
	}})
	w.repo.Commit("contribution", githubsim.Change{
		Rename: map[string]string{".github/workflows/ci.yml": "submissions/new/notes.yml"},
		Delete: []string{"gone"},
		Files:  githubsim.Files{"submissions/new/manifest.json": "{}\n", "README.md": "hello\nworld\n", "bin": "\x00\x02", "submissions/nl\nz/é,%:": "x"},
	})
	pr := w.repo.OpenPR(githubsim.PROptions{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"unrelated": "x"}}) // no part of it: compared with the merge base
	files, _, err := w.api.PullRequests.ListFiles(ctx, owner, name, pr.Number, nil)
	must(t, err)
	var lines []string
	for _, f := range files {
		lines = append(lines, fmt.Sprintf("%s %q %q +%d -%d patch=%v", f.GetStatus(), f.GetFilename(), f.GetPreviousFilename(), f.GetAdditions(), f.GetDeletions(), f.Patch != nil))
	}
	eq(t, "files", strings.Join(lines, "\n"), strings.Join([]string{
		`modified "README.md" "" +1 -0 patch=true`,
		`modified "bin" "" +0 -0 patch=false`,
		`removed "gone" "" +0 -1 patch=true`,
		`added "submissions/new/manifest.json" "" +1 -0 patch=true`,
		`renamed "submissions/new/notes.yml" ".github/workflows/ci.yml" +0 -0 patch=false`,
		`added "submissions/nl\nz/é,%:" "" +1 -0 patch=true`,
	}, "\n"))
}

func TestNoMoreThanThreeThousandFilesAreListed(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	files := githubsim.Files{}
	for i := range 3050 {
		files[fmt.Sprintf("submissions/a/%04d", i)] = "same"
	}
	pr := w.contribute(files)
	got, _, err := w.api.PullRequests.Get(ctx, owner, name, pr.Number)
	must(t, err)
	eq(t, "changed files", got.GetChangedFiles(), 3050)
	listed, pages := 0, 0
	opts := &github.ListOptions{PerPage: 1000} // corrected to 100
	for {
		page, resp, err := w.api.PullRequests.ListFiles(ctx, owner, name, pr.Number, opts)
		must(t, err)
		listed, pages = listed+len(page), pages+1
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	eq(t, "listed", listed, 3000)
	eq(t, "pages", pages, 30)
}

func TestPullRequestsAreListedAndChanged(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.repo.Commit("staging", githubsim.Change{Files: githubsim.Files{"s": "s"}})
	first := w.contribute(githubsim.Files{"a": "a"})
	fork := w.Fork(w.repo, "someone")
	fork.Commit("x", githubsim.Change{Files: githubsim.Files{"b": "b"}})
	second := w.repo.OpenPR(githubsim.PROptions{Head: fork, HeadBranch: "x", Author: "someone", Draft: true, Number: 7})
	numbers := func(o *github.PullRequestListOptions) string {
		list, _, err := w.api.PullRequests.List(ctx, owner, name, o)
		must(t, err)
		var n []int
		for _, p := range list {
			n = append(n, p.GetNumber())
		}
		return fmt.Sprint(n)
	}
	eq(t, "all open, newest first", numbers(nil), "[7 1]")
	eq(t, "oldest first", numbers(&github.PullRequestListOptions{Direction: "asc"}), "[1 7]")
	eq(t, "by head", numbers(&github.PullRequestListOptions{Head: "someone:x"}), "[7]")
	eq(t, "by base", numbers(&github.PullRequestListOptions{Base: "staging"}), "[]")
	eq(t, "by update", numbers(&github.PullRequestListOptions{Sort: "updated", Direction: "desc"}), "[7 1]")

	edited, _, err := w.api.PullRequests.Edit(ctx, owner, name, first.Number, &github.PullRequest{
		Title: github.String("new title"), Body: github.String("new body"), Base: &github.PullRequestBranch{Ref: github.String("staging")},
	})
	must(t, err)
	eq(t, "edited", edited.GetTitle()+edited.GetBody()+edited.GetBase().GetRef(), "new titlenew bodystaging")
	_, _, err = w.as("stranger").PullRequests.Edit(ctx, owner, name, first.Number, &github.PullRequest{Title: github.String("x")})
	refused(t, err, 403)
	_, _, err = w.as("contributor").PullRequests.Edit(ctx, owner, name, first.Number, &github.PullRequest{State: github.String("closed")})
	must(t, err)
	eq(t, "closed", numbers(&github.PullRequestListOptions{State: "closed"}), "[1]")
	_, _, err = w.as("contributor").PullRequests.Edit(ctx, owner, name, first.Number, &github.PullRequest{State: github.String("open")})
	must(t, err)
	w.repo.MoveBranch("contribution", "", "contributor")
	eq(t, "closed as its branch went", first.State().Open, false)
	_, _, err = w.as("contributor").PullRequests.Edit(ctx, owner, name, first.Number, &github.PullRequest{State: github.String("open")})
	refused(t, err, 422)

	commits, _, err := w.api.PullRequests.ListCommits(ctx, owner, name, second.Number, nil)
	must(t, err)
	eq(t, "commits", len(commits), 1)
	ofCommit, _, err := w.api.PullRequests.ListPullRequestsWithCommit(ctx, owner, name, second.State().HeadSHA, nil)
	must(t, err)
	eq(t, "of the commit", len(ofCommit), 1)
	_, _, err = w.api.PullRequests.Get(ctx, owner, name, 99)
	refused(t, err, 404)
	issue := w.repo.OpenIssue("someone", "no pull request")
	_, _, err = w.api.PullRequests.Get(ctx, owner, name, issue.Number)
	refused(t, err, 404)
}

func TestPullRequestsAreOpenedByAPI(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	fork := w.Fork(w.repo, "contributor")
	sha := fork.Commit("x", githubsim.Change{Files: githubsim.Files{"b": "b"}})
	client := w.as("contributor")
	open := func(head, base string) (*github.PullRequest, error) {
		p, _, err := client.PullRequests.Create(ctx, owner, name, &github.NewPullRequest{Title: github.String("x"), Head: &head, Base: &base})
		return p, err
	}
	p, err := open("contributor:x", "main")
	must(t, err)
	eq(t, "head", p.GetHead().GetSHA(), sha)
	for what, c := range map[string][2]string{
		"again": {"contributor:x", "main"}, "no commits": {"contributor:main", "main"}, "no head": {"nothing", "main"},
		"no base": {"contributor:x", "nothing"}, "no owner": {"nobody:x", "main"},
	} {
		_, err := open(c[0], c[1])
		t.Log(what, refused(t, err, 422).Errors)
	}
}

func TestPushesAndRetargetingShow(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr, fork := w.contributeFromFork(githubsim.Files{"submissions/a": "1"})
	first := pr.State().HeadSHA
	second := pr.Push(githubsim.Change{Files: githubsim.Files{"submissions/a": "2"}})
	eq(t, "head", pr.State().HeadSHA, second)
	eq(t, "commits", pr.State().CommitsAhead, 2)
	forced := pr.Push(githubsim.Change{Files: githubsim.Files{"submissions/a": "3"}, Parents: []string{w.repo.Ref("main")}})
	eq(t, "after a forced push", pr.State().CommitsAhead, 1)
	eq(t, "kept ref", w.repo.Ref("refs/pull/1/head"), forced)
	eq(t, "fork's branch", fork.Ref("contribution"), forced)
	must(t, ignore(w.api.Git.GetCommit(ctx, owner, name, first))) // old commits stay readable by id

	w.repo.Commit("staging", githubsim.Change{Files: githubsim.Files{"submissions/a": "3"}, Author: "maintainer"})
	eq(t, "files against main", pr.State().ChangedFiles, 1)
	pr.Retarget("maintainer", "staging")
	state := pr.State()
	eq(t, "base", state.BaseBranch, "staging")
	eq(t, "behind", state.Behind, 1)
	w.repo.MoveBranch("staging", "", "maintainer")
	eq(t, "closed as its base went", pr.State().Open, false)
}

func ignore(_, _ any, err error) error { return err }
