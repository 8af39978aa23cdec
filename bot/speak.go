package bot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/githubapp"
)

// externalID is the bot's own name for the check run of a pull request: two of them can have the same head.
func (e *evaluation) externalID() string { return fmt.Sprintf("%d/%s", e.state.Number, e.pull.BaseRef) }

// startCheck shows that work is under way. A commit has one check run, so one that is there already is used again.
func (e *evaluation) startCheck(ctx context.Context) error {
	p := &e.state.Progress
	key := e.pull.HeadSHA + " " + e.externalID()
	if p.CheckHead == key && p.CheckID != 0 {
		return nil
	}
	begun := p.CheckHead == key && p.CheckBegun
	if p.CheckHead != key {
		if err := e.dropCheck(ctx, "The bot has turned to a newer state of the pull request"); err != nil {
			return err
		}
	}
	p.CheckHead, p.CheckBegun, p.CheckID, p.CheckText, p.Annotated = key, true, 0, "", ""
	if begun { // interrupted between the request and its answer
		id, _, err := e.gh.FindCheck(ctx, e.pull.HeadSHA, e.externalID())
		if err != nil && !absent(err) {
			return err
		}
		p.CheckID, p.Annotated = id, annotationsBegun
	}
	if p.CheckID == 0 {
		if err := e.save(ctx); err != nil {
			return err
		}
		e.step("start check")
		id, err := e.gh.StartCheck(ctx, e.checkRun())
		if err != nil && !absent(err) {
			return err
		}
		p.CheckID = id
	}
	return e.save(ctx)
}

func (e *evaluation) checkRun() checkrun.Run {
	return checkrun.Run{Name: githubapp.CheckName, HeadSHA: e.pull.HeadSHA, ExternalID: e.externalID(), DetailsURL: e.PublicURL}
}

// dropCheck ends the check run that a look began and, as it was interrupted, did not complete, where no look will: its commit
// is not judged any more. It is a step that can be repeated.
func (e *evaluation) dropCheck(ctx context.Context, title string) error {
	p := &e.state.Progress
	if !p.CheckBegun || p.CheckText != "" {
		return nil
	}
	r := e.checkRun()
	r.HeadSHA, r.ExternalID, _ = strings.Cut(p.CheckHead, " ")
	r.Conclusion, r.Title, r.Summary = checkrun.Cancelled, title, "The bot has decided nothing about this commit.\n"
	id := p.CheckID
	if id == 0 {
		var err error
		if id, _, err = e.gh.FindCheck(ctx, r.HeadSHA, r.ExternalID); err != nil && !absent(err) {
			return err
		}
	}
	if id != 0 {
		e.step("drop check")
		if err := e.gh.CompleteCheck(ctx, id, r); err != nil && !absent(err) {
			return err
		}
	}
	p.CheckID, p.CheckText = id, digestOf(r.Conclusion, r.Title, r.Summary)
	return e.save(ctx)
}

// completeCheck ends the check run with the verdict, or updates what it says. Where it says so already, nothing is sent.
func (e *evaluation) completeCheck(ctx context.Context, d Decision) error {
	p := &e.state.Progress
	if p.CheckID == 0 { // checks can't be written here: the comment says what there is to say
		return nil
	}
	r := e.checkRun()
	r.Conclusion, r.Title, r.Summary = e.conclusion(), e.title(), e.summary(d)
	text := digestOf(r.Conclusion, r.Title, r.Summary)
	if text == p.CheckText {
		return nil
	}
	if err := e.annotateOnce(ctx, &r); err != nil {
		return err
	}
	e.step("complete check")
	if err := e.gh.CompleteCheck(ctx, p.CheckID, r); err != nil {
		if absent(err) {
			p.CheckID = 0
			return nil
		}
		return err
	}
	p.CheckText = text
	if p.Annotated != "" {
		p.Annotated = annotationsDone
	}
	return e.save(ctx)
}

// checkTextAgain stands for the text of a check run that is complete, and of which somebody wants to hear again.
const checkTextAgain = "again"

