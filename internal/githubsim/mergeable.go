package githubsim

import (
	"time"
)

// mergeability is what GitHub works out in the background whether a pull request can be merged.
type mergeability struct {
	clean bool   // no conflict
	state string // "clean", "dirty", "blocked", "behind", "unstable", "draft" or "unknown"
}

const unknownState = "unknown"

// testMerge is the merge that GitHub makes to try: refs/pull/N/merge.
type testMerge struct{ base, head, commit string }

// readMergeability answers one read: unknown as long as the background work is said to last.
func (p *PR) readMergeability() (mergeability, error) {
	if !p.open {
		return mergeability{state: unknownState}, nil
	}
	if p.unknownReads > 0 {
		p.unknownReads--
		return mergeability{state: unknownState}, nil
	}
	return p.mergeability()
}

// mergeability works it out now.
func (p *PR) mergeability() (mergeability, error) {
	if !p.open {
		return mergeability{state: unknownState}, nil
	}
	base := p.baseTip()
	tree, clean, err := p.Repo.objects.merge.merge(base, p.head.sha)
	if err != nil {
		return mergeability{}, err
	}
	if !clean {
		p.testMerge = testMerge{}
		return mergeability{state: "dirty"}, p.Repo.setRef(p.mergeRef(), "")
	}
	if err := p.tryMerge(base, tree); err != nil {
		return mergeability{}, err
	}
	state, err := p.cleanState(base)
	return mergeability{clean: true, state: state}, err
}

func (p *PR) mergeRef() string {
	head := p.headRef()
	return head[:len(head)-len("head")] + "merge"
}

// tryMerge keeps the test merge up to date.
func (p *PR) tryMerge(base, tree string) error {
	if p.testMerge.base == base && p.testMerge.head == p.head.sha {
		return nil
	}
	who := signature(p.sim().account("web-flow"), time.Now())
	commit, err := p.Repo.objects.writeCommit(commitData{
		tree: tree, parents: []string{base, p.head.sha}, message: "Merge " + p.head.sha + " into " + base, author: who, committer: who,
	})
	if err != nil {
		return err
	}
	p.testMerge = testMerge{base, p.head.sha, commit}
	return p.Repo.setRef(p.mergeRef(), commit)
}

// cleanState tells the states of a pull request without conflict apart.
func (p *PR) cleanState(base string) (string, error) {
	if p.draft {
		return "draft", nil
	}
	rules := p.Repo.rulesFor("refs/heads/" + p.base.ref)
	forward, err := p.Repo.objects.graph.contains(p.head.sha, base)
	if err != nil {
		return "", err
	}
	switch {
	case rules.strictChecks() && !forward:
		return "behind", nil
	case len(p.unmet(rules)) > 0:
		return "blocked", nil
	case p.Repo.anyCheckFailing(p.head.sha):
		return "unstable", nil
	}
	return "clean", nil
}
