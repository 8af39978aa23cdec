package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// eventually waits for what takes its time, such as a wait that GitHub asked for.
func (w *world) eventually(what string, so func() bool) {
	w.t.Helper()
	for range 3000 {
		if so() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.t.Fatalf("never: %s\n%s", what, w.log.String())
}

func TestMergeGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	good := p.EnterMergeQueue("maintainer")
	w.settle()
	if run := w.check(good); run.Conclusion != "success" || run.Status != "completed" {
		t.Errorf("%s %s", run.Status, run.Conclusion)
	}
	w.repo.Commit("bad", githubsim.Change{Files: githubsim.Files{source + "manifest.json": "{}\n"}})
	bad := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "bad", Author: "contributor"})
	w.settle()
	queued := bad.EnterMergeQueue("maintainer")
	w.settle()
	run := w.check(queued)
	if run.Conclusion != "failure" || len(run.Annotations) == 0 {
		t.Errorf("%s, %d annotations", run.Conclusion, len(run.Annotations))
	}
	for _, d := range w.Deliveries() {
		if d.Event == "merge_group" {
			w.Redeliver(d.ID)
			w.Send(w.app, d.Event, "00000000-0000-4000-8000-0000"+queued[:8], d.Payload)
		}
	}
	w.settle()
	if again := w.check(queued); len(again.Annotations) != len(run.Annotations) {
		t.Errorf("%d annotations, then %d", len(run.Annotations), len(again.Annotations))
	}
}

// TestMergeGroupWithoutComparisons judges a commit of the queue on a server that does not compare.
func TestMergeGroupWithoutComparisons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/compare/{basehead}", Effect: githubsim.Fail(http.StatusNotImplemented)})
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	queued := p.EnterMergeQueue("maintainer")
	w.settle()
	if run := w.check(queued); run.Conclusion != "success" || !strings.Contains(run.Title, "1 package") {
		t.Errorf("%s %s", run.Conclusion, run.Title)
	}
}

// TestASweepFindsWhatNoWebhookTold loses a command and a pull request while the bot is away.
func TestASweepFindsWhatNoWebhookTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.stop()
	p.Comment("maintainer", string(bot.HoldCommand))
	q := w.submit("com.example.other", "1.0.0", nil)
	w.WaitDelivered(time.Minute)
	w.start()
	w.eventually("the command is delivered again", func() bool { return w.state(p).HeldBy == "maintainer" })
	w.decided(q, bot.Hold, bot.CodeNewPublisher)
	if n := w.CountCalls("POST", "/app/hook/deliveries/{delivery_id}/attempts"); n == 0 {
		t.Error("no delivery was asked for again")
	}
}

func TestATruncatedTreeIsWalked(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{TreeLimit: 4})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"docs/a/b/c.md": "c\n", "docs/a/d.md": "d\n", "docs/e.md": "e\n"}})
	w.start()
	before := w.repo.Ref("main")
	p := w.submit(id, "1.0.0", nil)
	p.Review("maintainer", githubsim.Approved, "", "")
	w.merged(p)
	w.proveMerge(p, before)
}

// TestManyFiles has more than GitHub lists of a pull request: 300 in a comparison, 3,000 in all.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  unsigned: sign\n")
	files := githubsim.Files{source + "manifest.json": manifest(id, "1.0.0"), source + "LICENSE": "MIT\n"}
	for n := range 310 {
		files[fmt.Sprintf("%sdata/%03d.txt", source, n)] = fmt.Sprintf("%d\n", n)
	}
	w.repo.Commit("many", githubsim.Change{Files: files})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "many", Author: "contributor"})
	p.Review("maintainer", githubsim.Approved, "", "")
	w.merged(p)
	outside := githubsim.Files{packagePath("com.example.other", "1.0.0"): string(w.pack("com.example.other", "1.0.0", w.author))}
	for n := range 3100 {
		outside[fmt.Sprintf("zz/%04d", n)] = "x\n"
	}
	w.repo.Commit("too-many", githubsim.Change{Files: outside})
	q := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "too-many", Author: "contributor"})
	q.Review("maintainer", githubsim.Approved, "", "")
	s := w.decided(q, bot.Hold, bot.CodeOutside)
	w.names(s, bot.CodeOutside, "zz/0000", "and 3090 more")
}

func TestADeletedFork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	fork := w.Fork(w.repo, "contrib")
	fork.Commit("add", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}})
	p := w.repo.OpenPR(githubsim.PROptions{Head: fork, HeadBranch: "add", Author: "contrib"})
	w.decided(p, bot.Hold, bot.CodeNewPublisher)
	before := w.repo.Ref("main")
	w.DeleteRepo(fork)
	w.settle()
	if !p.State().Open { // GitHub closes it
		return
	}
	p.Review("maintainer", githubsim.Approved, "", "") // its objects stay in the base's repository
	w.merged(p)
	w.proveMerge(p, before)
}