// How far the annotations of a check run have come.
const (
	annotationsBegun = "begun"
	annotationsDone  = "done"
)

// annotateOnce gives a check run its annotations, unless it has them: GitHub adds those of each update to the others. What
// an interruption left out is sent later.
func (e *evaluation) annotateOnce(ctx context.Context, r *checkrun.Run) error {
	p := &e.state.Progress
	if e.judgement == nil || p.Annotated == annotationsDone {
		return nil
	}
	r.Annotations = annotate.Annotations(&e.judgement.Report)
	if p.Annotated == annotationsBegun {
		_, there, err := e.gh.FindCheck(ctx, e.pull.HeadSHA, e.externalID())
		if err != nil && !absent(err) {
			return err
		}
		r.Annotations = r.Annotations[min(there, len(r.Annotations)):]
	}
	p.Annotated = annotationsBegun
	return e.save(ctx)
}

// sayGivenUp ends a check run that would stay open, as nobody works on it any more.
func (b *Bot) sayGivenUp(ctx context.Context, state PullState, owner string) error {
	e, err := b.evaluation(ctx, state, owner)
	if err != nil || state.Progress.CheckID == 0 {
		return err
	}
	p := &e.state.Progress
	e.pull = Pull{HeadSHA: state.Head, BaseRef: state.Base}
	r := e.checkRun()
	r.Conclusion, r.Title = checkrun.Failure, "The bot could not finish its work"
	r.Summary = "Nothing was merged. " + annotate.Prose(fmt.Sprintf("%q", p.Failure)) + "\n\n**Next:** comment `/azp recheck`, or push, to have it tried again.\n"
	if err := e.gh.CompleteCheck(ctx, p.CheckID, r); err != nil {
		return err
	}
	p.CheckText = digestOf(r.Conclusion, r.Title, r.Summary)
	return e.save(ctx)
}

func digestOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (e *evaluation) title() string {
	switch {
	case e.judgement == nil && e.state.Progress.MergeCommit != "":
		return "Merged"
	case e.judgement == nil:
		return "The pull request could not be read"
	case e.judgement.nothing():
		return "Nothing to check: no submission is touched"
	default:
		return annotate.Headline(&e.judgement.Report)
	}
}

// summary is the page of the check run: what stands between the pull request and a merge, what was found, and what was
// verified.
func (e *evaluation) summary(d Decision) string {
	var b strings.Builder
	b.WriteString(standing(d, e.state.Progress.MergeCommit))
	if e.judgement == nil || e.judgement.nothing() {
		return b.String()
	}
	b.WriteString(e.verified() + e.judgement.Updates)
	roles := e.judgement.Roles
	if len(roles) > maxRoles {
		roles = "*What this changes between roles is too long for this page: `azp role matrix` shows it.*\n"
	}
	b.WriteString("\n" + findingsOf(&e.judgement.Report, max(annotate.CheckSummaryLimit-b.Len()-len(roles)-2, 1000)) + roles)
	return b.String()
}

// maxRoles bounds what a summary says of roles beside their findings, in bytes.
const maxRoles = 20_000

// maxInComment bounds the findings in a comment, which says what there is to say where check runs can't be written.
const maxInComment = 40_000

// findingsOf lists what was found, with excerpts, in so many bytes.
func findingsOf(r *finding.Report, limit int) string {
	var page bytes.Buffer
	// A bytes.Buffer takes everything.
	_ = annotate.Summary(&page, r, annotate.SummaryOptions{Limit: limit, RuleURL: check.RuleURL})
	return page.String()
}

// standing lists ticks and crosses.
func standing(d Decision, commit string) string {
	var b strings.Builder
	switch {
	case commit != "":
		fmt.Fprintf(&b, "### Merged\n\nThe packages were counter-signed with the registry's key and published in `%s`.\n\n", commit)
	case d.Action == Merge:
		b.WriteString("### Nothing stands between this and a merge\n\n")
	case d.Action == Ignore:
		b.WriteString("### There is nothing to do here\n\n")
	default:
		b.WriteString("### What stands between this and a merge\n\n")
	}
	for _, p := range d.Points {
		if p.Met {
			b.WriteString("- ✅ " + annotate.Prose(p.Sentence) + "\n")
		} else {
			b.WriteString("- ❌ " + annotate.Prose(p.Sentence) + " **Next:** " + annotate.Prose(p.Next) + "\n")
		}
	}
	return b.String()
}

