package githubsim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func TestReviews(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "1"})
	first := pr.State().HeadSHA
	w.repo.SetPermission("contributor", githubsim.Write)
	review := func(login, event, commit, body string) (*github.PullRequestReview, error) {
		r := &github.PullRequestReviewRequest{Body: &body}
		if event != "" {
			r.Event = &event
		}
		if commit != "" {
			r.CommitID = &commit
		}
		v, _, err := w.as(login).PullRequests.CreateReview(ctx, owner, name, pr.Number, r)
		return v, err
	}
	v, err := review("maintainer", "APPROVE", "", "")
	must(t, err)
	eq(t, "state", v.GetState(), "APPROVED")
	eq(t, "commit", v.GetCommitID(), first)
	pr.Push(githubsim.Change{Files: githubsim.Files{"a": "2"}})
	old, err := review("admin", "REQUEST_CHANGES", first, "no")
	must(t, err)
	eq(t, "of an older commit", old.GetCommitID(), first)

	for what, c := range map[string][4]string{
		"own approval":           {"contributor", "APPROVE", "", ""},
		"own request":            {"contributor", "REQUEST_CHANGES", "", "x"},
		"request without reason": {"maintainer", "REQUEST_CHANGES", "", ""},
		"empty comment":          {"maintainer", "COMMENT", "", ""},
		"unknown event":          {"maintainer", "ADMIRE", "", "x"},
		"foreign commit":         {"maintainer", "APPROVE", w.repo.Ref("main"), ""},
	} {
		_, err := review(c[0], c[1], c[2], c[3])
		if err == nil {
			t.Errorf("%s: taken", what)
			continue
		}
		refused(t, err, 422)
	}
	w.ClearViolations()

	pending, err := review("maintainer", "", "", "draft")
	must(t, err)
	eq(t, "state", pending.GetState(), "PENDING")
	_, err = review("maintainer", "", "", "second draft")
	refused(t, err, 422)
	seen, _, err := w.api.PullRequests.ListReviews(ctx, owner, name, pr.Number, nil)
	must(t, err)
	eq(t, "a draft is its author's", len(seen), 2)
	_, _, err = w.api.PullRequests.GetReview(ctx, owner, name, pr.Number, pending.GetID())
	refused(t, err, 404)
	_, _, err = w.as("maintainer").PullRequests.UpdateReview(ctx, owner, name, pr.Number, pending.GetID(), "better draft")
	must(t, err)
	_, _, err = w.as("maintainer").PullRequests.SubmitReview(ctx, owner, name, pr.Number, pending.GetID(), &github.PullRequestReviewRequest{Event: github.String("COMMENT")})
	must(t, err)
	again, err := review("maintainer", "", "", "second draft")
	must(t, err)
	_, _, err = w.as("maintainer").PullRequests.DeletePendingReview(ctx, owner, name, pr.Number, again.GetID())
	must(t, err)
	_, _, err = w.as("maintainer").PullRequests.DeletePendingReview(ctx, owner, name, pr.Number, v.GetID())
	refused(t, err, 422)

	_, _, err = w.as("stranger").PullRequests.DismissReview(ctx, owner, name, pr.Number, v.GetID(), &github.PullRequestReviewDismissalRequest{Message: github.String("m")})
	refused(t, err, 403)
	gone, _, err := w.as("admin").PullRequests.DismissReview(ctx, owner, name, pr.Number, v.GetID(), &github.PullRequestReviewDismissalRequest{Message: github.String("m")})
	must(t, err)
	eq(t, "state", gone.GetState(), "DISMISSED")
	got, _, err := w.api.PullRequests.GetReview(ctx, owner, name, pr.Number, v.GetID())
	must(t, err)
	eq(t, "state", got.GetState(), "DISMISSED")

	staged := pr.Review("stranger", githubsim.Approved, first, "")
	pr.Dismiss("maintainer", staged)
	var states []string
	for _, v := range pr.State().Reviews {
		states = append(states, v.User+" "+v.State)
	}
	eq(t, "reviews", strings.Join(states, ", "), "maintainer DISMISSED, admin CHANGES_REQUESTED, maintainer COMMENTED, stranger DISMISSED")
}

