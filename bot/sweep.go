package bot

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
)

// sweepArgs is the wish to look for what no webhook told.
type sweepArgs struct{}

// Kind names the job.
func (sweepArgs) Kind() string { return "sweep" }

// InsertOpts puts sweeps into a queue of their own; one at a time is enough.
func (sweepArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: sweepQueue, MaxAttempts: 1}
}

const sweepQueue = "sweeps"

// redeliverWithin is how far back failed deliveries are asked for; GitHub keeps them for three days.
const redeliverWithin = 24 * time.Hour

// sweep asks GitHub for deliveries that failed, and compares open pull requests with what was decided. One repository out of
// reach does not keep the others waiting.
func (w *worker) sweep(ctx context.Context) error {
	var failed []error
	if n, err := w.Hub.Redeliver(ctx, w.now().Add(-redeliverWithin)); err != nil {
		w.log.Info("failed deliveries could not be asked for", "error", err) // a help: what they told is found below
	} else if n > 0 {
		w.log.Info("asked for failed deliveries again", "count", n)
	}
	repos, err := w.Hub.Repositories(ctx)
	if absent(err) { // a server that does not list them
		repos, err = w.Store.Repositories(ctx)
	}
	if err != nil {
		return err
	}
	for _, r := range repos {
		if err := w.sweepRepository(ctx, r); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (w *worker) sweepRepository(ctx context.Context, r Repository) error {
	gh, err := w.Hub.Repo(r)
	if err != nil {
		return err
	}
	open, err := gh.OpenPulls(ctx)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	known, err := w.Store.Unsettled(ctx, r.ID)
	if err != nil {
		return err
	}
	states := map[int]PullState{}
	for _, s := range known {
		states[s.Number] = s
	}
	for _, p := range open {
		s, ok := states[p.Number]
		delete(states, p.Number)
		if ok && settled(s, p) {
			continue
		}
		if err := w.queue.want(ctx, Notice{Kind: KindSweep, Repo: r}, p.Number, w.now()); err != nil {
			return err
		}
	}
	for number := range states { // closed without our hearing of it
		if err := w.queue.want(ctx, Notice{Kind: KindSweep, Repo: r}, number, w.now()); err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether what was decided about a pull request still holds, as far as a list shows.
func settled(s PullState, p Pull) bool {
	g := s.Progress
	switch {
	case g.Failure != "" && g.Next.IsZero() && s.Head == p.HeadSHA:
		return true // given up, in the open; a comment or a push starts over
	case s.Done < s.Wanted, g.Action == "", s.Head != p.HeadSHA, s.Base != p.BaseRef, g.Rules != RulesVersion():
		return false
	case g.Action == Merge.String(), g.Action == Retry.String(), g.Failure != "":
		return false
	}
	for _, r := range g.Reasons {
		if r.Code == CodeMergeUnknown || r.Code == CodeMergeState || r.Code == CodeRequiredCheck || r.Code == CodeDraft && !p.Draft {
			return false
		}
	}
	return true
}
