package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// optional are the endpoints that a server may lack, with what becomes then of a pull request that somebody approved.
var optional = []struct {
	method, path string
	code         bot.Code // why it is held; "" where it is merged all the same
}{
	{"GET", "/app", ""},
	{"GET", "/app/hook/deliveries", ""},
	{"GET", "/app/installations", ""},
	{"GET", "/installation/repositories", ""},
	{"GET", "/repos/{owner}/{repo}/pulls", ""},
	{"GET", "/repos/{owner}/{repo}/compare/{basehead}", ""},
	{"GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", bot.CodeUnknown},
	{"GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews", bot.CodeUnknown},
	{"GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", bot.CodeUnknown},
	{"GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments", ""},
	{"POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", ""},
	{"POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews", ""},
	{"POST", "/repos/{owner}/{repo}/check-runs", ""},
	{"PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", ""},
	{"POST", "/repos/{owner}/{repo}/git/blobs", bot.CodeUnwritable},
	{"POST", "/repos/{owner}/{repo}/git/trees", bot.CodeUnwritable},
	{"POST", "/repos/{owner}/{repo}/git/commits", bot.CodeUnwritable},
	{"PATCH", "/repos/{owner}/{repo}/git/refs/{ref}", bot.CodeProtection},
}

// TestAServerThatLacksAnEndpoint turns off one after the other, and then all that can be done without.
func TestAServerThatLacksAnEndpoint(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusNotImplemented} {
		for _, o := range optional {
			t.Run(fmt.Sprintf("%d %s %s", status, o.method, o.path), func(t *testing.T) {
				t.Parallel()
				lacking(t, o.code, func(w *world) {
					w.Inject(githubsim.Rule{Method: o.method, Path: o.path, Effect: githubsim.Fail(status)})
				})
			})
		}
		t.Run(fmt.Sprintf("%d for all", status), func(t *testing.T) {
			t.Parallel()
			lacking(t, "", func(w *world) {
				for _, o := range optional {
					if o.code == "" {
						w.Inject(githubsim.Rule{Method: o.method, Path: o.path, Effect: githubsim.Fail(status)})
					}
				}
			})
		})
	}
}

// TestASimplerServer leaves out what GitHub gives beyond the need.
func TestASimplerServer(t *testing.T) {
	lacking(t, "", func(w *world) {
		w.Inject(githubsim.Rule{Effect: githubsim.Simple("size", "mergeable_state", "author_association", "total_commits", "node_id", "merged", "annotations_count", "performed_via_github_app")})
	})
}

// TestAServerThatSaysLittle leaves out what can be found out in another way, or has to be known.
func TestAServerThatSaysLittle(t *testing.T) {
	for _, c := range []struct {
		path string
		lack []string
		code bot.Code // why it is held; "" where it is merged all the same
	}{
		{"/repos/{owner}/{repo}/compare/{basehead}", []string{"merge_base_commit"}, ""},
		{"/repos/{owner}/{repo}/compare/{basehead}", []string{"base_commit", "merge_base_commit", "tree", "parents"}, ""},
		{"/repos/{owner}/{repo}/pulls/{pull_number}/reviews", []string{"commit_id"}, bot.CodeUnknown},
	} {
		t.Run(strings.Join(c.lack, " "), func(t *testing.T) {
			t.Parallel()
			lacking(t, c.code, func(w *world) {
				w.Inject(githubsim.Rule{Method: "GET", Path: c.path, Effect: githubsim.Simple(c.lack...)})
			})
		})
	}
}

// lacking tells the story of an approved package on a server that lacks something, which is merged, or held for a reason.
func lacking(t *testing.T, code bot.Code, lack func(*world)) {
	w := newStage(t, enabled+"  required-checks: [ci]\n", githubsim.Options{})
	actions := w.CreateApp(githubsim.AppOptions{ID: 15368, Slug: "github-actions", Permissions: permissions})
	w.InstallApp(actions, "acme")
	lack(w)
	w.start()
	before := w.repo.Ref("main")
	w.ResetCalls()
	p := w.submit(id, "1.0.0", nil)
	w.repo.AddCheckRun(actions, githubsim.CheckRun{Name: "ci", HeadSHA: p.State().HeadSHA, Status: "completed", Conclusion: "success"})
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	if n := len(w.Calls()); n > 60 {
		t.Errorf("%d calls", n)
	}
	progress := w.state(p).Progress
	if progress.Failure != "" {
		t.Errorf("failed: %s", progress.Failure)
	}
	if code == "" {
		w.merged(p)
		w.proveMerge(p, before)
		return
	}
	w.decided(p, bot.Hold, code)
	if p.State().Merged || w.repo.Ref("main") != before {
		t.Error("merged")
	}
	for _, r := range progress.Reasons {
		if r.Sentence == "" || r.Next == "" || strings.Contains(r.Sentence, "no reason given") {
			t.Errorf("%+v explains nothing", r)
		}
	}
}

// TestAServerThatKnowsNoTreeByItsCommit has the bot started anew, so that it has to read who an id belongs to.
func TestAServerThatKnowsNoTreeByItsCommit(t *testing.T) {
	for name, effect := range map[string]githubsim.Effect{
		"404": githubsim.Fail(http.StatusNotFound), "422": githubsim.Fail(http.StatusUnprocessableEntity), "nothing in it": githubsim.Simple("tree"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, enabled+"  strategy: api\n  unsigned: sign\n  new-publisher: auto\n")
			w.merged(w.submitSource("1.0.0", "contributor"))
			w.stop()
			asked := 0
			tip := w.repo.Ref("registry")
			w.Inject(githubsim.Rule{If: func(c githubsim.Call) bool {
				if !strings.Contains(c.Path, "/git/trees/"+tip) {
					return false
				}
				asked++
				return true
			}, Effect: effect})
			w.start()
			w.decided(w.submitSource("1.1.0", "newcomer"), bot.Hold, bot.CodeForeignID)
			if asked == 0 {
				t.Error("the bot did not ask in this way")
			}
			w.merged(w.submitSource("1.2.0", "contributor"))
		})
	}
}

// TestAServerThatNamesNoNextPage has more reviews than a page holds, and the one that counts comes last.
func TestAServerThatNamesNoNextPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.Inject(githubsim.Rule{Method: "GET", Effect: githubsim.Simple()})
	w.HoldWebhooks()
	p := w.submit(id, "1.0.0", nil)
	for range 100 {
		p.Review("stranger", githubsim.Commented, "", "What is it for?")
	}
	p.Review("maintainer", githubsim.ChangesRequested, "", "")
	w.ReleaseWebhooks(nil)
	w.decided(p, bot.NoMerge, bot.CodeChangesRequested)
}
