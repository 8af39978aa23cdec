package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/build"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/internal/rolecheck"
	"github.com/azphalt/submissions/internal/updates"
)

// Judgement is what verification found out about a head commit against a base.
type Judgement struct {
	Report     finding.Report
	Config     *config.Config
	Faulty     int // faults in the base's configuration
	Comparison Comparison
	Changes    Changes
	Selection  check.Selection
	Changed    []string // all paths that differ from the merge base
	Roles      string   // Markdown about roles, beside the report
	Updates    string   // Markdown: what changed in the packages that have an earlier version

	Base, MergeBase, Head *Tree

	checker   *check.Checker
	published *published.Shelf
	source    Reader
	head      string
	account   int64 // of the pull request's author; 0 where there is none
	files     *treeFS
}

// RulesVersion names the rules by which this program judges: its own version, and a digest of its catalogue.
var RulesVersion = sync.OnceValue(func() string {
	text, err := json.Marshal(check.Rules())
	if err != nil {
		panic(err) // rules are plain text
	}
	sum := sha256.Sum256(text)
	return build.Version() + "+" + hex.EncodeToString(sum[:6])
})

// maxConfig bounds the configuration; the parser's own limit is below it.
const maxConfig = 2 << 20

// JudgeCommit judges what a head commit changes, compared with where it parted from a base, a branch or commit. The
// configuration is the base's, so that no pull request weakens its own judge. The number is that of the pull request, 0 for a
// commit of the merge queue. The error means that we could not look.
func JudgeCommit(ctx context.Context, source Reader, base, head string, number int, now time.Time) (*Judgement, error) {
	return judgeHead(ctx, &Judgement{source: source, head: head}, base, number, now)
}

// JudgePull judges the head of a pull request against a base, as JudgeCommit does, and whose account it comes from.
func JudgePull(ctx context.Context, source Reader, base string, p Pull, now time.Time) (*Judgement, error) {
	return judgeHead(ctx, &Judgement{source: source, head: p.HeadSHA, account: p.AuthorID}, base, p.Number, now)
}

func judgeHead(ctx context.Context, j *Judgement, base string, number int, now time.Time) (*Judgement, error) {
	if err := j.readTrees(ctx, base, number); err != nil {
		return nil, err
	}
	if err := j.readConfig(ctx); err != nil {
		return nil, err
	}
	j.published = published.New(newTreeFS(ctx, j.source, j.Base, "."), j.Config.Submissions, j.Config.Registry.Path, azp.Limits{})
	j.checker = check.New(check.Options{Config: j.Config, Published: j.published, Account: j.account})
	j.Changed = Diff(j.MergeBase, j.Head)
	j.files = newTreeFS(ctx, j.source, j.Head, j.Config.Submissions)
	if err := j.judge(ctx, now); err != nil {
		return nil, err
	}
	j.Changes = j.changes()
	return j, nil
}

func (j *Judgement) readTrees(ctx context.Context, base string, number int) (err error) {
	if j.Comparison, err = j.source.Compare(ctx, base, j.head, number); err != nil {
		return err
	}
	head, err := j.headTree(ctx)
	if err != nil {
		return err
	}
	if j.Head, err = j.source.Tree(ctx, head); err != nil {
		return err
	}
	if j.MergeBase, err = j.source.TreeWithout(ctx, j.Comparison.MergeBase.Tree, j.Head, j.Comparison.Added); err != nil {
		return err
	}
	if j.Base = j.MergeBase; j.Comparison.Base.Tree != j.MergeBase.ID {
		j.Base, err = j.source.Tree(ctx, j.Comparison.Base.Tree)
	}
	return err
}

// headTree returns the id of the head's tree, which the comparison names unless there are too many commits.
func (j *Judgement) headTree(ctx context.Context) (string, error) {
	c := j.Comparison
	if c.MergeBase.SHA == j.head {
		return c.MergeBase.Tree, nil
	}
	for _, k := range c.Commits {
		if k.SHA == j.head {
			return k.Tree, nil
		}
	}
	self, err := j.source.Commit(ctx, j.head)
	return self.Tree, err
}

