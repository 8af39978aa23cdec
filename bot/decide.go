package bot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/config"
)

// Decide decides what becomes of a pull request. It is pure: the same facts give the same decision. It says everything
// that stands in the way, not the first thing alone, and merges only where each condition is known to be met.
func Decide(f Facts) Decision {
	d := &decider{f: f}
	switch {
	case !f.Pull.Open:
		d.not(CodeClosed, Ignore, "The pull request is closed.", "Nothing; reopen it to have it looked at again.")
		return d.Decision
	case f.Changes.None && f.Judged.Head != "":
		d.not(CodeNoSubmission, Ignore, "The pull request touches no submission.", "Nothing: it is merged, or not, as if the bot were not there.")
		return d.Decision
	}
	d.settings()
	d.verified()
	d.wishes()
	d.paths()
	d.packages()
	d.reviews()
	d.checks()
	d.history()
	d.mergeability()
	for _, u := range f.Unknown {
		d.not(CodeUnknown, Hold, u, "Nothing is merged while this is not known; comment `/azp recheck` once it should be.")
	}
	return d.Decision
}

// decider gathers the points of a decision.
type decider struct {
	Decision
	f Facts
}

func (d *decider) ok(code Code, sentence string) {
	d.Points = append(d.Points, Point{Code: code, Met: true, Sentence: sentence})
}

func (d *decider) not(code Code, a Action, sentence, next string) {
	d.Decision = d.With(Point{Code: code, Action: a, Sentence: sentence, Next: next})
}

// settings judges what the base branch has decided.
func (d *decider) settings() {
	switch m := d.f.Merge; {
	case d.f.ConfigFaults > 0:
		d.not(CodeConfig, Hold, fmt.Sprintf("The configuration %s on the base branch has %s, so none of it counts.", config.Path, count(d.f.ConfigFaults, "fault")),
			"A maintainer mends the file on the base branch.")
	case !m.Enabled:
		d.not(CodeDisabled, Hold, "This repository does not let the bot merge.", "A maintainer merges by hand, or sets `merge.enabled` in "+config.Path+" on the base branch.")
	case m.Strategy != config.StrategyCountersigned && m.Strategy != config.StrategyAPI:
		d.not(CodeConfig, Hold, "The merge strategy of the configuration is not known.", "A maintainer mends the file on the base branch.")
	}
}

// verified judges whether what was verified is what would be merged.
func (d *decider) verified() {
	j, p := d.f.Judged, d.f.Pull
	switch {
	case j.Head == "":
		d.not(CodeNotJudged, Retry, "The bot has not verified this commit yet.", "The bot does so by itself.")
	case j.Head != p.HeadSHA:
		d.not(CodeHeadMoved, Retry, "Commits were pushed after the bot had verified the pull request.", "The bot verifies the new head from scratch.")
	case j.BaseRef != p.BaseRef:
		d.not(CodeRetargeted, Retry, "The pull request was given another base branch after the bot had verified it.", "The bot verifies it against the new base from scratch.")
	case j.Errors > 0:
		d.not(CodeErrors, NoMerge, fmt.Sprintf("Verification found %s.", count(j.Errors, "error")), "The author mends them and pushes; each is shown with its place and a mend.")
	default:
		d.ok(CodeErrors, "Every package passes verification.")
	}
}

// wishes judges what people asked for.
func (d *decider) wishes() {
	p, label := d.f.Pull, d.f.Merge.HoldLabel
	if p.Draft {
		d.not(CodeDraft, NoMerge, "The pull request is a draft.", "The author marks it as ready for review.")
	}
	if label != "" && slices.ContainsFunc(p.Labels, func(l string) bool { return strings.EqualFold(l, label) }) {
		d.not(CodeHoldLabel, Hold, fmt.Sprintf("It carries the label %q.", label), "Someone takes the label off.")
	}
	if d.f.HeldBy != "" {
		d.not(CodeHeld, Hold, fmt.Sprintf("%q holds it.", d.f.HeldBy), "Someone who can write to this repository comments `/azp release`.")
	}
}

