package action

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/azphalt/submissions/internal/gitsource"
)

// Scope is what a run looks at.
type Scope struct {
	Tree    fs.FS    // judged
	HeadSHA string   // the commit that it belongs to, for check runs; "" where there is none
	Changed []string // paths that the change touches, both sides of a rename; nil where everything is judged
	Base    fs.FS    // where the configuration comes from: never the change itself; nil where it can't be had
	Notes   []string // what else there is to know
	close   func() error
}

// Close releases the repository.
func (s *Scope) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

func (s *Scope) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

const fetchDepth = "set `fetch-depth: 0` on the step that uses actions/checkout"

// remoteChanges asks GitHub for the paths that a pull request touches.
type remoteChanges func(ctx context.Context) ([]string, error)

// FindScope finds out what to judge: from the event and the git objects of the checkout, and where those do not suffice
// from GitHub, if it may be asked.
func FindScope(ctx context.Context, workspace string, ev Event, changedOnly bool, ask remoteChanges) (*Scope, error) {
	repo, err := gitsource.Open(workspace)
	if errors.Is(err, gitsource.ErrNoRepository) {
		return noRepository(workspace)
	}
	if err != nil {
		return nil, err
	}
	s := &Scope{close: repo.Close}
	if err := s.find(ctx, repo, ev, changedOnly, ask); err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	return s, nil
}

// noRepository is the scope of a workspace without git objects.
func noRepository(workspace string) (*Scope, error) {
	entries, err := os.ReadDir(workspace)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, errors.New("the workspace is empty: put a step that uses actions/checkout before this one")
	}
	tree := os.DirFS(workspace)
	s := &Scope{Tree: tree, Base: tree}
	s.note("The workspace is no git checkout, so everything in it is judged.")
	return s, nil
}

func (s *Scope) find(ctx context.Context, repo *gitsource.Repo, ev Event, changedOnly bool, ask remoteChanges) error {
	head, merge, err := s.findHead(ctx, repo, ev)
	if err != nil {
		return err
	}
	s.Tree = head.FS()
	if s.HeadSHA == "" {
		s.HeadSHA = head.ID()
	}
	base, err := s.findBase(repo, ev, merge)
	if err != nil {
		return err
	}
	if base != nil {
		s.Base = base.FS()
	} else if !ev.changes() {
		s.Base = s.Tree
	}
	if !changedOnly || !ev.changes() {
		return nil
	}
	from, to, err := changedBetween(repo, base, head, merge, ev)
	if err != nil {
		return err
	}
	if from == nil {
		return s.askForChanges(ctx, ev, ask)
	}
	changes, err := gitsource.Changed(ctx, from, to)
	if err != nil {
		return err
	}
	s.Changed = []string{}
	for _, c := range changes {
		s.Changed = append(s.Changed, c.Path)
	}
	return nil
}

// findHead returns the commit whose tree is judged. For a pull request that is its head, whose lines are those that people
// see; where the checkout holds nothing but the commit that merges it into the base, it is that one.
func (s *Scope) findHead(ctx context.Context, repo *gitsource.Repo, ev Event) (head *gitsource.Commit, isMerge bool, err error) {
	if ev.HeadSHA != "" {
		s.HeadSHA = ev.HeadSHA
		commit, ok, err := repo.Commit(ev.HeadSHA)
		if err == nil && ok {
			ok, err = commit.Complete(ctx) // a partial clone may lack its files
		}
		if err != nil || ok {
			return commit, false, err
		}
	}
	commit, ok, err := repo.Head()
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return nil, false, errors.New("the checkout holds no commit: put a step that uses actions/checkout before this one")
	}
	if ev.HeadSHA == "" {
		return commit, false, nil
	}
	parents := commit.Parents()
	if !ev.isPullRequest() || len(parents) != 2 || parents[1] != ev.HeadSHA {
		return nil, false, fmt.Errorf("the checkout holds neither commit %s nor one that merges it: %s", ev.HeadSHA, fetchDepth)
	}
	s.note("The checkout holds the pull request merged into its base, not the pull request itself, so line numbers may differ: %s.", fetchDepth)
	return commit, true, nil
}

// findBase returns the commit before the change, nil where the checkout does not hold it.
func (s *Scope) findBase(repo *gitsource.Repo, ev Event, isMerge bool) (*gitsource.Commit, error) {
	sha := ev.BaseSHA
	if isMerge { // the base that was merged with, which may be newer than the one in the event
		head, ok, err := repo.Head()
		if err != nil || !ok {
			return nil, err
		}
		sha = head.Parents()[0]
	}
	if sha == "" {
		return nil, nil
	}
	base, _, err := repo.Commit(sha)
	return base, err
}

// changedBetween returns the two commits between which the change lies; from is nil where the checkout does not tell.
func changedBetween(repo *gitsource.Repo, base, head *gitsource.Commit, isMerge bool, ev Event) (from, to *gitsource.Commit, err error) {
	if base == nil || isMerge || !ev.isPullRequest() {
		return base, head, nil
	}
	common, ok, err := gitsource.MergeBase(base, head)
	if ok || err != nil {
		return common, head, err
	}
	// History is cut before the two meet. What is checked out may be the commit that merges them: it differs from the base
	// in just what the pull request touches.
	merge, ok, err := repo.Head()
	if err != nil || !ok || len(merge.Parents()) != 2 || merge.Parents()[1] != head.ID() {
		return nil, nil, err
	}
	from, _, err = repo.Commit(merge.Parents()[0])
	return from, merge, err
}

// askForChanges asks GitHub what the checkout can't tell.
func (s *Scope) askForChanges(ctx context.Context, ev Event, ask remoteChanges) error {
	if ev.Name == "push" && ev.BaseSHA == "" {
		s.note("The branch is new, so everything in it is judged.")
		return nil
	}
	if ask == nil || !ev.isPullRequest() {
		s.note("The checkout does not hold the base of the change, so everything is judged, not just what it touches: %s.", fetchDepth)
		return nil
	}
	changed, err := ask(ctx)
	if err != nil {
		s.note("The checkout does not hold the base of the change, and GitHub did not say what it touches (%v), so everything is judged: %s.", err, fetchDepth)
		return nil
	}
	s.Changed = changed
	if changed == nil {
		s.note("The pull request touches more files than GitHub lists, so everything is judged: %s.", fetchDepth)
	}
	return nil
}
