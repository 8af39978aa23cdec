package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/registry"
)

// evaluation is one look at a pull request, from the beginning to what became of it.
type evaluation struct {
	*Bot
	gh    GitHub
	state PullState
	owner string // of the lease
	log   *slog.Logger

	pull       Pull
	judgement  *Judgement
	facts      Facts
	candidates []candidate
	shelf      shelf
	canWrite   map[string]bool // by login; asked once
}

// restarts is how often a look starts over because the base moved under it; then the job comes back later.
const restarts = 3

// Evaluate looks at a pull request, does what is to be done and returns the decision. It may be repeated, or interrupted,
// at any time. The caller holds the lease of the owner.
func (b *Bot) Evaluate(ctx context.Context, state PullState, owner string) (Decision, error) {
	e, err := b.evaluation(ctx, state, owner)
	if err != nil {
		return Decision{}, err
	}
	for range restarts {
		d, err := e.run(ctx)
		if !errors.Is(err, errBaseMoved) {
			return d, err
		}
		e.log.Info("the base moved; starting over")
	}
	return Decision{}, errBaseMoved
}

func (b *Bot) evaluation(ctx context.Context, state PullState, owner string) (*evaluation, error) {
	gh, err := b.Hub.Repo(state.Repository)
	if err != nil {
		return nil, err
	}
	return &evaluation{Bot: b, gh: gh, state: state, owner: owner, canWrite: map[string]bool{},
		log: b.pullLogger(ctx, state.Repository, state.Number)}, nil
}

// endMerged ends the work on a pull request that was published, now that GitHub tells that it is merged: there is nothing
// to ask.
func (b *Bot) endMerged(ctx context.Context, state PullState, owner string) (Decision, error) {
	e, err := b.evaluation(ctx, state, owner)
	if err != nil {
		return Decision{}, err
	}
	e.pull = Pull{Number: state.Number, Merged: true, Title: state.Progress.Title, Author: state.Progress.Author, HeadSHA: state.Head, BaseRef: state.Base}
	e.note()
	return e.closed(ctx)
}

func (e *evaluation) run(ctx context.Context) (Decision, error) {
	var err error
	if e.pull, err = e.gh.Pull(ctx, e.state.Number); err != nil {
		return Decision{}, err
	}
	e.note()
	if e.pull.Open { // though it may be merged
		if err := e.recall(ctx); err != nil {
			return Decision{}, err
		}
	}
	if !e.pull.Open || e.state.Progress.MergeCommit != "" { // which a server may be late to see, or never
		return e.closed(ctx)
	}
	if err := e.startCheck(ctx); err != nil {
		return Decision{}, err
	}
	e.step("judge")
	if e.judgement, err = JudgePull(ctx, e.gh, e.pull.BaseRef, e.pull, e.now()); err != nil {
		if hopeless(err) {
			return e.conclude(ctx, e.unreadable(err))
		}
		return Decision{}, err
	}
	if err := e.gather(ctx); err != nil {
		return Decision{}, err
	}
	d := Decide(optimistic(e.facts))
	if d.Action == Merge {
		d, err = e.attempt(ctx, d)
		if err != nil {
			return d, err
		}
	}
	return e.conclude(ctx, d)
}

// optimistic takes mergeability for given unless there is a conflict: before the check run is complete, GitHub may well
// say that the merge is blocked.
func optimistic(f Facts) Facts {
	if f.Pull.Mergeable == nil || f.Pull.MergeState != "dirty" && *f.Pull.Mergeable {
		yes := true
		f.Pull.Mergeable, f.Pull.MergeState = &yes, "clean"
	}
	return f
}

// attempt merges what nothing stands in the way of, unless a last look finds otherwise.
func (e *evaluation) attempt(ctx context.Context, d Decision) (Decision, error) {
	if e.pull.MergeState == mergeBlocked { // which signs nothing that is held in the end
		if err := e.settle(ctx, d); err != nil {
			return d, err
		}
		if d = Decide(e.facts); d.Action != Merge {
			return d, nil
		}
	}
	if e.Key == nil {
		return d.With(Point{Code: CodeSignKey, Action: Hold, Sentence: "The bot has no registry key, so it can counter-sign nothing.",
			Next: "Whoever runs the bot gives it one (AZP_REGISTRY_KEY)."}), nil
	}
	return e.merge(ctx, d)
}