// paths judges what is touched.
func (d *decider) paths() {
	c := d.f.Changes
	if len(c.Outside) > 0 {
		d.not(CodeOutside, Hold, "It changes files outside of the submission's own folder: "+quoted(c.Outside)+".",
			"The author takes them out, or a maintainer reviews and merges by hand.")
	} else {
		d.ok(CodeOutside, "It touches nothing but the submission's own folder.")
	}
	if len(c.Links) > 0 {
		d.not(CodeLinks, Hold, "It holds links or submodules, which can lead out of the submission's own folder: "+quoted(c.Links)+".",
			"The author puts files in their place.")
	}
	if len(c.Removed) > 0 {
		d.not(CodeRemoved, Hold, "It removes what is published: "+quoted(c.Removed)+".", "A maintainer decides, and merges by hand.")
	}
	if len(c.Folders) > 1 {
		d.not(CodeSeveral, Hold, "It holds several submissions: "+quoted(c.Folders)+".", "The author opens a pull request for each, or a maintainer merges by hand.")
	}
	if len(c.Conflicts) > 0 {
		d.not(CodeConflict, Hold, "The base branch has changed the same files since: "+quoted(c.Conflicts)+".", "The author brings the branch up to date with its base.")
	}
}

// history judges the commits before the head.
func (d *decider) history() {
	for _, s := range d.f.HistorySecrets {
		d.not(CodeHistorySecret, Hold, fmt.Sprintf("Commit %s holds a secret in %q that the head does not have any more. It stays readable to everyone, also after a squash.", short(s.Commit), s.Path),
			"The author revokes the secret where it was issued; then a maintainer merges by hand, or the author opens a new pull request from a clean branch.")
	}
}

// allowedStates are the values of mergeable_state with which a pull request may be merged.
var allowedStates = []string{"clean", "unstable", "has_hooks"}

// mergeability judges what GitHub says of the merge.
func (d *decider) mergeability() {
	p := d.f.Pull
	if d.f.Refused != "" {
		d.not(CodeProtection, Hold, fmt.Sprintf("GitHub refused the update of the base branch: %q.", d.f.Refused),
			"An administrator lets the App bypass the protection of the base branch (in its settings: Rules, or Branches and who can push), or merges by hand; then comments `/azp recheck`.")
	}
	switch {
	case p.Mergeable == nil && d.Action != Merge: // something else stands in the way; this may yet be worked out
	case p.Mergeable == nil:
		d.not(CodeMergeUnknown, Hold, "GitHub has not said whether the pull request can be merged.", "The bot asks again with its next look at the pull request; `/azp recheck` asks at once.")
	case !*p.Mergeable || p.MergeState == "dirty":
		if !d.Has(CodeConflict) {
			d.not(CodeConflict, Hold, "The pull request conflicts with its base branch.", "The author brings the branch up to date with its base.")
		}
	case p.MergeState == "behind":
		d.not(CodeMergeState, Hold, "The base branch requires branches to be up to date, and this one is behind.", "The author updates the branch.")
	case p.MergeState == mergeBlocked:
		d.not(CodeMergeState, Hold, "The protection of the base branch blocks the merge: a required review or check is missing.", "Whoever is asked for gives it; the pull request's page says what is missing.")
	case p.MergeState == "draft" && p.Draft: // said above
	case p.MergeState != "" && !slices.Contains(allowedStates, p.MergeState): // a server may leave it out
		d.not(CodeMergeState, Hold, fmt.Sprintf("GitHub describes the merge as %q, which the bot does not know.", p.MergeState), "A maintainer looks at the pull request and merges by hand.")
	default:
		d.ok(CodeConflict, "It can be merged without a conflict.")
	}
}

// count writes a number and its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxQuoted is how many paths a sentence names.
const maxQuoted = 10

// quoted lists names so that [annotate.Prose] sets each as code.
func quoted(names []string) string {
	var list []string
	for _, n := range names[:min(len(names), maxQuoted)] {
		list = append(list, fmt.Sprintf("%q", n))
	}
	if more := len(names) - maxQuoted; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// short is the beginning of a commit's id, for people.
func short(sha string) string { return sha[:min(len(sha), 12)] }
