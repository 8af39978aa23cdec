package githubsim

import (
	"fmt"
	"slices"
	"time"
)

// Issue is an issue or, as every pull request is one, the part of a pull request that issues have too.
type Issue struct {
	Repo   *Repo
	Number int

	id                       int64
	title, body              string
	author, closedBy         *account
	open                     bool
	labels                   []*label
	comments                 []*comment
	created, updated, closed time.Time
	pull                     *PR // nil of a plain issue
}

// OpenIssue opens a plain issue.
func (r *Repo) OpenIssue(login, title string) *Issue {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	return r.newIssue(0, r.sim.account(login), title, "")
}

// newIssue takes the number asked for, or with 0 the next one.
func (r *Repo) newIssue(number int, author *account, title, body string) *Issue {
	if number == 0 {
		number = r.lastNumber + 1
	}
	if r.issues[number] != nil {
		r.sim.fatal("there is an issue %d already", number)
	}
	r.lastNumber = max(r.lastNumber, number)
	i := &Issue{Repo: r, Number: number, id: r.sim.id(), title: title, body: body, author: author, open: true, created: now(), updated: now()}
	r.issues[number] = i
	return i
}

func (i *Issue) sim() *Sim { return i.Repo.sim }

// URL is the page of the issue or pull request.
func (i *Issue) URL() string {
	if i.pull != nil {
		return i.Repo.html("/pull/%d", i.Number)
	}
	return i.Repo.html("/issues/%d", i.Number)
}

// Close closes the issue or pull request, without merging it.
func (i *Issue) Close(login string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setOpen(i, false, s.account(login))
}

// Reopen opens it again.
func (i *Issue) Reopen(login string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setOpen(i, true, s.account(login))
}

func (s *Sim) setOpen(i *Issue, open bool, who *account) {
	if i.open == open {
		return
	}
	switch {
	case i.pull != nil && open:
		s.reopenPull(i.pull, who)
	case i.pull != nil:
		s.closePull(i.pull, who)
	default:
		i.setOpen(open, who)
		s.emitIssue(i, map[bool]string{true: "reopened", false: "closed"}[open], who, nil)
	}
}

func (i *Issue) setOpen(open bool, who *account) {
	i.open, i.updated = open, now()
	i.closed, i.closedBy = time.Time{}, nil
	if !open {
		i.closed, i.closedBy = now(), who
	}
}

func (i *Issue) state() string {
	if i.open {
		return "open"
	}
	return "closed"
}

func (i *Issue) json() obj {
	r := i.Repo
	self := r.api("/issues/%d", i.Number)
	out := obj{
		"id": i.id, "node_id": nodeID("Issue", i.id), "number": i.Number, "title": i.title, "body": orNull(i.body), "state": i.state(),
		"state_reason": nil, "locked": false, "active_lock_reason": nil, "user": i.author.json(r.sim), "labels": i.labelsJSON(),
		"assignee": nil, "assignees": []any{}, "milestone": nil, "comments": len(i.comments), "author_association": r.association(i.author),
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stamp(i.closed), "closed_by": i.closedBy.json(r.sim),
		"url": self, "repository_url": r.api(""), "labels_url": self + "/labels{/name}", "comments_url": self + "/comments",
		"events_url": self + "/events", "timeline_url": self + "/timeline", "html_url": i.URL(), "performed_via_github_app": nil,
		"reactions": reactions(self),
	}
	if p := i.pull; p != nil {
		out["draft"] = p.draft
		out["pull_request"] = obj{
			"url": r.api("/pulls/%d", i.Number), "html_url": i.URL(), "diff_url": i.URL() + ".diff", "patch_url": i.URL() + ".patch",
			"merged_at": stamp(p.mergedAt),
		}
	}
	return out
}

// reactions is the tally of emoji below a text. There are never any.
func reactions(of string) obj {
	return obj{"url": of + "/reactions", "total_count": 0, "+1": 0, "-1": 0, "laugh": 0, "hooray": 0, "confused": 0, "heart": 0, "rocket": 0, "eyes": 0}
}