func TestCommentsOnLines(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	lines := func(changed ...int) string {
		var b strings.Builder
		for i := 1; i <= 60; i++ {
			text := fmt.Sprintf("line %d", i)
			for _, c := range changed {
				if c == i {
					text += " changed"
				}
			}
			b.WriteString(text + "\n")
		}
		return b.String()
	}
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"f": lines()}})
	pr := w.contribute(githubsim.Files{"f": lines(10, 50), "bin": "\x00"})
	head := pr.State().HeadSHA
	comment := func(c github.PullRequestComment) (*github.PullRequestComment, error) {
		c.CommitID, c.Path = &head, github.String(orF(c.Path))
		if c.Body == nil {
			c.Body = github.String("b")
		}
		got, _, err := w.api.PullRequests.CreateComment(ctx, owner, name, pr.Number, &c)
		return got, err
	}
	for what, c := range map[string]github.PullRequestComment{
		"changed line":        {Line: github.Int(10), Side: github.String("RIGHT")},
		"context above":       {Line: github.Int(7)},
		"removed line":        {Line: github.Int(10), Side: github.String("LEFT")},
		"several lines":       {StartLine: github.Int(8), Line: github.Int(10), StartSide: github.String("RIGHT"), Side: github.String("RIGHT")},
		"file":                {SubjectType: github.String("file")},
		"file that is binary": {SubjectType: github.String("file"), Path: github.String("bin")},
	} {
		got, err := comment(c)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if c.Line != nil && got.GetLine() != c.GetLine() || c.Line == nil && got.Line != nil {
			t.Errorf("%s: came out on line %d", what, got.GetLine())
		}
	}
	for what, c := range map[string]github.PullRequestComment{
		"line out of sight":  {Line: github.Int(30)},
		"no line":            {},
		"other file":         {Path: github.String("README.md"), Line: github.Int(1)},
		"across hunks":       {StartLine: github.Int(10), Line: github.Int(50)},
		"start out of sight": {StartLine: github.Int(2), Line: github.Int(10)},
		"start after end":    {StartLine: github.Int(11), Line: github.Int(10)},
		"no body":            {Line: github.Int(10), Body: github.String("")},
		"long body":          {Line: github.Int(10), Body: github.String(strings.Repeat("x", 65537))},
		"no such parent":     {InReplyTo: github.Int64(1)},
	} {
		if _, err := comment(c); err == nil {
			t.Errorf("%s: taken", what)
		} else {
			refused(t, err, 422)
		}
	}
	w.ClearViolations()

	review, _, err := w.api.PullRequests.CreateReview(ctx, owner, name, pr.Number, &github.PullRequestReviewRequest{
		Event: github.String("COMMENT"), CommitID: &head,
		Comments: []*github.DraftReviewComment{{Path: github.String("f"), Line: github.Int(10), Body: github.String("```suggestion\nline 10\n```")}},
	})
	must(t, err)
	byPosition, _, err := w.api.PullRequests.CreateReview(ctx, owner, name, pr.Number, &github.PullRequestReviewRequest{
		Event: github.String("COMMENT"), Comments: []*github.DraftReviewComment{{Path: github.String("f"), Position: github.Int(1), Body: github.String("p")}},
	})
	must(t, err)
	placed, _, err := w.api.PullRequests.ListReviewComments(ctx, owner, name, pr.Number, byPosition.GetID(), nil)
	must(t, err)
	eq(t, "by position", placed[0].GetLine(), 7)
	of, _, err := w.api.PullRequests.ListReviewComments(ctx, owner, name, pr.Number, review.GetID(), nil)
	must(t, err)
	eq(t, "comments of the review", len(of), 1)
	_, _, err = w.api.PullRequests.CreateReview(ctx, owner, name, pr.Number, &github.PullRequestReviewRequest{
		Event: github.String("COMMENT"), Comments: []*github.DraftReviewComment{{Path: github.String("f"), Line: github.Int(30), Body: github.String("x")}},
	})
	refused(t, err, 422) // one bad comment spoils the review

	answer, _, err := w.api.PullRequests.CreateCommentInReplyTo(ctx, owner, name, pr.Number, "answer", of[0].GetID())
	must(t, err)
	edited, _, err := w.api.PullRequests.EditComment(ctx, owner, name, answer.GetID(), &github.PullRequestComment{Body: github.String("edited")})
	must(t, err)
	eq(t, "edited", edited.GetBody(), "edited")
	_, err = w.as("stranger").PullRequests.DeleteComment(ctx, owner, name, answer.GetID())
	refused(t, err, 403)
	got, _, err := w.api.PullRequests.GetComment(ctx, owner, name, answer.GetID())
	must(t, err)
	eq(t, "in reply to", got.GetInReplyTo(), of[0].GetID())
	all, _, err := w.api.PullRequests.ListComments(ctx, owner, name, pr.Number, nil)
	must(t, err)
	eq(t, "all comments", len(all), 9)
	_, err = w.api.PullRequests.DeleteComment(ctx, owner, name, answer.GetID())
	must(t, err)
	eq(t, "as the test sees it", len(pr.State().ReviewComments), 8)
}

func orF(path *string) string {
	if path == nil {
		return "f"
	}
	return *path
}