// TestStaleReadsAfterAPush lets GitHub answer with the head from before a push that it has told of already.
func TestStaleReadsAfterAPush(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{})
	w.settings.Wait = 20 * time.Millisecond
	w.start()
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	remove := w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/pulls/{pull_number}", Times: 2, Effect: githubsim.StaleRead()})
	defer remove()
	pushed := p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/NOTES.md": "notes\n"}})
	w.eventually("the new head is verified", func() bool {
		for _, c := range w.repo.CheckRuns(pushed) {
			if c.App == w.app.ID && c.Status == "completed" {
				return true
			}
		}
		return false
	})
}

func TestRateLimits(t *testing.T) {
	soon := http.Header{"Retry-After": {"1"}}
	for name, effect := range map[string]githubsim.Effect{
		"primary 403":              githubsim.PrimaryLimit(403, 2*time.Second),
		"primary 429":              githubsim.PrimaryLimit(429, 2*time.Second),
		"secondary 403":            githubsim.SecondaryLimit(403, time.Second),
		"secondary 429":            githubsim.SecondaryLimit(429, time.Second),
		"429 with a time":          githubsim.FailHeader(429, soon),
		"429 without anything":     githubsim.Fail(429),
		"503 with a time":          githubsim.FailHeader(503, soon),
		"secondary without a time": githubsim.SecondaryLimit(403, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, enabled)
			w.ResetCalls()
			w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/compare/{basehead}", Times: 1, Effect: effect})
			p := w.submit(id, "1.0.0", nil)
			if name == "secondary without a time" { // then a minute at least is waited, and the page says so
				w.eventually("it waits", func() bool {
					w.settle()
					return strings.Contains(w.state(p).Progress.Failure, "rate limit")
				})
				if next := w.state(p).Progress.Next; time.Until(next) < 30*time.Second {
					t.Errorf("it is tried again at %v", next)
				}
				return
			}
			w.eventually("it is decided", func() bool {
				w.settle()
				return w.state(p).Progress.Action == bot.Hold.String()
			})
			if n := len(w.Calls()); n > 30 {
				t.Errorf("%d calls: the limit was fought", n)
			}
		})
	}
}

// TestAPoisonJobEndsInTheOpen fails for ever, until somebody mends it and asks again.
func TestAPoisonJobEndsInTheOpen(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{})
	w.settings.Attempts, w.settings.Wait = 2, 5*time.Millisecond
	w.start()
	remove := w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/git/trees/{tree_sha}", Effect: githubsim.Fail(500)})
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.eventually("it is given up", func() bool { return strings.HasPrefix(w.state(p).Progress.Failure, "given up: ") })
	w.settle()
	if run := w.check(p.State().HeadSHA); run.Status != "completed" || run.Conclusion != "failure" || !strings.Contains(run.Summary, "/azp recheck") {
		t.Errorf("%s %s:\n%s", run.Status, run.Conclusion, run.Summary)
	}
	w.ResetCalls()
	w.settle()
	if n := len(w.Calls()); n > 0 {
		t.Errorf("%d more calls", n)
	}
	remove()
	p.Comment("maintainer", string(bot.Recheck))
	s := w.decided(p, bot.Hold, bot.CodeNewPublisher)
	if run := w.check(p.State().HeadSHA); run.Conclusion != "success" || s.Progress.Failure != "" {
		t.Errorf("%s, failure %q", run.Conclusion, s.Progress.Failure)
	}
}

// TestEveryCallCanGoWrong lets each call of the look that merges fail once, in each way. What comes of it is a merge of what
// was verified, or a hold that says why.
func TestEveryCallCanGoWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of failures")
	}
	effects := map[string]githubsim.Effect{
		"late": githubsim.Delay(300 * time.Millisecond), "cut before": githubsim.CutConnection(githubsim.CutBefore),
		"cut within": githubsim.CutConnection(githubsim.CutBody), "cut after": githubsim.CutConnection(githubsim.CutUnheard),
	}
	for _, status := range []int{403, 404, 409, 422, 500, 502} {
		effects[fmt.Sprint(status)] = githubsim.Fail(status)
	}
	calls := rehearse(t, "countersigned")
	for _, name := range sortedKeys(effects) {
		for n := 1; n <= calls; n++ {
			t.Run(fmt.Sprintf("%s at call %d", name, n), func(t *testing.T) {
				t.Parallel()
				goWrong(t, n, effects[name])
			})
		}
	}
}

func goWrong(t *testing.T, n int, effect githubsim.Effect) {
	w := newStage(t, enabled, githubsim.Options{})
	w.settings.Wait = 5 * time.Millisecond
	w.start()
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	before := w.repo.Ref("main")
	w.ResetCalls()
	w.Inject(githubsim.Rule{If: func(c githubsim.Call) bool { return c.N == n }, Times: 1, Effect: effect})
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	progress := w.state(p).Progress
	switch {
	case p.State().Merged:
		w.proveMerge(p, before)
		if progress.MergeCommit == "" {
			t.Error("merged, and the bot does not know")
		}
	case w.repo.Ref("main") != before:
		t.Error("the base has moved without a merge")
	case len(progress.Reasons) == 0 && progress.Failure == "":
		t.Errorf("neither merged nor held for a reason: %+v", progress)
	}
	if n := len(w.Calls()); n > 60 {
		t.Errorf("%d calls", n)
	}
	w.git("fsck", "--full", "--strict", "--no-dangling")
}
