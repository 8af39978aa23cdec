package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/registry"
)

// errBaseMoved says that the base branch moved while the merge was made: everything starts over.
var errBaseMoved = errors.New("the base branch keeps moving")

// file is a file that a merge publishes.
type file struct {
	path    string
	content []byte
	text    bool // UTF-8 that may be sent as such
}

// merge makes the merge that was decided on, unless a last look at the pull request finds otherwise.
func (e *evaluation) merge(ctx context.Context, d Decision) (Decision, error) {
	e.state.Progress.DeleteBranch = e.facts.Merge.DeleteBranch
	if e.facts.Merge.Strategy == config.StrategyAPI {
		return e.mergeByEndpoint(ctx, d)
	}
	commit, err := e.mergeCommit(ctx)
	if errors.Is(err, errUnsignable) {
		return e.stopped(ctx, unsignable(err))
	}
	if absent(err) {
		return e.stopped(ctx, unwritable(err))
	}
	if err != nil {
		return d, err
	}
	if d, err = e.lastLook(ctx, d); err != nil || d.Action != Merge {
		return d, err
	}
	e.state.Progress.Prepared = commit
	if err := e.saveDurably(ctx); err != nil {
		return d, err
	}
	e.step("update base")
	switch err := e.gh.UpdateBranch(ctx, e.pull.BaseRef, commit); {
	case err == nil:
		return d, e.merged(ctx, commit)
	case !absent(err) && (Status(err) == 0 || Status(err) >= 500 || Status(err) == http.StatusTooManyRequests):
		return d, err
	default:
		return e.refused(ctx, err)
	}
}

// stopped is the decision where a merge that was decided on can't be made. It says what reviewers have against it, too.
func (e *evaluation) stopped(ctx context.Context, p Point) (Decision, error) {
	if err := e.gatherReviews(ctx); err != nil {
		return Decision{}, err
	}
	return Decide(optimistic(e.facts)).With(p), nil
}

// unsignable is the reason where a package can't be signed.
func unsignable(err error) Point {
	return Point{Code: CodeUnsignable, Action: Hold, Sentence: "It passes, but " + err.Error() + ".", Next: "The author signs the package anew, without what is in the way."}
}

// unwritable is the reason where GitHub does not take what a merge is made of.
func unwritable(err error) Point {
	return Point{Code: CodeUnwritable, Action: Hold, Sentence: fmt.Sprintf("GitHub does not let the bot write to this repository: %q.", message(err)),
		Next: "An administrator accepts the App's permissions (Contents: read and write); then somebody comments `/azp recheck`."}
}

// refused finds out why the base could not be updated: because it moved, or because protection does not allow it.
func (e *evaluation) refused(ctx context.Context, cause error) (Decision, error) {
	e.state.Progress.Prepared = ""
	tip, err := e.gh.Branch(ctx, e.pull.BaseRef)
	if err != nil && !absent(err) {
		return Decision{}, err
	}
	if err == nil && tip != e.facts.Judged.BaseTip {
		return Decision{}, errBaseMoved
	}
	e.facts.Refused = message(cause)
	e.audit(ctx, "refused", "GitHub refused the update of the base branch: "+e.facts.Refused)
	return Decide(e.facts), nil
}

// merged notes what was done.
func (e *evaluation) merged(ctx context.Context, commit string) error {
	e.state.Progress.MergeCommit = commit
	for _, c := range e.candidates {
		e.audit(ctx, "published", e.publishedEntry(c, commit))
	}
	e.Metrics.merged()
	e.merges.Add(1)
	e.log.Info("merged", "head", e.pull.HeadSHA, "commit", commit)
	return e.saveDurably(ctx)
}

// lastLook asks for what may have changed since the pull request was judged, right before the one step that can't be taken
// back. By now GitHub has had the time to work out the mergeability.
func (e *evaluation) lastLook(ctx context.Context, d Decision) (Decision, error) {
	e.step("last look")
	pull, err := e.gh.Pull(ctx, e.state.Number)
	if err != nil {
		return Decision{}, err
	}
	before := e.facts.Pull
	e.facts.Pull, e.facts.Unknown = pull, nil
	same := pull.Open && pull.HeadSHA == before.HeadSHA && pull.BaseRef == before.BaseRef
	switch {
	case !same: // which is reason enough
	case !pull.mergeabilityKnown() && before.mergeabilityKnown(): // being worked out again; known a moment ago
		e.facts.Pull.Mergeable, e.facts.Pull.MergeState = before.Mergeable, before.MergeState
	case !pull.mergeabilityKnown() || pull.MergeState == mergeBlocked:
		if err := e.settle(ctx, d); err != nil {
			return Decision{}, err
		}
	}
	if err := e.gatherReviews(ctx); err != nil {
		return Decision{}, err
	}
	stored, err := e.Store.Pull(ctx, e.state.ID, e.state.Number)
	if err != nil {
		return Decision{}, err
	}
	e.state.HeldBy, e.facts.HeldBy = stored.HeldBy, stored.HeldBy
	return Decide(e.facts), nil
}

