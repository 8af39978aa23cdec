package bot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// leaseWait is how long a job waits for somebody else's look at the same pull request.
const leaseWait = 200 * time.Millisecond

// worker works on the jobs of the queue.
type worker struct {
	*Bot
	queue    *Database
	settings Settings
	log      *slog.Logger
	looks    chan struct{} // one for each look that goes on
}

// delivery finds out which pull requests a delivery is about, and has them looked at.
func (w *worker) delivery(ctx context.Context, j *river.Job[deliveryArgs]) error {
	ctx = withDelivery(ctx, j.Args.GUID)
	n, ok, err := w.placed(ctx, j.Args.Notice)
	if err != nil || !ok {
		return postpone(err)
	}
	wanted, err := w.concerned(ctx, n)
	if err != nil {
		return postpone(err)
	}
	for _, number := range wanted {
		w.pullLogger(ctx, n.Repo, number).Info("wanted", "kind", string(n.Kind))
		if err := w.queue.want(ctx, n, number, j.Args.Received); err != nil {
			return err
		}
	}
	return nil
}

// concerned returns the numbers of the pull requests that a notice concerns, after having done what it asks for.
func (w *worker) concerned(ctx context.Context, n Notice) ([]int, error) {
	switch n.Kind {
	case KindPull:
		return []int{n.Number}, nil
	case KindHead:
		return w.withHead(ctx, n)
	case KindCheck:
		states, err := w.Store.WithHead(ctx, n.Repo.ID, n.Head)
		return waiting(states), err
	case KindBase:
		states, err := w.Store.WithBase(ctx, n.Repo.ID, n.Base)
		return numbers(states), err
	case KindGroup:
		return nil, w.JudgeGroup(ctx, n)
	case KindCommand:
		return w.obey(ctx, n)
	case KindSweep:
		return nil, w.sweep(ctx)
	default:
		return nil, river.JobCancel(fmt.Errorf("a notice of kind %q", n.Kind))
	}
}

// withHead asks GitHub which open pull requests of this repository have a head: the event of a fork names none.
func (w *worker) withHead(ctx context.Context, n Notice) ([]int, error) {
	gh, err := w.Hub.Repo(n.Repo)
	if err != nil {
		return nil, err
	}
	pulls, err := gh.OpenPulls(ctx)
	if absent(err) {
		states, err := w.Store.WithHead(ctx, n.Repo.ID, n.Head)
		return numbers(states), err
	}
	var out []int
	for _, p := range pulls {
		if p.HeadSHA == n.Head {
			out = append(out, p.Number)
		}
	}
	return out, err
}

// waiting picks those that wait for a check, or for GitHub to find the merge clean.
func waiting(states []PullState) []int {
	var out []int
	for _, s := range states {
		for _, r := range s.Progress.Reasons {
			if r.Code == CodeRequiredCheck || r.Code == CodeMergeState || r.Code == CodeMergeUnknown {
				out = append(out, s.Number)
				break
			}
		}
	}
	return out
}

func numbers(states []PullState) []int {
	var out []int
	for _, s := range states {
		out = append(out, s.Number)
	}
	return out
}

// obey does what a person asks for, if that person can write to the repository.
func (w *worker) obey(ctx context.Context, n Notice) ([]int, error) {
	gh, err := w.Hub.Repo(n.Repo)
	if err != nil {
		return nil, err
	}
	can, err := gh.CanWrite(ctx, n.Login)
	if absent(err) { // nobody whom GitHub knows, or a server that does not say
		can, err = n.Owner, nil
	}
	if err != nil {
		return nil, err
	}
	log := w.pullLogger(ctx, n.Repo, n.Number).With("command", string(n.Command))
	if !can {
		log.Info("not obeyed: this person can't write to the repository")
		return nil, nil
	}
	if _, err := w.Store.Want(ctx, n.Repo, n.Number); err != nil { // so that there is a row to write to
		return nil, err
	}
	switch n.Command {
	case HoldCommand:
		err = w.Store.Hold(ctx, n.Repo.ID, n.Number, n.Login)
	case ReleaseCommand:
		err = w.Store.Hold(ctx, n.Repo.ID, n.Number, "")
	case ApprovePublisher:
		err = w.approve(ctx, gh, n)
	}
	if err != nil {
		return nil, err
	}
	log.Info("obeyed")
	return []int{n.Number}, w.Store.Audit(ctx, n.Repo, Event{At: w.now(), Number: n.Number, Event: "command", Detail: n.Login + ": " + string(n.Command)})
}

