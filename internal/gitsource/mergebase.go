package gitsource

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxVisited bounds the commits that are read to find a merge base.
const maxVisited = 200_000

// MergeBase returns the best common ancestor of two commits, as git merge-base does: one that is no ancestor of another
// common ancestor; of several such, the youngest. It returns false where there is none, where history is cut so that a
// better one could lie beyond, and where it is further away than 200,000 commits.
func MergeBase(base, head *Commit) (*Commit, bool, error) {
	s := &search{repo: head.repo, visits: map[plumbing.Hash]*visit{}}
	s.mark(s.visit(base), visit{fromBase: true})
	s.mark(s.visit(head), visit{fromHead: true})
	for s.open > 0 {
		if len(s.visits) > maxVisited {
			return nil, false, nil
		}
		if err := s.step(); err != nil {
			return nil, false, fmt.Errorf("finding the merge base of commits %s and %s: %w", base.id, head.id, err)
		}
	}
	for _, v := range s.cut {
		if !v.stale && !v.isCommon() {
			return nil, false, nil
		}
	}
	best := s.best()
	return best, best != nil, nil
}

// search walks from two commits to their ancestors, the youngest first, until all that are left are ancestors of a common
// one (git's paint_down_to_common).
type search struct {
	repo   *Repo
	visits map[plumbing.Hash]*visit
	queue  visitQueue
	open   int      // visits in the queue that aren't stale
	found  []*visit // common ancestors
	cut    []*visit // commits some of whose parents are absent
}

// visit is what is known of a commit.
type visit struct {
	*Commit
	fromBase, fromHead bool // an ancestor of it, or itself
	stale              bool // an ancestor of a common ancestor
	queued, found      bool
}

func (v *visit) isCommon() bool { return v.fromBase && v.fromHead }

func (s *search) visit(c *Commit) *visit {
	v, ok := s.visits[c.id]
	if !ok {
		v = &visit{Commit: c}
		s.visits[c.id] = v
	}
	return v
}

// mark passes what is known of a commit's child on to it, and queues it where that is news.
func (s *search) mark(v *visit, from visit) {
	news := from.fromBase && !v.fromBase || from.fromHead && !v.fromHead || from.stale && !v.stale
	if !news {
		return
	}
	if v.queued && !v.stale {
		s.open--
	}
	v.fromBase = v.fromBase || from.fromBase
	v.fromHead = v.fromHead || from.fromHead
	v.stale = v.stale || from.stale
	if !v.queued {
		v.queued = true
		heap.Push(&s.queue, v)
	}
	if !v.stale {
		s.open++
	}
}

// step passes on what is known of the youngest commit in the queue to its parents.
func (s *search) step() error {
	v := heap.Pop(&s.queue).(*visit)
	v.queued = false
	if !v.stale {
		s.open--
	}
	pass := visit{fromBase: v.fromBase, fromHead: v.fromHead, stale: v.stale || v.isCommon()}
	if v.isCommon() && !v.found {
		v.found = true
		s.found = append(s.found, v)
	}
	for _, id := range v.parents {
		parent, ok := s.visits[id]
		if !ok {
			c, present, err := s.repo.commit(id)
			if err != nil {
				return err
			}
			if !present {
				s.cut = append(s.cut, v)
				continue
			}
			parent = s.visit(c)
		}
		s.mark(parent, pass)
	}
	return nil
}

// best returns the youngest common ancestor that isn't another's; nil where there is none.
func (s *search) best() *Commit {
	var best *visit
	for _, v := range s.found {
		if !v.stale && (best == nil || younger(v, best)) {
			best = v
		}
	}
	if best == nil {
		return nil
	}
	return best.Commit
}

// younger orders commits by time; where that is the same, by id.
func younger(a, b *visit) bool {
	return cmp.Or(cmp.Compare(b.when, a.when), bytes.Compare(a.id[:], b.id[:])) < 0
}

// visitQueue is a heap whose first is the youngest.
type visitQueue []*visit

func (q visitQueue) Len() int           { return len(q) }
func (q visitQueue) Less(i, j int) bool { return younger(q[i], q[j]) }
func (q visitQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *visitQueue) Push(v any)        { *q = append(*q, v.(*visit)) }

func (q *visitQueue) Pop() any {
	last := len(*q) - 1
	v := (*q)[last]
	*q = (*q)[:last]
	return v
}
