package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReviewComment is a comment on a line or file of a pull request, as a test sees it.
type ReviewComment struct {
	ID        int64
	Review    int64 // that it belongs to
	User      string
	Body      string
	Path      string
	Line      int    // last line; 0 of a comment on a file
	StartLine int    // first line of several; 0 of a single one
	Side      string // "RIGHT", or "LEFT" for lines that were removed
	CommitID  string
	ReplyTo   int64 // id of the comment that it answers; 0 for none
	Resolved  bool  // its conversation
	Created   time.Time
}

type reviewComment struct {
	ReviewComment
	review *review
	place  place
	edited time.Time
}

// newReviewComment is a comment as a client writes it.
type newReviewComment struct {
	Body        string
	CommitID    string `json:"commit_id"`
	Path        string
	Position    *int
	Line        *int
	Side        string
	StartLine   *int   `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
	InReplyTo   int64  `json:"in_reply_to"`
}

// place is where a comment sits.
type place struct {
	path, commit, side, startSide string
	line, start                   int // line 0: the file as a whole
	position                      int // lines below the first hunk header
	hunk                          string
}

// line is one line of a patch with its numbers before and after; a header has neither.
type line struct {
	before, after int
	text          string
	hunk          int // number of its hunk
}

// linesOf numbers the lines of a patch.
func linesOf(patch string) []line {
	var list []line
	before, after, hunk := 0, 0, 0
	for text := range strings.SplitSeq(patch, "\n") {
		l := line{text: text, hunk: hunk}
		switch {
		case strings.HasPrefix(text, "@@ "):
			before, after = hunkStart(text)
			hunk++
			l.hunk = hunk
		case strings.HasPrefix(text, "+"):
			l.after, after = after, after+1
		case strings.HasPrefix(text, "-"):
			l.before, before = before, before+1
		case strings.HasPrefix(text, " "):
			l.before, l.after, before, after = before, after, before+1, after+1
		}
		list = append(list, l)
	}
	return list
}

// hunkStart reads "@@ -1,2 +3,4 @@".
func hunkStart(header string) (before, after int) {
	number := func(field string) int {
		field, _, _ = strings.Cut(field[1:], ",")
		n, _ := strconv.Atoi(field)
		return n
	}
	fields := strings.Fields(header)
	return number(fields[1]), number(fields[2])
}

// place finds a comment's place in the diff of the pull request. GitHub takes no line that the diff does not show.
func (p *PR) place(c newReviewComment, commit string) (place, error) {
	if err := checkBody("PullRequestReviewComment", c.Body); err != nil {
		return place{}, err
	}
	rel, err := p.Repo.objects.graph.relate(p.baseTip(), commit)
	if err != nil {
		return place{}, err
	}
	changes, err := p.Repo.objects.changes(rel.mergeBase, commit)
	if err != nil {
		return place{}, err
	}
	at := slices.IndexFunc(changes, func(f fileChange) bool { return f.path == c.Path })
	if at < 0 {
		return place{}, refused("Path could not be resolved")
	}
	patch := changes[at].patch
	out := place{path: c.Path, commit: commit, side: orText(c.Side, "RIGHT"), hunk: patch}
	if c.SubjectType == "file" {
		return out, nil
	}
	lines := linesOf(patch)
	if c.Line == nil && c.Position != nil {
		return out.atPosition(lines, *c.Position)
	}
	return out.atLines(lines, c)
}

func (at place) atPosition(lines []line, position int) (place, error) {
	if position < 1 || position >= len(lines) {
		return place{}, refused("Position could not be resolved")
	}
	l := lines[position]
	at.position, at.line = position, l.after
	if l.after == 0 {
		at.side, at.line = "LEFT", l.before
	}
	return at, nil
}

func (at place) atLines(lines []line, c newReviewComment) (place, error) {
	if c.Line == nil {
		return place{}, refused("Line could not be resolved")
	}
	last := find(lines, at.side, *c.Line)
	if last < 0 {
		return place{}, refused("Pull request review thread line must be part of the diff")
	}
	at.line, at.position = *c.Line, last
	if c.StartLine == nil {
		return at, nil
	}
	at.start, at.startSide = *c.StartLine, orText(c.StartSide, at.side)
	first := find(lines, at.startSide, at.start)
	switch {
	case first < 0:
		return place{}, refused("Pull request review thread start line must be part of the diff")
	case first >= last:
		return place{}, refused("Pull request review thread start line must precede the end line.")
	case lines[first].hunk != lines[last].hunk:
		return place{}, refused("Pull request review thread start line must be part of the same hunk as the line.")
	}
	return at, nil
}

// find returns the position of a line number on a side; -1 where the diff does not show it.
func find(lines []line, side string, number int) int {
	return slices.IndexFunc(lines, func(l line) bool {
		if side == "LEFT" {
			return l.before == number && number > 0
		}
		return l.after == number && number > 0
	})
}

func (s *Sim) reviewComment(v *review, at place, body string, replyTo int64) *reviewComment {
	c := &reviewComment{ReviewComment: ReviewComment{
		ID: s.id(), Review: v.ID, User: v.author.login, Body: body, Path: at.path, Line: at.line, StartLine: at.start, Side: at.side,
		CommitID: at.commit, ReplyTo: replyTo, Created: now(),
	}, review: v, place: at, edited: now()}
	v.pr.reviewComments = append(v.pr.reviewComments, c)
	return c
}

// ResolveConversations marks every conversation of the pull request as resolved.
func (p *PR) ResolveConversations() {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range p.reviewComments {
		c.Resolved = true
	}
}

func (c *reviewComment) json() obj {
	p := c.review.pr
	r := p.Repo
	self, pull := r.api("/pulls/comments/%d", c.ID), r.api("/pulls/%d", p.Number)
	html := p.URL() + fmt.Sprintf("#discussion_r%d", c.ID)
	out := obj{
		"id": c.ID, "node_id": nodeID("PullRequestReviewComment", c.ID), "url": self, "pull_request_review_id": c.Review, "diff_hunk": c.place.hunk,
		"path": c.Path, "commit_id": c.CommitID, "original_commit_id": c.CommitID, "user": c.review.author.json(r.sim), "body": c.Body,
		"created_at": stamp(c.Created), "updated_at": stamp(c.edited), "html_url": html, "pull_request_url": pull,
		"author_association": r.association(c.review.author), "reactions": reactions(self), "subject_type": "line",
		"_links": obj{"self": obj{"href": self}, "html": obj{"href": html}, "pull_request": obj{"href": pull}},
		"side":   c.Side, "line": c.Line, "original_line": c.Line, "position": c.place.position, "original_position": c.place.position,
		"start_line": nil, "original_start_line": nil, "start_side": nil,
	}
	if c.Line == 0 {
		out["subject_type"], out["position"], out["original_position"] = "file", 1, 1
		delete(out, "line")
		delete(out, "original_line")
	}
	if c.StartLine != 0 {
		out["start_line"], out["original_start_line"], out["start_side"] = c.StartLine, c.StartLine, c.place.startSide
	}
	if c.ReplyTo != 0 {
		out["in_reply_to_id"] = c.ReplyTo
	}
	return out
}

func listReviewComments(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	return r.reviewCommentList(p, func(*review) bool { return true })
}

func listReviewCommentsOf(r *request) (reply, error) {
	p, v, err := r.review()
	if err != nil {
		return reply{}, err
	}
	return r.reviewCommentList(p, func(other *review) bool { return other == v })
}

func (r *request) reviewCommentList(p *PR, of func(*review) bool) (reply, error) {
	var list []*reviewComment
	for _, c := range p.reviewComments {
		if of(c.review) && c.review.visible(r) {
			list = append(list, c)
		}
	}
	return paged(r, list, func(c *reviewComment) any { return c.json() })
}

// createReviewComment adds a comment in a review of its own.
func createReviewComment(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	var in newReviewComment
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	var at place
	if in.InReplyTo != 0 {
		parent := p.reviewCommentByID(in.InReplyTo)
		if parent == nil {
			return reply{}, refused("in_reply_to could not be resolved")
		}
		at, err = parent.place, checkBody("PullRequestReviewComment", in.Body)
	} else {
		if in.CommitID == "" {
			return reply{}, unprocessable("Invalid request.\n\n\"commit_id\" wasn't supplied.")
		}
		if in.CommitID, err = p.reviewedCommit(in.CommitID); err == nil {
			at, err = p.place(in, in.CommitID)
		}
	}
	if err != nil {
		return reply{}, err
	}
	v := r.sim.review(p, r.actor.account, Pending, at.commit, "")
	c := r.sim.reviewComment(v, at, in.Body, in.InReplyTo)
	r.sim.submit(v, Commented)
	return created(c.json())
}

func (p *PR) reviewCommentByID(id int64) *reviewComment {
	for _, c := range p.reviewComments {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// reviewComment finds the comment that the path names; for changes, only its author and who may write get at it.
func (r *request) reviewComment() (*reviewComment, error) {
	id, err := r.number("comment_id")
	if err != nil {
		return nil, err
	}
	for _, p := range r.repo.pulls {
		c := p.reviewCommentByID(id)
		if c == nil || !c.review.visible(r) {
			continue
		}
		if r.http.Method != http.MethodGet && c.review.author != r.actor.account && !r.actor.mayWrite(r.repo, "pull_requests") {
			return nil, forbidden("Must have write access to %s.", r.repo.FullName())
		}
		return c, nil
	}
	return nil, notFound()
}

func getReviewComment(r *request) (reply, error) {
	c, err := r.reviewComment()
	if err != nil {
		return reply{}, err
	}
	return ok(c.json())
}

func updateReviewComment(r *request) (reply, error) {
	c, err := r.reviewComment()
	if err != nil {
		return reply{}, err
	}
	body, err := r.commentBody()
	if err != nil {
		return reply{}, err
	}
	before := c.Body
	c.Body, c.edited = body, now()
	r.sim.emitReviewComment(c, "edited", r.actor.account, obj{"changes": obj{"body": obj{"from": before}}})
	return ok(c.json())
}

func deleteReviewComment(r *request) (reply, error) {
	c, err := r.reviewComment()
	if err != nil {
		return reply{}, err
	}
	p := c.review.pr
	p.reviewComments = slices.DeleteFunc(p.reviewComments, func(other *reviewComment) bool { return other == c })
	r.sim.emitReviewComment(c, "deleted", r.actor.account, nil)
	return noContent()
}