// approve notes an approval of the head that is there now. Authors can't answer for themselves.
func (w *worker) approve(ctx context.Context, gh GitHub, n Notice) error {
	p, err := gh.Pull(ctx, n.Number)
	if err != nil || p.Author == n.Login {
		return err
	}
	return w.Store.ApprovePublisher(ctx, n.Repo.ID, n.Number, n.Login, p.HeadSHA)
}

// pull looks at a pull request, and notes why nothing came of it where that is so.
func (w *worker) pull(ctx context.Context, j *river.Job[pullArgs]) error {
	ctx = withDelivery(ctx, j.Args.Delivery)
	err := w.pullLeased(ctx, j.Args)
	wait := RetryAfter(err, time.Now())
	switch {
	case wait > 0:
		w.note(ctx, j.Args, "GitHub's rate limit is reached", w.now().Add(wait))
	case gone(err):
		w.giveUp(ctx, j.Args, "it is gone, or out of the App's reach: "+message(err))
	}
	return postpone(err)
}

// pullLeased looks at a pull request, unless somebody else is at it or a look that began later has done so.
func (w *worker) pullLeased(ctx context.Context, a pullArgs) error {
	state, err := w.Store.Pull(ctx, a.Repo.ID, a.Number)
	if err != nil {
		return err
	}
	if state.Done >= a.Wish {
		return nil
	}
	select {
	case w.looks <- struct{}{}:
		defer func() { <-w.looks }()
	case <-ctx.Done():
		return ctx.Err()
	}
	owner := rand.Text()
	if err := w.Store.Lease(ctx, a.Repo.ID, a.Number, owner, w.now(), w.settings.Lease); err != nil {
		return err
	}
	ctx, stop := w.keepLease(ctx, a, owner)
	defer stop()
	if state, err = w.Store.Pull(ctx, a.Repo.ID, a.Number); err != nil || state.Done >= a.Wish { // as nobody else changes it now
		return err
	}
	if a.Cause == KindBase && state.Progress.published() { // it moved because we merged
		return w.Store.Fulfil(ctx, a.Repo.ID, a.Number, owner, a.Wish)
	}
	if p := &state.Progress; a.Rerun && p.CheckText != "" {
		p.CheckText = checkTextAgain
	}
	d, err := w.look(ctx, state, owner, a.Merged)
	if err != nil {
		return err
	}
	if err := w.lookAgain(ctx, a); err != nil {
		return err
	}
	w.Metrics.verdict(time.Since(a.Received))
	if d.Action == Retry {
		return w.queue.want(ctx, Notice{Kind: KindPull, Repo: a.Repo}, a.Number, w.now())
	}
	return nil
}

// staleFor is how long reads are thought to lag behind what a delivery told.
const staleFor = time.Minute

// lookAgain has a pull request looked at once more, a little later, where GitHub gave another head than the one that it had
// told of, and nothing newer has been told: then it read from a copy that lags behind.
func (w *worker) lookAgain(ctx context.Context, a pullArgs) error {
	state, err := w.Store.Pull(ctx, a.Repo.ID, a.Number)
	if err != nil || a.Head == "" || state.Head == a.Head || !state.Open || state.Wanted > a.Wish || time.Since(a.Received) > staleFor {
		return err
	}
	n := Notice{Kind: KindPull, Repo: a.Repo, Head: a.Head}
	return w.queue.wantAt(ctx, n, a.Number, a.Received, w.now().Add(2*w.settings.Wait))
}

// look evaluates, and notes which wishes are fulfilled: those from before it began.
func (w *worker) look(ctx context.Context, state PullState, owner string, merged bool) (Decision, error) {
	wanted := state.Wanted
	evaluate := w.Evaluate
	if merged && state.Progress.published() {
		evaluate = w.endMerged
	}
	d, err := evaluate(ctx, state, owner)
	if err != nil {
		return d, err
	}
	return d, w.Store.Fulfil(ctx, state.ID, state.Number, owner, wanted)
}

