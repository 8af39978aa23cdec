package githubsim

import (
	"fmt"
	"time"
)

// PR is a pull request.
type PR struct {
	*Issue

	pullID         int64
	head, base     end
	pusher         *account // who pushed to the head last
	draft, merged  bool
	mergeCommit    string // once merged
	mergedBy       *account
	mergedAt       time.Time
	unknownReads   int // how many more reads answer that mergeability is unknown
	testMerge      testMerge
	reviews        []*review
	reviewComments []*reviewComment
	previous       *ends // before the last push, for stale reads
}

// end is one of the two branches of a pull request.
type end struct {
	repo  *Repo // nil once deleted
	owner *account
	ref   string // branch
	sha   string // of the head: its tip. Of the base: the tip when the pull request was last opened, pushed to or retargeted.
}

type ends struct {
	head, base end
	open       bool
	merged     bool
}

// PROptions describes a pull request to be opened.
type PROptions struct {
	Head       *Repo  // the repository itself unless set to a fork
	HeadBranch string // "contribution" unless set
	BaseBranch string // the default branch unless set
	Author     string // "contributor" unless set
	Title      string // "A contribution" unless set
	Body       string
	Draft      bool
	Number     int // the next one unless set
}

// OpenPR opens a pull request.
func (r *Repo) OpenPR(o PROptions) *PR {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	setDefault(&o.Head, r)
	setDefault(&o.HeadBranch, "contribution")
	setDefault(&o.BaseBranch, r.defaultBranch)
	setDefault(&o.Author, "contributor")
	setDefault(&o.Title, "A contribution")
	p, err := r.sim.openPull(r, o)
	r.sim.must(err)
	return p
}

func (s *Sim) openPull(r *Repo, o PROptions) (*PR, error) {
	head, base := o.Head.ref("refs/heads/"+o.HeadBranch), r.ref("refs/heads/"+o.BaseBranch)
	switch {
	case head == "":
		return nil, invalid("PullRequest", "head", "invalid", "")
	case base == "":
		return nil, invalid("PullRequest", "base", "invalid", "")
	}
	rel, err := r.objects.graph.relate(base, head)
	if err != nil {
		return nil, err
	}
	if len(rel.ahead) == 0 {
		return nil, invalid("PullRequest", "head", "custom", fmt.Sprintf("No commits between %s and %s", o.BaseBranch, o.HeadBranch))
	}
	if rel.mergeBase == "" {
		return nil, invalid("PullRequest", "head", "custom", fmt.Sprintf("The %s branch has no history in common with %s", o.BaseBranch, o.HeadBranch))
	}
	for _, p := range r.pulls {
		if p.open && p.head.repo == o.Head && p.head.ref == o.HeadBranch && p.base.ref == o.BaseBranch {
			return nil, invalid("PullRequest", "head", "custom", fmt.Sprintf("A pull request already exists for %s:%s.", o.Head.Owner, o.HeadBranch))
		}
	}
	p := &PR{
		Issue: r.newIssue(o.Number, s.account(o.Author), o.Title, o.Body), draft: o.Draft, pullID: s.id(),
		head: end{o.Head, o.Head.owner, o.HeadBranch, head}, base: end{r, r.owner, o.BaseBranch, base},
	}
	p.pull, p.pusher = p, p.author
	p.touch()
	r.pulls = append(r.pulls, p)
	if err := r.setRef(p.headRef(), head); err != nil {
		return nil, err
	}
	s.emitPull(p, "opened", p.author, nil)
	return p, nil
}

// headRef is the ref in the base repository that keeps a pull request's head, whatever becomes of its branch.
func (p *PR) headRef() string { return fmt.Sprintf("refs/pull/%d/head", p.Number) }

// touch forgets what was worked out of mergeability, as a push or retargeting does.
func (p *PR) touch() {
	p.updated = now()
	p.unknownReads = max(0, p.sim().opts.MergeableReads)
}

// remember keeps the state for stale reads.
func (p *PR) remember() {
	p.previous = &ends{p.head, p.base, p.open, p.merged}
}

// baseTip is the commit that the pull request would be merged into.
func (p *PR) baseTip() string {
	if p.open {
		if tip := p.Repo.ref("refs/heads/" + p.base.ref); tip != "" {
			return tip
		}
	}
	return p.base.sha
}

// relation is how the head lies to the base.
func (p *PR) relation() (relation, error) {
	return p.Repo.objects.graph.relate(p.baseTip(), p.head.sha)
}

// changes lists the files that the pull request changes, compared with the merge base.
func (p *PR) changes() ([]fileChange, error) {
	rel, err := p.relation()
	if err != nil {
		return nil, err
	}
	return p.Repo.objects.changes(rel.mergeBase, p.head.sha)
}

// closePull closes a pull request, merged or not.
func (s *Sim) closePull(p *PR, who *account) {
	if !p.open {
		return
	}
	p.setOpen(false, who)
	s.emitPull(p, "closed", who, nil)
}

func (s *Sim) reopenPull(p *PR, who *account) {
	p.setOpen(true, who)
	if p.head.repo != nil {
		if tip := p.head.repo.ref("refs/heads/" + p.head.ref); tip != "" {
			p.head.sha = tip
		}
	}
	p.base.sha = p.baseTip()
	p.touch()
	s.emitPull(p, "reopened", who, nil)
}

// Push commits to the head branch in the name of the change's author, or of the pull request's.
func (p *PR) Push(c Change) string {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.head.repo == nil {
		s.fatal("%s comes from a deleted repository", p)
	}
	setDefault(&c.Author, p.author.login)
	return p.head.repo.stage(p.head.ref, c, s.account(c.Author))
}

// SetDraft converts the pull request to a draft or, with false, marks it ready for review.
func (p *PR) SetDraft(login string, draft bool) {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.draft == draft {
		return
	}
	p.draft = draft
	p.touch()
	s.emitPull(p, map[bool]string{true: "converted_to_draft", false: "ready_for_review"}[draft], s.account(login), nil)
}

// Retarget changes the base branch.
func (p *PR) Retarget(login, branch string) {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(s.retarget(p, branch, s.account(login)))
}

func (s *Sim) retarget(p *PR, branch string, who *account) error {
	tip := p.Repo.ref("refs/heads/" + branch)
	if tip == "" {
		return invalid("PullRequest", "base", "invalid", "")
	}
	changes := obj{"base": obj{"ref": obj{"from": p.base.ref}, "sha": obj{"from": p.base.sha}}}
	p.remember()
	p.base.ref, p.base.sha = branch, tip
	p.touch()
	s.emitPull(p, "edited", who, obj{"changes": changes})
	return nil
}

// SetUnknownReads lets that many reads from now on answer that mergeability is not known yet.
func (p *PR) SetUnknownReads(n int) {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.unknownReads = n
}