func (j *Judgement) readConfig(ctx context.Context) error {
	j.Config = config.Default()
	text, ok, err := readAll(ctx, j.source, j.Base, config.Path, maxConfig)
	if err != nil {
		return err
	}
	if _, there := j.Base.Files[config.Path]; there && !ok {
		return fmt.Errorf("%w: %s on the base branch is not a readable file", errUnfit, config.Path)
	}
	if ok {
		cfg, faults := config.Parse(config.Path, text, check.Rules())
		j.Config, j.Faulty, j.Report.General = cfg, len(faults), faults
	}
	if e, there := j.Head.Files[config.Path]; !there || e == j.MergeBase.Files[config.Path] {
		return nil
	}
	// The pull request changes the configuration, which does not count. It may be what mends the base's, so the faults that are
	// shown are its own.
	text, ok, err = readAll(ctx, j.source, j.Head, config.Path, maxConfig)
	if err != nil || !ok {
		return err
	}
	_, j.Report.General = config.Parse(config.Path, text, check.Rules())
	return nil
}

// maxUpdates bounds what is said of updates, in bytes: the findings of a check run need the room.
const maxUpdates = 20 << 10

// maxCompared bounds the published packages that are read to compare those of a pull request with them for near-copies, all
// together: each is a request, of which a verdict has few.
const maxCompared = 1

// compared is maxCompared for each target, and 0 where the registry has a branch of its own, which is read as well.
func (j *Judgement) compared() int {
	if j.Config.Merge.Strategy == config.StrategyAPI {
		return 0
	}
	return maxCompared / max(1, len(j.Selection.Targets))
}

func (j *Judgement) judge(ctx context.Context, now time.Time) (err error) {
	j.Report.Tool = finding.Tool{Name: "azp", Version: build.Version()}
	if j.Selection, err = j.checker.Select(j.files, j.Config.Submissions, j.Changed); err != nil {
		return err
	}
	j.published.CompareWithAtMost(j.compared())
	if j.Report.Packages, err = j.checker.JudgeAll(ctx, j.files, j.Selection, nil); err != nil {
		return err
	}
	if j.Updates, err = updates.Markdown(ctx, j.published, j.files, j.Selection.Targets, maxUpdates); err != nil {
		return err
	}
	if err := j.judgeRoles(ctx); err != nil {
		return err
	}
	j.Config.ApplyWaivers(&j.Report, now, nil)
	j.Report.Sort()
	return nil
}

// judgeRoles judges the service blocks of roles, where the change touches them.
func (j *Judgement) judgeRoles(ctx context.Context) error {
	change := rolecheck.Change{Root: ".", Changed: j.Changed}
	if len(j.Changed) == 0 || !change.Touches() {
		return nil
	}
	change.Tree, change.Base = newTreeFS(ctx, j.source, j.Head, "."), newTreeFS(ctx, j.source, j.Base, ".")
	if has, err := rolecheck.Has(change.Tree, change.Root); !has || err != nil {
		return err
	}
	found, err := rolecheck.Judge(j.checker, change)
	j.Report.Roles, j.Roles = found.Roles, found.Markdown
	j.Report.General = append(j.Report.General, found.General...)
	return err
}

// nothing reports whether there was nothing to judge.
func (j *Judgement) nothing() bool {
	return j.Changes.None && len(j.Report.Roles) == 0 && len(j.Report.General) == 0
}

// changes sorts the changed paths into those of submissions and others. A submission that only lost files is not one that
// is submitted: its paths belong to somebody else.
func (j *Judgement) changes() Changes {
	var c Changes
	below := map[string][]string{} // by folder
	for _, p := range j.Changed {
		folder := j.folderOf(p)
		if folder == "" {
			c.Outside = append(c.Outside, p)
			continue
		}
		below[folder] = append(below[folder], p)
		if f, there := j.Head.Files[p]; there && !f.isFile() {
			c.Links = append(c.Links, p)
		}
	}
	for folder, paths := range below {
		if slices.ContainsFunc(paths, func(p string) bool { _, there := j.Head.Files[p]; return there }) {
			c.Folders = append(c.Folders, folder)
		}
	}
	for folder, paths := range below {
		if slices.Contains(c.Folders, folder) {
			continue
		}
		if len(c.Folders) > 0 {
			c.Outside = append(c.Outside, paths...)
		} else {
			c.Removed = append(c.Removed, folder)
		}
	}
	for _, p := range j.Changed {
		if b := j.Base.Files[p]; b != j.MergeBase.Files[p] && b != j.Head.Files[p] {
			c.Conflicts = append(c.Conflicts, p)
		}
	}
	c.Conflicts = append(c.Conflicts, j.clashes()...)
	c.None = len(below) == 0
	for _, list := range [][]string{c.Outside, c.Links, c.Folders, c.Removed, c.Conflicts} {
		slices.Sort(list)
	}
	return c
}

