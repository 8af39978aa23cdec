package githubsim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// The states of a review.
const (
	Approved         = "APPROVED"
	ChangesRequested = "CHANGES_REQUESTED"
	Commented        = "COMMENTED"
	Dismissed        = "DISMISSED"
	Pending          = "PENDING"
)

// Review is a review of a pull request, as a test sees it.
type Review struct {
	ID        int64
	User      string
	State     string
	Body      string
	CommitID  string // that was reviewed
	Submitted time.Time
}

type review struct {
	Review
	pr     *PR
	author *account
}

// stateOf gives the state that a review event leads to.
var stateOf = map[string]string{"APPROVE": Approved, "REQUEST_CHANGES": ChangesRequested, "COMMENT": Commented, "": Pending}

// Review submits a review of a commit, the head where that is empty, in one of the states Approved, ChangesRequested and
// Commented, and returns its id.
func (p *PR) Review(login, state, commit, body string) int64 {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != Approved && state != ChangesRequested && state != Commented {
		s.fatal("a review can't be submitted as %q", state)
	}
	v := s.review(p, s.account(login), state, cmp.Or(commit, p.head.sha), body)
	return v.ID
}

// Dismiss dismisses a review.
func (p *PR) Dismiss(login string, id int64) {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := p.review(id)
	if v == nil {
		s.fatal("no review %d", id)
	}
	s.dismiss(v, s.account(login))
}

func (p *PR) review(id int64) *review {
	for _, v := range p.reviews {
		if v.ID == id {
			return v
		}
	}
	return nil
}

func (s *Sim) review(p *PR, author *account, state, commit, body string) *review {
	v := &review{Review: Review{ID: s.id(), User: author.login, State: state, Body: body, CommitID: commit}, pr: p, author: author}
	p.reviews = append(p.reviews, v)
	if state != Pending {
		s.submit(v, state)
	}
	return v
}

func (s *Sim) submit(v *review, state string) {
	v.State, v.Submitted = state, now()
	v.pr.updated = now()
	s.emitReview(v, "submitted", v.author)
	for _, c := range v.pr.reviewComments {
		if c.review == v {
			s.emitReviewComment(c, "created", v.author, nil)
		}
	}
}

func (s *Sim) dismiss(v *review, who *account) {
	v.State = Dismissed
	s.emitReview(v, "dismissed", who)
}

// dismissStale takes approvals back after a push, where the base asks for that.
func (s *Sim) dismissStale(p *PR, who *account) {
	asked := slices.ContainsFunc(p.Repo.rulesFor("refs/heads/"+p.base.ref), func(d demand) bool { return d.reviews != nil && d.reviews.DismissStale })
	for _, v := range p.reviews {
		if asked && v.State == Approved {
			s.dismiss(v, who)
		}
	}
}

// latestReviews returns of each reviewer the last review that decides something.
func (p *PR) latestReviews() []*review {
	last := map[*account]*review{}
	var order []*account
	for _, v := range p.reviews {
		if v.State == Commented || v.State == Pending {
			continue
		}
		if last[v.author] == nil {
			order = append(order, v.author)
		}
		last[v.author] = v
	}
	var list []*review
	for _, a := range order {
		list = append(list, last[a])
	}
	return list
}

// countsAsReviewer reports whether an account's reviews count: it can write, or is the bot of an App that can.
func (r *Repo) countsAsReviewer(a *account) bool {
	if a.kind != bot {
		return r.role(a).atLeast(Write)
	}
	return slices.ContainsFunc(r.sim.installations, func(i *Installation) bool {
		return i.covers(r) && r.sim.bot(i.App) == a && i.perms.holds(grant{"pull_requests", "write"})
	})
}

func (v *review) json() obj {
	r := v.pr.Repo
	self, pull := v.pr.URL()+fmt.Sprintf("#pullrequestreview-%d", v.ID), r.api("/pulls/%d", v.pr.Number)
	out := obj{
		"id": v.ID, "node_id": nodeID("PullRequestReview", v.ID), "user": v.author.json(r.sim), "body": v.Body, "state": v.State,
		"html_url": self, "pull_request_url": pull, "author_association": r.association(v.author), "commit_id": v.CommitID,
		"_links": obj{"html": obj{"href": self}, "pull_request": obj{"href": pull}},
	}
	if !v.Submitted.IsZero() {
		out["submitted_at"] = stamp(v.Submitted)
	}
	return out
}

// visible reports whether whoever asks may see a review: a pending one is its author's alone.
func (v *review) visible(r *request) bool { return v.State != Pending || v.author == r.actor.account }