// settleReads is how often mergeability is asked for again.
const settleReads = 4

// settle completes the check run, which may be what a merge waits for, and asks until GitHub knows the mergeability.
func (e *evaluation) settle(ctx context.Context, d Decision) error {
	if err := e.completeCheck(ctx, d); err != nil {
		return err
	}
	wait := e.Wait
	if wait == 0 {
		wait = 500 * time.Millisecond
	}
	for i := range settleReads {
		select {
		case <-time.After(wait << i):
		case <-ctx.Done():
			return ctx.Err()
		}
		pull, err := e.gh.Pull(ctx, e.state.Number)
		if err != nil {
			return err
		}
		e.facts.Pull = pull
		if pull.mergeabilityKnown() && (pull.MergeState != mergeBlocked || i > 0) {
			return nil
		}
	}
	return nil
}

// note takes over what GitHub says of the pull request.
func (e *evaluation) note() {
	p := &e.state.Progress
	if e.state.Head != e.pull.HeadSHA || e.state.Base != e.pull.BaseRef {
		e.state.Head, e.state.Base = e.pull.HeadSHA, e.pull.BaseRef
		p.Verdict, p.Rules = "", ""
		if e.pull.Open { // what was merged was another head
			p.Prepared, p.MergeCommit, p.Told = "", "", false
		}
	}
	e.state.Open = e.pull.Open
	p.Title, p.Author, p.Failure, p.Next = e.pull.Title, e.pull.Author, "", time.Time{}
}

// closed ends what is left to do for a pull request that is closed.
func (e *evaluation) closed(ctx context.Context) (Decision, error) {
	d := Decide(Facts{})
	p := &e.state.Progress
	if e.pull.Merged {
		if err := e.resume(ctx); err != nil {
			return d, err
		}
	}
	if p.MergeCommit != "" && !p.Told {
		if err := e.tell(ctx); err != nil {
			return d, err
		}
	}
	if e.pull.Merged && p.MergeCommit != "" {
		if err := e.cleanUp(ctx); err != nil {
			return d, err
		}
	}
	if p.MergeCommit == "" {
		if err := e.dropCheck(ctx, "The pull request was closed before the bot had finished"); err != nil {
			return d, err
		}
	}
	p.Action, p.Reasons = d.Action.String(), d.Reasons()
	return d, e.save(ctx)
}

// tell says that the pull request was merged, where an interruption kept that unsaid.
func (e *evaluation) tell(ctx context.Context) error {
	d, err := e.looksBack(ctx)
	if err != nil {
		return err
	}
	if err := e.completeCheck(ctx, d); err != nil {
		return err
	}
	if err := e.comment(ctx, d); err != nil {
		return err
	}
	e.state.Progress.Told = true
	return e.save(ctx)
}