// clashes returns the paths that would be a file on one side of the merge and a folder on the other.
func (j *Judgement) clashes() []string {
	ours := present(j.Changed, j.Head)
	theirs := present(Diff(j.MergeBase, j.Base), j.Base)
	var out []string
	for p := range ours {
		if hasAncestor(p, theirs) {
			out = append(out, p)
		}
	}
	for p := range theirs {
		if hasAncestor(p, ours) {
			out = append(out, p)
		}
	}
	return out
}

// present returns those of the paths that a tree has.
func present(paths []string, t *Tree) map[string]bool {
	out := map[string]bool{}
	for _, p := range paths {
		if _, there := t.Files[p]; there {
			out[p] = true
		}
	}
	return out
}

func hasAncestor(p string, among map[string]bool) bool {
	for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
		if among[p[:i]] {
			return true
		}
	}
	return false
}

// folderOf returns the submission that a path belongs to: its folder below the submissions folder or, of an archive that
// lies loose, itself. It is "" for all others.
func (j *Judgement) folderOf(p string) string {
	rest, ok := strings.CutPrefix(p, j.Config.Submissions+"/")
	if !ok {
		return ""
	}
	name, _, inFolder := strings.Cut(rest, "/")
	if !inFolder && !strings.HasSuffix(strings.ToLower(name), ".azp") {
		return ""
	}
	return j.Config.Submissions + "/" + name
}

// errorsOf counts the findings that are errors.
func (j *Judgement) errorsOf() int { return j.Report.Summary().Errors }

// digest is the digest of the JSON report.
func (j *Judgement) digest() string {
	text, err := json.Marshal(j.Report)
	if err != nil {
		panic(err) // a report is plain data
	}
	sum := sha256.Sum256(text)
	return "sha256-" + hex.EncodeToString(sum[:])
}

// maxHistory is how many earlier commits are looked through for secrets.
const maxHistory = 50

// errLongHistory says that there are more.
var errLongHistory = fmt.Errorf("it has more than %d commits, too many to look through for secrets: squash them", maxHistory)

// History looks for secrets in the commits before the head: what was ever pushed stays readable.
func (j *Judgement) History(ctx context.Context) ([]HistorySecret, error) {
	commits := j.Comparison.Commits
	if !j.Comparison.Complete || len(commits) > maxHistory {
		return nil, errLongHistory
	}
	var found []HistorySecret
	seen := map[Entry]bool{}
	for _, k := range commits {
		if k.SHA == j.head || k.Tree == j.Head.ID {
			continue
		}
		t, err := j.source.Tree(ctx, k.Tree)
		if err != nil {
			return nil, err
		}
		secrets, err := j.secretsIn(ctx, t, k.SHA, seen)
		if err != nil {
			return nil, err
		}
		found = append(found, secrets...)
	}
	return found, nil
}

// secretsIn judges those packages of an earlier tree that differ from the head's, and were not seen yet.
func (j *Judgement) secretsIn(ctx context.Context, t *Tree, commit string, seen map[Entry]bool) ([]HistorySecret, error) {
	var changed []string
	for _, p := range Diff(j.MergeBase, t) {
		e, there := t.Files[p]
		if there && e != j.Head.Files[p] && !seen[e] && j.folderOf(p) != "" {
			changed = append(changed, p)
			seen[e] = true
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	files := newTreeFS(ctx, j.source, t, j.Config.Submissions)
	selection, err := j.checker.Select(files, j.Config.Submissions, changed)
	if err != nil {
		return nil, err
	}
	selection.Missing = nil
	packages, err := j.checker.JudgeAll(ctx, files, selection, nil)
	if err != nil {
		return nil, err
	}
	var found []HistorySecret
	for _, p := range packages {
		for _, f := range p.Findings {
			if f.Severity == finding.Error && tellsSecret(f.Rule) && !slices.Contains(found, HistorySecret{commit, f.File}) {
				found = append(found, HistorySecret{commit, f.File})
			}
		}
	}
	return found, nil
}

// tellsSecret reports whether a rule is about a secret.
func tellsSecret(rule string) bool {
	group, name, _ := strings.Cut(rule, "/")
	return group == "secret" || strings.Contains(name, "secret")
}
