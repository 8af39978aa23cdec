package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/azphalt/submissions/internal/config"
)

// mergeByEndpoint is strategy api: GitHub merges the verified head by its own endpoint, and what is published goes to a
// branch of the registry's own.
func (e *evaluation) mergeByEndpoint(ctx context.Context, d Decision) (Decision, error) {
	d, err := e.lastLook(ctx, d)
	if err != nil || d.Action != Merge {
		return d, err
	}
	if _, err := e.publishes(ctx); errors.Is(err, errUnsignable) {
		return d.With(unsignable(err)), nil
	} else if err != nil {
		return d, err
	}
	p := &e.state.Progress
	p.Merging, p.MergingBase = e.facts.Judged.Head, e.facts.Judged.BaseTip
	if err := e.saveDurably(ctx); err != nil {
		return d, err
	}
	e.step("merge endpoint")
	commit, err := e.gh.MergePull(ctx, e.state.Number, e.facts.Judged.Head, string(method(e.facts.Merge)))
	switch Status(err) {
	case 0:
		if err != nil {
			return d, err
		}
	case http.StatusConflict: // the head moved, or the base just did
		p.Merging = ""
		return d, errBaseMoved
	default:
		if !absent(err) && Status(err) != http.StatusUnprocessableEntity {
			return d, err
		}
		p.Merging = ""
		e.facts.Refused = message(err)
		return Decide(e.facts), nil
	}
	if err := e.publishToBranch(ctx); err != nil {
		return d, err
	}
	return d, e.merged(ctx, commit)
}

func method(m config.Merge) config.Method {
	if m.Method == "" {
		return config.MethodMerge
	}
	return m.Method
}

// publishToBranch writes what is published to the registry's branch, on top of whatever it holds by now.
func (e *evaluation) publishToBranch(ctx context.Context) error {
	for range restarts {
		tree, tip, err := branchTree(ctx, e.gh, config.RegistryBranch)
		if err != nil {
			return err
		}
		if e.shelf, err = readShelf(ctx, e.gh, tree, e.judgement.Config.Registry.Path); err != nil {
			return err
		}
		files, err := e.publishes(ctx)
		if err != nil {
			return err
		}
		entries, err := e.upload(ctx, files)
		if err != nil {
			return err
		}
		done, err := e.commitToBranch(ctx, tree.ID, tip, entries)
		if err != nil || done {
			return err
		}
	}
	return errBaseMoved
}

// commitToBranch reports false where the branch moved meanwhile.
func (e *evaluation) commitToBranch(ctx context.Context, baseTree, tip string, entries []NewEntry) (bool, error) {
	e.step("write registry branch")
	tree, err := e.gh.CreateTree(ctx, baseTree, entries)
	if err != nil {
		return false, err
	}
	k := NewCommit{Tree: tree, Message: e.commitMessage()}
	if tip != "" {
		k.Parents = []string{tip}
	}
	commit, err := e.gh.CreateCommit(ctx, k)
	if err != nil {
		return false, err
	}
	if tip == "" {
		err = e.gh.CreateBranch(ctx, config.RegistryBranch, commit)
	} else {
		err = e.gh.UpdateBranch(ctx, config.RegistryBranch, commit)
	}
	if Status(err) == http.StatusUnprocessableEntity || Status(err) == http.StatusConflict {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("writing the branch %s: %w", config.RegistryBranch, err)
	}
	return true, nil
}

// branchTree returns the tree at the tip of a branch, and the tip; an empty one and "" where there is no such branch.
func branchTree(ctx context.Context, source Reader, branch string) (*Tree, string, error) {
	tip, err := source.Branch(ctx, branch)
	if Status(err) == http.StatusNotFound {
		return &Tree{Files: map[string]Entry{}}, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	t, err := source.TreeOf(ctx, tip)
	return t, tip, err
}

// resume goes on with a merge that was begun before the program was interrupted, now that GitHub shows it as done.
func (e *evaluation) resume(ctx context.Context) error {
	p := &e.state.Progress
	switch {
	case p.MergeCommit != "":
		return nil
	case p.Merging != "" && p.Merging == e.pull.HeadSHA:
		return e.resumeEndpoint(ctx)
	default:
		return e.recall(ctx) // unless somebody else merged it
	}
}

// recall finds out whether the base was moved to the commit that was made for it, where the answer was lost.
func (e *evaluation) recall(ctx context.Context) error {
	p := &e.state.Progress
	if p.Prepared == "" || p.MergeCommit != "" {
		return nil
	}
	merged, err := e.holds(ctx, e.pull.BaseRef, p.Prepared)
	if err != nil || !merged {
		return err
	}
	p.MergeCommit = p.Prepared
	e.audit(ctx, "published", "in commit "+p.Prepared+", as found after an interruption")
	return nil
}

// maxBehind is how many commits of a base branch are looked through where a server does not compare.
const maxBehind = 100

// holds reports whether a commit that was to be the tip of a branch has become part of it.
func (e *evaluation) holds(ctx context.Context, branch, commit string) (bool, error) {
	c, err := e.gh.Compare(ctx, branch, commit, 0)
	if !absent(err) {
		return c.MergeBase.SHA == commit, err
	}
	at, err := e.gh.Branch(ctx, branch)
	for range maxBehind {
		if err != nil || at == commit {
			break
		}
		var k Commit
		if k, err = e.gh.Commit(ctx, at); err != nil || len(k.Parents) == 0 {
			break
		}
		at = k.Parents[0]
	}
	if absent(err) {
		return false, nil
	}
	return at == commit, err
}

// resumeEndpoint publishes what the endpoint merged, judged against the base that it was verified with.
func (e *evaluation) resumeEndpoint(ctx context.Context) (err error) {
	if e.judgement, err = JudgePull(ctx, e.gh, e.state.Progress.MergingBase, e.pull, e.now()); err != nil {
		return err
	}
	if err := e.gather(ctx); err != nil {
		return err
	}
	for _, c := range e.candidates {
		if c.Published != Unpublished {
			e.state.Progress.MergeCommit = e.pull.HeadSHA // the branch was written already
			return nil
		}
	}
	if err := e.publishToBranch(ctx); err != nil {
		return err
	}
	return e.merged(ctx, e.pull.HeadSHA)
}