// looksBack finds out what spoke for a merge that is made. Where a server does not tell any more, there is nothing to say.
func (e *evaluation) looksBack(ctx context.Context) (d Decision, err error) {
	base := e.state.Progress.MergingBase
	if base == "" {
		made, err := e.gh.Commit(ctx, e.state.Progress.MergeCommit)
		if err != nil || len(made.Parents) == 0 {
			return d, err
		}
		base = made.Parents[0]
	}
	j, err := JudgeCommit(ctx, e.gh, base, e.pull.HeadSHA, e.state.Number, e.now())
	if hopeless(err) || err == nil && j.Changes.None {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	e.judgement = j
	if err := e.gather(ctx); err != nil {
		return d, err
	}
	e.facts.Pull.Open = true
	for _, p := range Decide(optimistic(e.facts)).Points {
		if p.Met {
			d.Points = append(d.Points, p)
		}
	}
	return d, nil
}

// cleanUp deletes the branch of a merged pull request, where the configuration says so. Forks are left alone.
func (e *evaluation) cleanUp(ctx context.Context) error {
	p := &e.state.Progress
	if p.Deleted || e.pull.HeadRepo == "" || e.pull.HeadRepo != e.pull.BaseRepo || !p.DeleteBranch {
		return nil
	}
	tip, err := e.gh.Branch(ctx, e.pull.HeadRef)
	if err == nil && tip == e.pull.HeadSHA {
		e.step("delete branch")
		err = e.gh.DeleteBranch(ctx, e.pull.HeadRef)
	}
	if err != nil && Status(err) == 0 {
		return err
	}
	p.Deleted = true
	return nil
}

// unreadable is the decision where GitHub does not give what has to be read.
func (e *evaluation) unreadable(err error) Decision {
	e.log.Warn("the pull request can't be read", "error", err)
	var d Decision
	return d.With(Point{Code: CodeUnknown, Action: Hold, Sentence: fmt.Sprintf("GitHub does not let the bot read the pull request: %q.", message(err)),
		Next: "An administrator looks at the App's permissions; then somebody comments `/azp recheck`."})
}

// save stores how far it came.
func (e *evaluation) save(ctx context.Context) error {
	return e.Store.Save(ctx, e.state, e.owner, e.now())
}

// saveDurably stores how far a merge came.
func (e *evaluation) saveDurably(ctx context.Context) error {
	return e.Store.SaveDurably(ctx, e.state, e.owner, e.now())
}

// gather turns what was judged, and what else GitHub knows, into facts.
func (e *evaluation) gather(ctx context.Context) error {
	j := e.judgement
	e.facts = Facts{
		Merge: j.Config.Merge, ConfigFaults: j.Faulty, Pull: e.pull, HeldBy: e.state.HeldBy, OwnApp: e.AppID, Changes: j.Changes,
		Judged: Judged{Head: e.pull.HeadSHA, BaseRef: e.pull.BaseRef, BaseTip: j.Comparison.Base.SHA, Rules: RulesVersion(), Errors: j.errorsOf()},
	}
	if j.Changes.None {
		return nil
	}
	if err := e.gatherPackages(ctx); err != nil {
		return err
	}
	if err := e.gatherChecks(ctx); err != nil {
		return err
	}
	if err := e.gatherHistory(ctx); err != nil {
		return err
	}
	if e.asksLast() {
		return nil
	}
	return e.gatherReviews(ctx)
}

// asksLast reports whether it is early enough to ask for reviews right before the merge, which is done in any case: where none
// is needed, and nothing else stands in the way.
func (e *evaluation) asksLast() bool {
	for _, c := range e.candidates {
		if !e.pinned(c) { // a review may be what admits the publisher
			return false
		}
	}
	return e.Key != nil && e.pull.MergeState != mergeBlocked && Decide(optimistic(e.facts)).Action == Merge
}

// pinned reports whether publishers.json names this publisher.
func (e *evaluation) pinned(c candidate) bool {
	pin, owned := e.shelf.publishers.Of(c.ID)
	owner := c.owner(e.pull)
	return owned && pin.Owner.PublicKey == owner.PublicKey && pin.Owner.GitHubID == owner.GitHubID
}

func (e *evaluation) gatherChecks(ctx context.Context) error {
	if len(e.facts.Merge.RequiredChecks) == 0 {
		return nil
	}
	results, err := e.gh.CheckResults(ctx, e.pull.HeadSHA)
	e.facts.Checks = results
	return e.learn(err, "The results of required checks could not be read")
}

func (e *evaluation) gatherHistory(ctx context.Context) error {
	secrets, err := e.judgement.History(ctx)
	if errors.Is(err, errLongHistory) {
		e.facts.Unknown = append(e.facts.Unknown, err.Error())
		return nil
	}
	e.facts.HistorySecrets = secrets
	return e.learn(err, "Earlier commits could not be read")
}

// learn makes an unknown of an error that will not go away by itself, and returns any other.
func (e *evaluation) learn(err error, what string) error {
	if err == nil || !absent(err) {
		return err
	}
	e.facts.Unknown = append(e.facts.Unknown, fmt.Sprintf("%s: %q.", what, message(err)))
	return nil
}

func (e *evaluation) gatherPackages(ctx context.Context) error {
	var err error
	tree := e.judgement.Base
	if e.facts.Merge.Strategy == config.StrategyAPI {
		if tree, _, err = branchTree(ctx, e.gh, config.RegistryBranch); err != nil {
			return err
		}
	}
	if e.shelf, err = readShelf(ctx, e.gh, tree, e.judgement.Config.Registry.Path); err == nil {
		e.candidates, err = e.judgement.candidates(ctx, e.shelf, e.pull)
	}
	if errors.Is(err, errShelf) || unfit(err) {
		e.facts.Unknown = append(e.facts.Unknown, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for i := range e.candidates {
		c := &e.candidates[i]
		if e.state.ApprovedHead == e.pull.HeadSHA {
			c.ChangeApprovedBy = e.state.Approver
		}
		e.facts.Packages = append(e.facts.Packages, c.PackageFacts)
	}
	return nil
}

// gatherReviews asks for reviews, and for the permission of those whose word could matter.
func (e *evaluation) gatherReviews(ctx context.Context) error {
	reviews, err := e.gh.Reviews(ctx, e.state.Number)
	if err := e.learn(err, "The reviews could not be read"); err != nil {
		return err
	}
	for i, r := range reviews {
		if r.State == "DISMISSED" || r.State == "APPROVED" && (r.CommitID != e.pull.HeadSHA || r.Login == e.pull.Author) {
			continue
		}
		can, known := e.canWrite[r.Login]
		if !known {
			can, err = e.gh.CanWrite(ctx, r.Login)
			switch {
			case err != nil && !absent(err):
				return err
			case err != nil && !r.OwnsRepo:
				reviews[i].Unlearnt = true
				continue
			}
			can = can || err != nil
			e.canWrite[r.Login] = can
		}
		reviews[i].CanWrite = can
	}
	e.facts.Reviews = reviews
	return nil
}

// conclude says what was decided, and stores it.
func (e *evaluation) conclude(ctx context.Context, d Decision) (Decision, error) {
	p := &e.state.Progress
	verdict := e.conclusion()
	if p.Action != d.Action.String() || p.Verdict != verdict {
		e.audit(ctx, "decided", e.decidedEntry(d, verdict))
		e.Metrics.decided(d)
	}
	p.Action, p.Reasons, p.Verdict, p.Rules = d.Action.String(), d.Reasons(), verdict, RulesVersion()
	if err := e.completeCheck(ctx, d); err != nil {
		return d, err
	}
	if err := e.suggest(ctx); err != nil {
		return d, err
	}
	if err := e.tellArchives(ctx); err != nil {
		return d, err
	}
	if err := e.comment(ctx, d); err != nil {
		return d, err
	}
	p.Told = p.MergeCommit != ""
	e.log.Info("decided", "action", d.Action.String(), "head", e.pull.HeadSHA, "verdict", verdict)
	return d, e.save(ctx)
}

func (e *evaluation) conclusion() string {
	if e.judgement == nil && e.state.Progress.MergeCommit == "" || e.judgement != nil && e.judgement.errorsOf() > 0 {
		return checkrun.Failure
	}
	return checkrun.Success
}

func (e *evaluation) audit(ctx context.Context, event, detail string) {
	err := e.Store.Audit(ctx, e.state.Repository, Event{At: e.now(), Number: e.state.Number, Head: e.pull.HeadSHA, Event: event, Detail: detail})
	if err != nil {
		e.log.Error("the audit trail could not be written", "error", err)
	}
}

// pinOf is what publishers.json says about a package from now on.
func (e *evaluation) pinOf(c candidate) registry.Pin {
	pin := registry.Pin{Owner: c.owner(e.pull), PullRequest: e.state.Number, ApprovedBy: c.ChangeApprovedBy}
	if d := (decider{f: e.facts}); pin.ApprovedBy == "" {
		if by := d.approvals(); len(by) > 0 {
			pin.ApprovedBy = by[0]
		}
	}
	return pin
}
