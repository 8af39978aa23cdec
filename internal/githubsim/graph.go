package githubsim

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"
)

// graph answers questions on the history of commits. It remembers each commit's parents and its height above the roots,
// which never change, so that a walk can stop early.
type graph struct {
	objects *objects
	mu      sync.Mutex
	nodes   map[string]node
}

type node struct {
	parents []string
	height  int // 1 more than the highest parent's
}

// node returns what is known of a commit, reading it and what it stands on where need be.
func (g *graph) node(sha string) (node, error) {
	pending := []string{sha}
	for len(pending) > 0 {
		top := pending[len(pending)-1]
		if _, known := g.nodes[top]; known {
			pending = pending[:len(pending)-1]
			continue
		}
		c, err := g.objects.commit(top)
		if err != nil {
			return node{}, err
		}
		n := node{height: 1}
		missing := false
		for _, p := range c.ParentHashes {
			parent := p.String()
			n.parents = append(n.parents, parent)
			below, known := g.nodes[parent]
			if !known {
				pending, missing = append(pending, parent), true
			}
			n.height = max(n.height, below.height+1)
		}
		if !missing {
			g.nodes[top] = n
		}
	}
	return g.nodes[sha], nil
}

// contains reports whether commit is tip or one of its ancestors.
func (g *graph) contains(tip, commit string) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	target, err := g.node(commit)
	if err != nil {
		return false, err
	}
	seen := map[string]bool{}
	for pending := []string{tip}; len(pending) > 0; {
		sha := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if sha == commit {
			return true, nil
		}
		n, err := g.node(sha)
		if err != nil {
			return false, err
		}
		if seen[sha] || n.height <= target.height {
			continue
		}
		seen[sha] = true
		pending = append(pending, n.parents...)
	}
	return false, nil
}

// relation is how two lines of history lie to each other.
type relation struct {
	mergeBase string   // the best common ancestor; empty where there is none
	ahead     []string // commits of the head that the base lacks, parents before children
	behind    int      // commits of the base that the head lacks
}

// The sides from which a walk reached a commit.
const (
	fromBase = 1 << iota
	fromHead
	fromBoth = fromBase | fromHead
)

// relate walks down from both tips, highest commits first, until only common ground is left. The first common commit it
// meets is no other's ancestor, since those are lower.
func (g *graph) relate(base, head string) (relation, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := walk{graph: g, sides: map[string]int{}}
	if err := cmp.Or(w.reach(base, fromBase), w.reach(head, fromHead)); err != nil {
		return relation{}, err
	}
	var rel relation
	for w.oneSided > 0 {
		at := heap.Pop(&w.queue).(queued)
		switch w.sides[at.sha] {
		case fromBoth:
			rel.mergeBase = cmp.Or(rel.mergeBase, at.sha)
		case fromBase:
			rel.behind++
			w.oneSided--
		case fromHead:
			rel.ahead = append(rel.ahead, at.sha)
			w.oneSided--
		}
		for _, p := range g.nodes[at.sha].parents {
			if err := w.reach(p, w.sides[at.sha]); err != nil {
				return relation{}, err
			}
		}
	}
	if rel.mergeBase == "" && len(w.queue) > 0 {
		rel.mergeBase = w.queue[0].sha
	}
	slices.Reverse(rel.ahead)
	return rel, nil
}

// history lists a commit and all its ancestors, the highest first.
func (g *graph) history(tip string) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := walk{graph: g, sides: map[string]int{}}
	if err := w.reach(tip, fromHead); err != nil {
		return nil, err
	}
	var list []string
	for len(w.queue) > 0 {
		at := heap.Pop(&w.queue).(queued)
		list = append(list, at.sha)
		for _, p := range g.nodes[at.sha].parents {
			if err := w.reach(p, fromHead); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// walk is a walk down the graph from two tips.
type walk struct {
	graph    *graph
	sides    map[string]int
	queue    queue
	oneSided int // queued commits that only one side has reached
}

// reach notes that a commit is reached from some sides and queues it when it is new. Heights make sure that a commit
// leaves the queue only after all its children that count.
func (w *walk) reach(sha string, sides int) error {
	n, err := w.graph.node(sha)
	if err != nil {
		return err
	}
	before, known := w.sides[sha]
	after := before | sides
	w.sides[sha] = after
	if !known {
		heap.Push(&w.queue, queued{sha, n.height})
	}
	wasCounted, counts := known && before != fromBoth, after != fromBoth
	switch {
	case counts && !wasCounted:
		w.oneSided++
	case wasCounted && !counts:
		w.oneSided--
	}
	return nil
}

type queued struct {
	sha    string
	height int
}

// queue is a heap of commits, the highest on top.
type queue []queued

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].height != q[j].height {
		return q[i].height > q[j].height
	}
	return q[i].sha < q[j].sha
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(v any)   { *q = append(*q, v.(queued)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
