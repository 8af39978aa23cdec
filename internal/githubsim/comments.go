package githubsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Comment is a comment on an issue or pull request, as a test sees it.
type Comment struct {
	ID               int64
	User             string
	Body             string
	Created, Updated time.Time
	Edits            int // how often it was changed
}

type comment struct {
	Comment
	issue  *Issue
	author *account
	app    *App // that the author is the bot of
}

// maxText is the longest text that GitHub takes, in characters.
const maxText = 65536

// checkBody refuses a text that is empty or too long.
func checkBody(resource, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return invalid(resource, "body", "custom", "body cannot be blank")
	case utf8.RuneCountInString(text) > maxText:
		return invalid(resource, "body", "custom", "body is too long (maximum is 65536 characters)")
	}
	return nil
}

// Comment adds a comment and returns its id.
func (i *Issue) Comment(login, body string) int64 {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.comment(i, s.account(login), nil, body).ID
}

// EditComment changes a comment.
func (i *Issue) EditComment(login string, id int64, body string) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := i.Repo.commentByID(id)
	if c == nil {
		s.fatal("no comment %d", id)
	}
	s.editComment(c, s.account(login), body)
}

// DeleteComment deletes a comment.
func (i *Issue) DeleteComment(login string, id int64) {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := i.Repo.commentByID(id)
	if c == nil {
		s.fatal("no comment %d", id)
	}
	s.deleteComment(c, s.account(login))
}

// Comments returns the comments, oldest first.
func (i *Issue) Comments() []Comment {
	s := i.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Comment
	for _, c := range i.comments {
		list = append(list, c.Comment)
	}
	return list
}

func (s *Sim) comment(i *Issue, author *account, app *App, body string) *comment {
	c := &comment{Comment: Comment{ID: s.id(), User: author.login, Body: body, Created: now(), Updated: now()}, issue: i, author: author, app: app}
	i.comments = append(i.comments, c)
	i.updated = now()
	s.emitComment(c, "created", author, nil)
	return c
}

func (s *Sim) editComment(c *comment, who *account, body string) {
	if body == c.Body {
		return
	}
	before := c.Body
	c.Body, c.Updated = body, now()
	c.Edits++
	s.emitComment(c, "edited", who, obj{"changes": obj{"body": obj{"from": before}}})
}

func (s *Sim) deleteComment(c *comment, who *account) {
	c.issue.comments = slices.DeleteFunc(c.issue.comments, func(other *comment) bool { return other == c })
	s.emitComment(c, "deleted", who, nil)
}

func (r *Repo) commentByID(id int64) *comment {
	for _, i := range r.issues {
		for _, c := range i.comments {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}

func (c *comment) json() obj {
	r := c.issue.Repo
	self := r.api("/issues/comments/%d", c.ID)
	var app any
	if c.app != nil {
		app = c.app.json(r.sim)
	}
	return obj{
		"id": c.ID, "node_id": nodeID("IssueComment", c.ID), "url": self, "issue_url": r.api("/issues/%d", c.issue.Number),
		"html_url": fmt.Sprintf("%s#issuecomment-%d", c.issue.URL(), c.ID), "user": c.author.json(r.sim), "body": c.Body,
		"created_at": stamp(c.Created), "updated_at": stamp(c.Updated), "author_association": r.association(c.author),
		"performed_via_github_app": app, "reactions": reactions(self),
	}
}

func listComments(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	return paged(r, i.comments, func(c *comment) any { return c.json() })
}

func createComment(r *request) (reply, error) {
	i, err := r.issue()
	if err != nil {
		return reply{}, err
	}
	body, err := r.commentBody()
	if err != nil {
		return reply{}, err
	}
	c := r.sim.comment(i, r.actor.account, r.actor.app, body)
	out, err := created(c.json())
	out.header = map[string][]string{"Location": {r.repo.api("/issues/comments/%d", c.ID)}}
	return out, err
}

func (r *request) commentBody() (string, error) {
	var in struct{ Body *string }
	if err := r.decode(&in); err != nil {
		return "", err
	}
	if in.Body == nil {
		return "", unprocessable("Invalid request.\n\n\"body\" wasn't supplied.")
	}
	return *in.Body, checkBody("IssueComment", *in.Body)
}

// comment finds the comment that the path names.
func (r *request) comment() (*comment, error) {
	id, err := r.number("comment_id")
	if err != nil {
		return nil, err
	}
	c := r.repo.commentByID(id)
	if c == nil {
		return nil, notFound()
	}
	return c, r.mayTouch(c.issue)
}

// ownComment is comment for those who may change it: its author, and whoever may write.
func (r *request) ownComment() (*comment, error) {
	c, err := r.comment()
	if err != nil {
		return nil, err
	}
	if c.author != r.actor.account && !r.actor.mayUse(r.repo, writes(Write, "issues", "pull_requests")) {
		return nil, forbidden("Must have write access to %s.", r.repo.FullName())
	}
	return c, nil
}

func getComment(r *request) (reply, error) {
	c, err := r.comment()
	if err != nil {
		return reply{}, err
	}
	return ok(c.json())
}

func updateComment(r *request) (reply, error) {
	c, err := r.ownComment()
	if err != nil {
		return reply{}, err
	}
	body, err := r.commentBody()
	if err != nil {
		return reply{}, err
	}
	r.sim.editComment(c, r.actor.account, body)
	return ok(c.json())
}

func deleteComment(r *request) (reply, error) {
	c, err := r.ownComment()
	if err != nil {
		return reply{}, err
	}
	r.sim.deleteComment(c, r.actor.account)
	return noContent()
}
