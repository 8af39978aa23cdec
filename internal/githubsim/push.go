package githubsim

import (
	"strings"
)

// refUpdate is a change of one ref.
type refUpdate struct {
	name   string // in full
	sha    string // empty: the ref is removed
	actor  actor
	forced bool // the old commit is no ancestor of the new one
	staged bool // by a test: protection does not apply
	merges *PR  // the pull request whose merge button this is
}

// push changes a ref and lets all that follows from it happen: webhooks, pull requests that move on or are merged by it,
// approvals that become stale. It refuses what protection forbids.
func (s *Sim) push(r *Repo, u refUpdate) error {
	if !u.staged {
		if err := s.guard(r, u); err != nil {
			return err
		}
	}
	old := r.ref(u.name)
	if old == u.sha {
		return nil
	}
	if err := r.setRef(u.name, u.sha); err != nil {
		return unprocessable("Reference update failed")
	}
	r.previous[u.name] = old
	r.pushed = now()
	branch, isBranch := strings.CutPrefix(u.name, "refs/heads/")
	s.emitPush(r, u, old)
	if !isBranch {
		return nil
	}
	if u.sha != "" {
		s.requestSuites(r, u.sha, branch, u.actor.account)
	}
	return s.movePulls(r, branch, old, u)
}

// movePulls lets a push to a branch have its effects on the pull requests from and into it.
func (s *Sim) movePulls(r *Repo, branch, old string, u refUpdate) error {
	for _, base := range s.network(r) {
		for _, p := range base.pulls {
			if p.open && p.head.repo == r && p.head.ref == branch {
				if err := s.moveHead(p, u); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range r.pulls {
		if p.open && p.base.ref == branch {
			if err := s.moveBase(p, old, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// network returns the repositories that share objects with r, in the order of their creation.
func (s *Sim) network(r *Repo) []*Repo {
	return s.reposOf(func(other *Repo) bool { return other.objects == r.objects })
}

// moveHead follows a push to the head of an open pull request.
func (s *Sim) moveHead(p *PR, u refUpdate) error {
	p.remember()
	if u.sha == "" {
		s.closePull(p, u.actor.account)
		return nil
	}
	before := p.head.sha
	p.pusher = u.actor.account
	p.head.sha, p.base.sha = u.sha, p.Repo.ref("refs/heads/"+p.base.ref)
	p.touch()
	if err := p.Repo.setRef(p.headRef(), u.sha); err != nil {
		return err
	}
	s.emitPull(p, "synchronize", u.actor.account, obj{"before": before, "after": u.sha})
	s.dismissStale(p, u.actor.account)
	return nil
}

// moveBase follows a push to the base of an open pull request: the request is merged when its head has become part of
// the base, by its merge button or by an indirect merge.
func (s *Sim) moveBase(p *PR, old string, u refUpdate) error {
	p.remember()
	if u.sha == "" {
		s.closePull(p, u.actor.account)
		return nil
	}
	p.touch()
	merged := u.merges == p
	if !merged {
		var err error
		if merged, err = p.Repo.objects.graph.contains(u.sha, p.head.sha); err != nil {
			return err
		}
	}
	if merged {
		p.base.sha = old
		p.merged, p.mergeCommit, p.mergedBy, p.mergedAt = true, u.sha, u.actor.account, now()
		s.closePull(p, u.actor.account)
	}
	return nil
}
