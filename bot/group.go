package bot

import (
	"context"
	"fmt"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/githubapp"
)

// JudgeGroup judges a commit of the merge queue, which waits for the check run just as a pull request does.
func (b *Bot) JudgeGroup(ctx context.Context, n Notice) error {
	gh, err := b.Hub.Repo(n.Repo)
	if err != nil {
		return err
	}
	externalID := "group/" + n.Base
	id, _, err := gh.FindCheck(ctx, n.Head, externalID)
	if err != nil && !absent(err) {
		return err
	}
	run := checkrun.Run{Name: githubapp.CheckName, HeadSHA: n.Head, ExternalID: externalID, Conclusion: checkrun.Failure}
	j, err := JudgeCommit(ctx, gh, n.Base, n.Head, 0, b.now())
	switch {
	case hopeless(err):
		run.Title, run.Summary = "The commit could not be read", annotate.Prose(fmt.Sprintf("GitHub does not let the bot read it: %q.", message(err)))
	case err != nil:
		return err
	default:
		run.Title, run.Summary = annotate.Headline(&j.Report), findingsOf(&j.Report, annotate.CheckSummaryLimit)
		if j.errorsOf() == 0 {
			run.Conclusion = checkrun.Success
		}
	}
	if id == 0 {
		if id, err = gh.StartCheck(ctx, run); absent(err) {
			return nil // checks can't be written here, and there is nowhere else to say it
		} else if err != nil {
			return err
		}
		if j != nil {
			run.Annotations = annotate.Annotations(&j.Report)
		}
	}
	return gh.CompleteCheck(ctx, id, run)
}
