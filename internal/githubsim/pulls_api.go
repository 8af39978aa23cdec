package githubsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

func pullRoutes() []*route {
	const repo, pull = "/repos/{owner}/{repo}", "/repos/{owner}/{repo}/pulls/{pull_number}"
	read, write := reads("pull_requests"), writes(Read, "pull_requests")
	return []*route{
		{method: "GET", path: repo + "/pulls/comments/{comment_id}", access: read, handle: getReviewComment},
		{method: "PATCH", path: repo + "/pulls/comments/{comment_id}", access: write, handle: updateReviewComment},
		{method: "DELETE", path: repo + "/pulls/comments/{comment_id}", access: write, handle: deleteReviewComment},
		{method: "GET", path: repo + "/pulls", access: read, handle: listPulls},
		{method: "POST", path: repo + "/pulls", access: write, handle: createPull, content: true},
		{method: "GET", path: pull, access: read, handle: getPull},
		{method: "PATCH", path: pull, access: write, handle: updatePull},
		{method: "GET", path: pull + "/files", access: read, handle: listPullFiles},
		{method: "GET", path: pull + "/commits", access: read, handle: listPullCommits},
		{method: "GET", path: pull + "/merge", access: reads("contents"), handle: checkMerged},
		{method: "PUT", path: pull + "/merge", access: writes(Write, "contents"), handle: mergePull},
		{method: "PUT", path: pull + "/update-branch", access: write, handle: updateBranch},
		{method: "GET", path: pull + "/reviews", access: read, handle: listReviews},
		{method: "POST", path: pull + "/reviews", access: write, handle: createReview, content: true},
		{method: "GET", path: pull + "/reviews/{review_id}", access: read, handle: getReview},
		{method: "PUT", path: pull + "/reviews/{review_id}", access: write, handle: updateReview},
		{method: "DELETE", path: pull + "/reviews/{review_id}", access: write, handle: deletePendingReview},
		{method: "GET", path: pull + "/reviews/{review_id}/comments", access: read, handle: listReviewCommentsOf},
		{method: "POST", path: pull + "/reviews/{review_id}/events", access: write, handle: submitReview, content: true},
		{method: "PUT", path: pull + "/reviews/{review_id}/dismissals", access: writes(Write, "pull_requests"), handle: dismissReview},
		{method: "GET", path: pull + "/comments", access: read, handle: listReviewComments},
		{method: "POST", path: pull + "/comments", access: write, handle: createReviewComment, content: true},
	}
}

// pull finds the pull request that the path names.
func (r *request) pull() (*PR, error) {
	number, err := r.number("pull_number")
	if err != nil {
		return nil, err
	}
	i := r.repo.issues[int(number)]
	if i == nil || i.pull == nil {
		return nil, notFound()
	}
	return i.pull.asOf(r.stale), nil
}

func getPull(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	m, err := p.readMergeability()
	if err != nil {
		return reply{}, err
	}
	out, err := p.json(m)
	if err != nil {
		return reply{}, err
	}
	return ok(out)
}

func listPulls(r *request) (reply, error) {
	q := r.query()
	state := cmp.Or(q.Get("state"), "open")
	var list []*PR
	for _, p := range r.repo.pulls {
		p = p.asOf(r.stale)
		switch {
		case state != "all" && p.state() != state:
		case q.Get("base") != "" && p.base.ref != q.Get("base"):
		case q.Get("head") != "" && p.head.owner.login+":"+p.head.ref != q.Get("head"):
		default:
			list = append(list, p)
		}
	}
	sortPulls(list, q.Get("sort"), q.Get("direction"))
	return paged(r, list, func(p *PR) any { return p.simpleJSON() })
}

// sortPulls orders by creation, newest first, or by the last change.
func sortPulls(list []*PR, by, direction string) {
	slices.SortStableFunc(list, func(a, b *PR) int {
		if by == "updated" {
			return cmp.Or(a.updated.Compare(b.updated), cmp.Compare(a.id, b.id))
		}
		return cmp.Compare(a.id, b.id)
	})
	if direction == "desc" || direction == "" && (by == "" || by == "created") {
		slices.Reverse(list)
	}
}

func createPull(r *request) (reply, error) {
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Title == "" {
		return reply{}, invalid("PullRequest", "title", "missing_field", "")
	}
	o := PROptions{Head: r.repo, HeadBranch: in.Head, BaseBranch: in.Base, Author: r.actor.account.login, Title: in.Title, Body: in.Body, Draft: in.Draft}
	if owner, branch, cross := strings.Cut(in.Head, ":"); cross {
		o.Head, o.HeadBranch = nil, branch
		for _, other := range r.sim.network(r.repo) {
			if strings.EqualFold(other.Owner, owner) {
				o.Head = other
			}
		}
		if o.Head == nil {
			return reply{}, invalid("PullRequest", "head", "invalid", "")
		}
	}
	p, err := r.sim.openPull(r.repo, o)
	if err != nil {
		return reply{}, err
	}
	out, err := p.json(mergeability{state: unknownState})
	if err != nil {
		return reply{}, err
	}
	return created(out)
}

func updatePull(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	if p.author != r.actor.account && !r.actor.mayWrite(r.repo, "pull_requests") {
		return reply{}, forbidden("Must have write access to %s.", r.repo.FullName())
	}
	var in struct{ Title, Body, State, Base *string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if err := r.sim.editIssue(p.Issue, in.Title, in.Body, r.actor.account); err != nil {
		return reply{}, err
	}
	if in.Base != nil && *in.Base != p.base.ref {
		if err := r.sim.retarget(p, *in.Base, r.actor.account); err != nil {
			return reply{}, err
		}
	}
	if in.State != nil {
		if err := r.setPullState(p, *in.State); err != nil {
			return reply{}, err
		}
	}
	out, err := p.json(mergeability{state: unknownState})
	if err != nil {
		return reply{}, err
	}
	return ok(out)
}

func (r *request) setPullState(p *PR, state string) error {
	switch {
	case state != "open" && state != "closed":
		return invalid("PullRequest", "state", "invalid", "")
	case state == "open" && p.merged:
		return invalid("PullRequest", "state", "custom", "state cannot be changed. The pull request cannot be reopened.")
	case state == "open" && !p.open && (p.head.repo == nil || p.head.repo.ref("refs/heads/"+p.head.ref) == ""):
		return invalid("PullRequest", "state", "custom", "state cannot be changed. The "+p.head.ref+" branch has been deleted.")
	}
	r.sim.setOpen(p.Issue, state == "open", r.actor.account)
	return nil
}

// maxPullFiles is how many files of a pull request are listed; there is no word of those left out.
const maxPullFiles = 3000

func listPullFiles(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	changes, err := p.changes()
	if err != nil {
		return reply{}, err
	}
	changes = changes[:min(len(changes), maxPullFiles)]
	return paged(r, changes, func(c fileChange) any { return r.repo.changeJSON(c, p.head.sha) })
}

// maxPullCommits is how many commits of a pull request are listed.
const maxPullCommits = 250

func listPullCommits(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	rel, err := p.relation()
	if err != nil {
		return reply{}, err
	}
	return paged(r, rel.ahead[:min(len(rel.ahead), maxPullCommits)], r.repo.commitBySHA)
}

func checkMerged(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	if !p.merged {
		return reply{}, notFound()
	}
	return reply{status: http.StatusNoContent}, nil
}