func TestIssueComments(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "1"})
	made, _, err := w.api.Issues.CreateComment(ctx, owner, name, pr.Number, &github.IssueComment{Body: github.String("one <b>\n")})
	must(t, err)
	eq(t, "author", made.GetUser().GetLogin(), "azp-gate[bot]")
	_, _, err = w.api.Issues.EditComment(ctx, owner, name, made.GetID(), &github.IssueComment{Body: github.String("two")})
	must(t, err)
	got, _, err := w.api.Issues.GetComment(ctx, owner, name, made.GetID())
	must(t, err)
	eq(t, "body", got.GetBody(), "two")
	theirs := pr.Comment("stranger", "/azp recheck")
	list, _, err := w.api.Issues.ListComments(ctx, owner, name, pr.Number, nil)
	must(t, err)
	eq(t, "comments", len(list), 2)
	eq(t, "association", list[1].GetAuthorAssociation(), "NONE")
	for what, body := range map[string]string{"empty": "", "blank": " \n", "long": strings.Repeat("x", 65537)} {
		_, _, err := w.api.Issues.CreateComment(ctx, owner, name, pr.Number, &github.IssueComment{Body: &body})
		t.Log(what, refused(t, err, 422).Errors)
	}
	_, _, err = w.as("other").Issues.EditComment(ctx, owner, name, theirs, &github.IssueComment{Body: github.String("x")})
	refused(t, err, 403)
	pr.EditComment("stranger", theirs, "edited")
	_, err = w.api.Issues.DeleteComment(ctx, owner, name, theirs)
	must(t, err)
	if c := pr.Comments(); len(c) != 1 || c[0].Edits != 1 || c[0].Body != "two" {
		t.Errorf("as the test sees it: %+v", c)
	}
	_, _, err = w.api.Issues.CreateComment(ctx, owner, name, 99, &github.IssueComment{Body: github.String("x")})
	refused(t, err, 404)

	issue := w.repo.OpenIssue("stranger", "an issue")
	_, _, err = w.api.Issues.CreateComment(ctx, owner, name, issue.Number, &github.IssueComment{Body: github.String("x")})
	must(t, err)
	narrow := w.CreateApp(githubsim.AppOptions{Slug: "narrow", Permissions: githubsim.Permissions{"pull_requests": "write"}})
	api := w.installed(narrow, w.InstallApp(narrow, owner))
	_, _, err = api.Issues.CreateComment(ctx, owner, name, pr.Number, &github.IssueComment{Body: github.String("x")})
	must(t, err)
	_, _, err = api.Issues.CreateComment(ctx, owner, name, issue.Number, &github.IssueComment{Body: github.String("x")})
	refused(t, err, 403)
}

func TestIssuesAndLabels(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	pr := w.contribute(githubsim.Files{"a": "1"})
	pr.Label("maintainer", "hold", "Fine")
	labels, _, err := w.api.Issues.AddLabelsToIssue(ctx, owner, name, pr.Number, []string{"HOLD", "new"})
	must(t, err)
	eq(t, "labels", len(labels), 3)
	status, _ := w.do("POST", "/repos/acme/registry/issues/1/labels", w.Token("maintainer"), `{"labels":["as an object"]}`)
	eq(t, "labels in an object", status, 200)
	on, _, err := w.api.Issues.ListLabelsByIssue(ctx, owner, name, pr.Number, nil)
	must(t, err)
	eq(t, "on it", len(on), 4)
	_, err = w.api.Issues.RemoveLabelForIssue(ctx, owner, name, pr.Number, "hold")
	must(t, err)
	_, err = w.api.Issues.RemoveLabelForIssue(ctx, owner, name, pr.Number, "hold")
	refused(t, err, 404)
	pr.Unlabel("maintainer", "fine")
	eq(t, "as the test sees it", fmt.Sprint(pr.State().Labels), "[new as an object]")

	made, _, err := w.api.Issues.CreateLabel(ctx, owner, name, &github.Label{Name: github.String("made"), Color: github.String("ff0000"), Description: github.String("d")})
	must(t, err)
	eq(t, "color", made.GetColor(), "ff0000")
	for what, l := range map[string]*github.Label{
		"again": {Name: github.String("MADE")}, "bad color": {Name: github.String("x"), Color: github.String("#ff0000")}, "no name": {Name: github.String("")},
	} {
		_, _, err := w.api.Issues.CreateLabel(ctx, owner, name, l)
		t.Log(what, refused(t, err, 422).Errors)
	}
	_, _, err = w.api.Issues.GetLabel(ctx, owner, name, "Made")
	must(t, err)
	_, _, err = w.api.Issues.GetLabel(ctx, owner, name, "nothing")
	refused(t, err, 404)
	all, _, err := w.api.Issues.ListLabels(ctx, owner, name, nil)
	must(t, err)
	eq(t, "all", len(all), 5)

	got, _, err := w.api.Issues.Get(ctx, owner, name, pr.Number)
	must(t, err)
	eq(t, "is a pull request", got.IsPullRequest(), true)
	issue := w.repo.OpenIssue("stranger", "an issue")
	closed, _, err := w.as("stranger").Issues.Edit(ctx, owner, name, issue.Number, &github.IssueRequest{State: github.String("closed"), Title: github.String("done")})
	must(t, err)
	eq(t, "state", closed.GetState()+closed.GetTitle(), "closeddone")
	_, _, err = w.as("other").Issues.Edit(ctx, owner, name, issue.Number, &github.IssueRequest{State: github.String("open")})
	refused(t, err, 403)
}