// verified says what was verified, by which rules.
func (e *evaluation) verified() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### What was verified\n\nCommit `%s` against `%s`, by rules `%s`.\n\n", e.pull.HeadSHA, e.judgement.Comparison.Base.SHA, RulesVersion())
	for _, c := range e.candidates[:min(len(e.candidates), maxQuoted)] {
		signer := "not signed"
		if c.Signed {
			signer = fmt.Sprintf("signed by %q", c.Signer)
		}
		fmt.Fprintf(&b, "- %s\n", annotate.Prose(fmt.Sprintf("%q: %q, %d bytes, %s.", c.Path, c.submitted.String(), c.size, signer)))
	}
	return b.String()
}

// commentMarker finds the bot's comment again. Nobody sees it.
const commentMarker = "<!-- azphalt-submission -->"

// quiet are reasons that people know without being told by a comment.
var quiet = map[Code]bool{CodeDraft: true, CodeDisabled: true, CodeHeld: true, CodeHoldLabel: true, CodeNoSubmission: true, CodeClosed: true}

// comment says what a person has to do: in one comment, which is edited when that changes. Where nobody has to act there is
// none, unless there was one before or something was merged.
func (e *evaluation) comment(ctx context.Context, d Decision) error {
	p := &e.state.Progress
	loud := false
	for _, r := range d.Reasons() {
		loud = loud || d.NeedsPerson() && !quiet[r.Code]
	}
	if !loud && !p.CommentBegun && p.MergeCommit == "" {
		return nil
	}
	body := e.commentBody(d)
	text := digestOf(body)
	if text == p.CommentText {
		return nil
	}
	if p.CommentBegun && p.CommentID == 0 {
		id, err := e.gh.FindComment(ctx, e.state.Number, commentMarker)
		if err != nil && !absent(err) {
			return err
		}
		p.CommentID = id
	}
	p.CommentBegun = true
	if err := e.save(ctx); err != nil {
		return err
	}
	e.step("comment")
	if err := e.write(ctx, body); err != nil && !absent(err) {
		return err
	}
	p.CommentText = text
	return e.save(ctx)
}

// write edits the comment or, where there is none or it was deleted, makes one.
func (e *evaluation) write(ctx context.Context, body string) error {
	p := &e.state.Progress
	if p.CommentID != 0 {
		err := e.gh.EditComment(ctx, p.CommentID, body)
		if Status(err) != 404 {
			return err
		}
	}
	id, err := e.gh.Comment(ctx, e.state.Number, body)
	p.CommentID = id
	return err
}

func (e *evaluation) commentBody(d Decision) string {
	var b strings.Builder
	b.WriteString(commentMarker + "\n")
	switch commit := e.state.Progress.MergeCommit; {
	case commit != "":
		fmt.Fprintf(&b, "This submission was verified, counter-signed with the registry's key and merged in %s.\n", commit)
	case d.NeedsPerson():
		b.WriteString("Thank you. Before this submission can be merged, somebody has to act:\n\n")
		for _, r := range d.Reasons() {
			b.WriteString("- " + annotate.Prose(r.Sentence) + "\n  **Next:** " + annotate.Prose(r.Next) + "\n")
		}
		if e.state.Progress.CheckID == 0 && e.judgement != nil {
			b.WriteString("\n" + findingsOf(&e.judgement.Report, maxInComment) + "\nI look again by myself when something changes.\n")
			break
		}
		b.WriteString("\nThe check run “" + githubapp.CheckName + "” of the latest commit has the details. I look again by myself when something changes.\n")
	default:
		b.WriteString("Nothing is left to do for anybody: this submission takes its way by itself.\n")
	}
	return b.String()
}
