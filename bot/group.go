package bot

import (
	"context"

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
	j, err := JudgeCommit(ctx, gh, n.Base, n.Head, 0, b.now())
	if err != nil {
		return err
	}
	run := checkrun.Run{Name: githubapp.CheckName, HeadSHA: n.Head, ExternalID: externalID, Title: annotate.Headline(&j.Report), Summary: findingsOf(&j.Report, annotate.CheckSummaryLimit),
		Conclusion: checkrun.Success}
	if j.errorsOf() > 0 {
		run.Conclusion = checkrun.Failure
	}
	if id == 0 {
		if id, err = gh.StartCheck(ctx, run); err != nil {
			return err
		}
		run.Annotations = annotate.Annotations(&j.Report)
	}
	return gh.CompleteCheck(ctx, id, run)
}