func listReviews(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	var list []*review
	for _, v := range p.reviews {
		if v.visible(r) {
			list = append(list, v)
		}
	}
	return paged(r, list, func(v *review) any { return v.json() })
}

// review finds the pull request and review that the path names.
func (r *request) review() (*PR, *review, error) {
	p, err := r.pull()
	if err != nil {
		return nil, nil, err
	}
	id, err := r.number("review_id")
	if err != nil {
		return nil, nil, err
	}
	v := p.review(id)
	if v == nil || !v.visible(r) {
		return nil, nil, notFound()
	}
	return p, v, nil
}

func getReview(r *request) (reply, error) {
	_, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	return ok(v.json())
}

func createReview(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		CommitID string `json:"commit_id"`
		Body     string
		Event    string
		Comments []newReviewComment
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	state, known := stateOf[in.Event]
	if !known {
		return reply{}, unprocessable("Invalid request.\n\nFor 'properties/event', %s is not one of APPROVE, REQUEST_CHANGES, COMMENT.", in.Event)
	}
	commit, err := p.reviewedCommit(in.CommitID)
	if err != nil {
		return reply{}, err
	}
	if err := r.mayReview(p, state, in.Body, len(in.Comments)); err != nil {
		return reply{}, err
	}
	var places []place
	for _, c := range in.Comments {
		c.SubjectType = "" // reviews know comments on lines only
		at, err := p.place(c, commit)
		if err != nil {
			return reply{}, err
		}
		places = append(places, at)
	}
	v := r.sim.review(p, r.actor.account, Pending, commit, in.Body)
	for i, c := range in.Comments {
		r.sim.reviewComment(v, places[i], c.Body, 0)
	}
	if state != Pending {
		r.sim.submit(v, state)
	}
	return ok(v.json())
}

// reviewedCommit is the commit that a review is of: the head unless the client names another of the pull request's.
func (p *PR) reviewedCommit(asked string) (string, error) {
	if asked == "" || asked == p.head.sha {
		return p.head.sha, nil
	}
	rel, err := p.relation()
	if err != nil {
		return "", err
	}
	if !slices.Contains(rel.ahead, asked) {
		return "", refused("Commit is not part of the pull request")
	}
	return asked, nil
}

func (r *request) mayReview(p *PR, state, body string, comments int) error {
	switch {
	case p.author == r.actor.account && state == Approved:
		return refused("Can not approve your own pull request")
	case p.author == r.actor.account && state == ChangesRequested:
		return refused("Can not request changes on your own pull request")
	case body == "" && state == ChangesRequested, body == "" && state == Commented && comments == 0:
		return refused("You need to leave a comment indicating the requested changes.")
	case slices.ContainsFunc(p.reviews, func(v *review) bool { return v.author == r.actor.account && v.State == Pending }):
		return refused("User can only have one pending review per pull request")
	}
	if body == "" {
		return nil
	}
	return checkBody("PullRequestReview", body)
}

func submitReview(r *request) (reply, error) {
	_, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body, Event string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	state, known := stateOf[in.Event]
	if !known || state == Pending || v.State != Pending {
		return reply{}, refused("Could not submit the review")
	}
	v.Body = cmp.Or(in.Body, v.Body)
	r.sim.submit(v, state)
	return ok(v.json())
}

func updateReview(r *request) (reply, error) {
	_, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if v.author != r.actor.account {
		return reply{}, forbidden("Must be the author of the review.")
	}
	if err := checkBody("PullRequestReview", in.Body); err != nil {
		return reply{}, err
	}
	v.Body = in.Body
	r.sim.emitReview(v, "edited", r.actor.account)
	return ok(v.json())
}

func deletePendingReview(r *request) (reply, error) {
	p, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	if v.State != Pending {
		return reply{}, unprocessable("Can not delete a non-pending pull request review")
	}
	p.reviews = slices.DeleteFunc(p.reviews, func(other *review) bool { return other == v })
	p.reviewComments = slices.DeleteFunc(p.reviewComments, func(c *reviewComment) bool { return c.review == v })
	return ok(v.json())
}

func dismissReview(r *request) (reply, error) {
	_, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Message string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case in.Message == "":
		return reply{}, unprocessable("Invalid request.\n\n\"message\" wasn't supplied.")
	case v.State != Approved && v.State != ChangesRequested:
		return reply{}, &apiError{status: http.StatusUnprocessableEntity, message: "Can not dismiss a commented pull request review"}
	}
	r.sim.dismiss(v, r.actor.account)
	return ok(v.json())
}