func issueRoutes() []*route {
	const repo = "/repos/{owner}/{repo}"
	either := []string{"issues", "pull_requests"}
	return []*route{
		{method: "GET", path: repo + "/issues/comments/{comment_id}", access: reads(either...), handle: getComment},
		{method: "PATCH", path: repo + "/issues/comments/{comment_id}", access: writes(Read, either...), handle: updateComment},
		{method: "DELETE", path: repo + "/issues/comments/{comment_id}", access: writes(Read, either...), handle: deleteComment},
		{method: "GET", path: repo + "/issues/{issue_number}", access: reads(either...), handle: getIssue},
		{method: "PATCH", path: repo + "/issues/{issue_number}", access: writes(Read, either...), handle: updateIssue},
		{method: "GET", path: repo + "/issues/{issue_number}/comments", access: reads(either...), handle: listComments},
		{method: "POST", path: repo + "/issues/{issue_number}/comments", access: writes(Read, either...), handle: createComment, content: true},
		{method: "GET", path: repo + "/issues/{issue_number}/labels", access: reads(either...), handle: listIssueLabels},
		{method: "POST", path: repo + "/issues/{issue_number}/labels", access: writes(Triage, either...), handle: addLabels},
		{method: "DELETE", path: repo + "/issues/{issue_number}/labels/{name}", access: writes(Triage, either...), handle: removeLabel},
		{method: "GET", path: repo + "/labels", access: reads(either...), handle: listLabels},
		{method: "POST", path: repo + "/labels", access: writes(Write, either...), handle: createLabel},
		{method: "GET", path: repo + "/labels/{name}", access: reads(either...), handle: getLabel},
	}
}

// issue finds the issue that the path names. An App that may only see pull requests does not get at plain issues.
func (r *request) issue() (*Issue, error) {
	number, err := r.number("issue_number")
	if err != nil {
		return nil, err
	}
	i := r.repo.issues[int(number)]
	if i == nil {
		return nil, notFound()
	}
	return i, r.mayTouch(i)
}

func (r *request) mayTouch(i *Issue) error {
	level := r.route.access.grants[0].level
	if i.pull == nil && r.actor.covers(r.repo) && !r.actor.perms.holds(grant{"issues", level}) {
		return forbidden(resourceNotAccessible)
	}
	return nil
}

func getIssue(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	return ok(i.json())
}

func updateIssue(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	if i.author != r.actor.account && !r.actor.mayUse(r.repo, writes(Triage, "issues", "pull_requests")) {
		return reply{}, forbidden("Must have triage access to %s.", r.repo.FullName())
	}
	var in struct{ Title, Body, State *string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if err := r.sim.editIssue(i, in.Title, in.Body, r.actor.account); err != nil {
		return reply{}, err
	}
	if in.State != nil {
		if !slices.Contains([]string{"open", "closed"}, *in.State) {
			return reply{}, invalid("Issue", "state", "invalid", "")
		}
		r.sim.setOpen(i, *in.State == "open", r.actor.account)
	}
	return ok(i.json())
}

// editIssue changes title and body, where given, and says what they were.
func (s *Sim) editIssue(i *Issue, title, body *string, who *account) error {
	if title != nil && *title == "" {
		return invalid("Issue", "title", "missing_field", "")
	}
	changes := obj{}
	for name, edit := range map[string]struct{ now, old *string }{"title": {title, &i.title}, "body": {body, &i.body}} {
		if edit.now != nil && *edit.now != *edit.old {
			changes[name] = obj{"from": *edit.old}
			*edit.old = *edit.now
		}
	}
	if len(changes) == 0 {
		return nil
	}
	i.updated = now()
	if i.pull != nil {
		s.emitPull(i.pull, "edited", who, obj{"changes": changes})
	} else {
		s.emitIssue(i, "edited", who, obj{"changes": changes})
	}
	return nil
}

// Edit changes title and body.
func (i *Issue) Edit(login, title, body string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(s.editIssue(i, &title, &body, s.account(login)))
}

// String names the issue as people do.
func (i *Issue) String() string { return fmt.Sprintf("%s#%d", i.Repo.FullName(), i.Number) }