// keepLease prolongs the lease until stopped. Where that fails, the work is cut off: somebody else may be at it.
func (w *worker) keepLease(ctx context.Context, a pullArgs, owner string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(w.settings.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if err := w.Store.Lease(ctx, a.Repo.ID, a.Number, owner, w.now(), w.settings.Lease); err != nil && ctx.Err() == nil {
					cancel(err)
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
		if err := w.Store.Release(context.WithoutCancel(ctx), a.Repo.ID, a.Number, owner); err != nil {
			w.pullLogger(ctx, a.Repo, a.Number).Error("a lease could not be given back", "error", err)
		}
	}
}

// postpone makes of an error what the queue does with it: come back when GitHub wants to be asked again, give up on what
// is gone, or try again after a while.
func postpone(err error) error {
	if wait := RetryAfter(err, time.Now()); wait > 0 {
		return river.JobSnooze(wait + jitter(time.Second))
	}
	if errors.Is(err, errLeased) || errors.Is(err, errBaseMoved) {
		return river.JobSnooze(jitter(leaseWait))
	}
	if gone(err) {
		return river.JobCancel(err)
	}
	return err
}

// gone reports whether there is no use in asking again.
func gone(err error) bool {
	return Status(err) == http.StatusNotFound || Status(err) == http.StatusGone
}

// HandleError notes on the pull request that a job failed, and when it is tried again.
func (w *worker) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	w.failed(ctx, job, err.Error())
	return nil
}

// HandlePanic does the same for a panic.
func (w *worker) HandlePanic(ctx context.Context, job *rivertype.JobRow, _ any, trace string) *river.ErrorHandlerResult {
	w.log.Error("panic", "job", job.Kind, "trace", trace)
	w.failed(ctx, job, "an unexpected fault of the bot's own; the log has more")
	return nil
}

func (w *worker) failed(ctx context.Context, job *rivertype.JobRow, reason string) {
	final := job.Attempt >= job.MaxAttempts
	var a pullArgs
	isPull := job.Kind == a.Kind() && decodeJSON(job.EncodedArgs, &a) == nil
	log := w.log
	if isPull {
		ctx = withDelivery(ctx, a.Delivery)
		log = w.pullLogger(ctx, a.Repo, a.Number)
	} else if d := (deliveryArgs{}); job.Kind == d.Kind() && decodeJSON(job.EncodedArgs, &d) == nil {
		log = w.pullLogger(withDelivery(ctx, d.GUID), d.Notice.Repo, d.Notice.Number)
	}
	log.Warn("a job failed", "job", job.Kind, "attempt", job.Attempt, "given_up", final, "error", reason)
	if !isPull {
		return
	}
	if final {
		w.giveUp(ctx, a, reason)
		return
	}
	w.note(ctx, a, reason, w.settings.backOff().NextRetry(job))
}

// note keeps, for the page, why a look came to nothing, and when it is tried again.
func (w *worker) note(ctx context.Context, a pullArgs, reason string, next time.Time) {
	if err := w.Store.Fail(ctx, a.Repo.ID, a.Number, reason, next); err != nil {
		w.pullLogger(ctx, a.Repo, a.Number).Error("a failure could not be noted", "error", err)
	}
}

// giveUp notes that a pull request is not tried again by itself, and says so on its check run where GitHub takes that.
func (w *worker) giveUp(ctx context.Context, a pullArgs, reason string) {
	reason = "given up: " + reason
	w.note(ctx, a, reason, time.Time{})
	e := Event{At: w.now(), Number: a.Number, Event: "failed", Detail: reason}
	if err := w.Store.Audit(ctx, a.Repo, e); err != nil {
		w.pullLogger(ctx, a.Repo, a.Number).Error("the audit trail could not be written", "error", err)
	}
	owner := rand.Text()
	if err := w.Store.Lease(ctx, a.Repo.ID, a.Number, owner, w.now(), w.settings.Lease); err != nil {
		return // somebody looks at it anew
	}
	ctx, stop := w.keepLease(ctx, a, owner)
	defer stop()
	state, err := w.Store.Pull(ctx, a.Repo.ID, a.Number)
	if err == nil {
		err = w.sayGivenUp(ctx, state, owner)
	}
	if err != nil {
		w.pullLogger(ctx, a.Repo, a.Number).Warn("that a pull request is given up could not be said", "error", err)
	}
}