// mergeCommit makes the commit of strategy countersigned, which nothing points at yet: its parents are the base tip and the
// head, its tree is the base tip's with the submission's own paths and what the merge publishes laid over it.
func (e *evaluation) mergeCommit(ctx context.Context) (string, error) {
	j := e.judgement
	overlay := map[string]NewEntry{}
	for _, p := range j.Changed {
		if f, there := j.Head.Files[p]; there {
			overlay[p] = NewEntry{Path: p, Mode: f.Mode, Blob: f.ID, Size: f.Size}
		} else if b, there := j.Base.Files[p]; there {
			overlay[p] = NewEntry{Path: p, Mode: b.Mode}
		}
	}
	e.step("write objects")
	files, err := e.publishes(ctx)
	if err != nil {
		return "", err
	}
	entries, err := e.upload(ctx, files)
	if err != nil {
		return "", err
	}
	for _, n := range entries {
		overlay[n.Path] = n
	}
	var list []NewEntry
	for _, n := range overlay {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b NewEntry) int { return strings.Compare(a.Path, b.Path) })
	tree, err := e.gh.CreateTree(ctx, j.Base.ID, list)
	if err != nil {
		return "", err
	}
	return e.gh.CreateCommit(ctx, NewCommit{Tree: tree, Message: e.commitMessage(), Parents: []string{j.Comparison.Base.SHA, e.pull.HeadSHA}})
}

// upload writes files as blobs, or as text that goes with the tree.
func (e *evaluation) upload(ctx context.Context, files []file) ([]NewEntry, error) {
	var out []NewEntry
	for _, f := range files {
		n := NewEntry{Path: f.path, Mode: "100644"}
		if f.text {
			text := string(f.content)
			n.Content = &text
		} else {
			id, err := e.gh.CreateBlob(ctx, f.content)
			if err != nil {
				return nil, err
			}
			n.Blob, n.Size = id, int64(len(f.content))
		}
		out = append(out, n)
	}
	return out, nil
}

// publishes answers which files this merge publishes: the signed package, its record, its entry in the index, who the id
// belongs to, and what it is known by. What else a registry is to publish with a merge has its place here.
func (e *evaluation) publishes(ctx context.Context) ([]file, error) {
	folder := e.judgement.Config.Registry.Path
	publishers := e.shelf.publishers
	var out []file
	for _, c := range e.candidates {
		data, err := e.judgement.signed(ctx, c, e.Key, e.KeyID, e.facts.Merge.Unsigned)
		if err != nil {
			return nil, err
		}
		record, err := e.record(ctx, c, data)
		if err != nil {
			return nil, err
		}
		entry, err := e.entry(c, data)
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: e.packagePath(c), content: data},
			file{path.Join(folder, registry.RecordPath(c.ID, c.Version)), record, true},
			file{path.Join(folder, registry.EntryPath(c.ID, c.Version)), entry, true})
		if !e.pinned(c) {
			publishers = publishers.With(c.ID, e.pinOf(c))
		}
	}
	if text := publishers.Text(); string(text) != string(e.shelf.publishers.Text()) {
		out = append(out, file{path.Join(folder, registry.PublishersPath), text, true})
	}
	if e.facts.Merge.Strategy == config.StrategyAPI {
		return out, nil // who looks for near-copies reads the base alone
	}
	return e.withProfiles(ctx, out)
}

// packagePath is where a signed package is published: in place of the author's archive or, where there is none on this
// branch, below the registry's folder.
func (e *evaluation) packagePath(c candidate) string {
	if !c.Source && e.facts.Merge.Strategy != config.StrategyAPI {
		return c.target.Location
	}
	return path.Join(e.judgement.Config.Registry.Path, registry.PackagesPath, c.ID, c.packageName())
}

func (e *evaluation) commitMessage() string {
	var names []string
	for _, c := range e.candidates {
		names = append(names, c.ID+" "+c.Version)
	}
	return fmt.Sprintf("Publish %s\n\nMerge pull request #%d, verified at %s by rules %s and counter-signed with the key\n%s.\n",
		strings.Join(names, ", "), e.state.Number, e.pull.HeadSHA, RulesVersion(), registry.Fingerprint(e.Key.Public()))
}
