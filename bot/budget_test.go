package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// budget is how many calls a verdict may take, and how many more a merge.
const budget = 10

// spent returns the calls that were made since the last time, installation tokens apart, which an hour has one of: those up
// to the verdict, and those since the first step of a merge.
func (w *world) spent() (verdict, merge []string) {
	for _, c := range w.Calls() {
		call := c.Method + " " + c.Path
		switch {
		case strings.HasSuffix(c.Template, "/access_tokens"):
		case w.mergeBegins > 0 && c.N > w.mergeBegins:
			merge = append(merge, call)
		default:
			verdict = append(verdict, call)
		}
	}
	w.ResetCalls()
	w.mergeBegins = 0
	begin := func() {
		if w.mergeBegins == 0 {
			w.mergeBegins = len(w.Calls())
		}
	}
	w.atStep("write objects", begin) // of strategy countersigned
	w.atStep("last look", begin)     // of strategy api
	return verdict, merge
}

// within checks what was spent against the budget. The verdict is the check run's; that somebody has to act is one more call.
func (w *world) within(what string) {
	w.t.Helper()
	w.withinBudget(what, budget)
}

func (w *world) withinBudget(what string, budget int) {
	w.t.Helper()
	verdict, merge := w.spent()
	verdict = slices.DeleteFunc(verdict, func(call string) bool {
		return strings.HasPrefix(call, "POST ") && strings.HasSuffix(call, "/comments")
	})
	w.t.Logf("%s: %d calls for the verdict, %d for the merge", what, len(verdict), len(merge))
	if len(verdict) > budget || len(merge) > budget {
		w.t.Errorf("%s takes more than %d:\n%s\n\n%s", what, budget, strings.Join(verdict, "\n"), strings.Join(merge, "\n"))
	}
}

func TestAPIBudget(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"countersigned", "api"} {
		t.Run(strategy, func(t *testing.T) {
			w := newWorld(t, enabled+"  strategy: "+strategy+"\n")
			w.settle()
			w.spent()
			p := w.submit(id, "1.0.0", nil)
			w.decided(p, bot.Hold, bot.CodeNewPublisher)
			w.within("a first package, nothing cached")
			p.Review("maintainer", githubsim.Approved, "", "")
			w.merged(p)
			w.within("the look after an approval, with the merge and its end")
			old := w.repo.Ref("main")
			w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"NEWS.md": "news\n"}, Author: "maintainer"})
			w.settle()
			w.spent()
			w.merged(w.submit(id, "1.1.0", nil))
			w.within("the next version by the same key, from the delivery to the end")
			branch := "add-late"
			w.repo.MoveBranch(branch, old, "contributor")
			w.repo.Commit(branch, githubsim.Change{Files: githubsim.Files{packagePath(id, "1.2.0"): string(w.pack(id, "1.2.0", w.author))}})
			w.merged(w.repo.OpenPR(githubsim.PROptions{HeadBranch: branch, Author: "contributor"}))
			w.within("a version whose branch has parted from the base before that moved")
		})
	}
}

// TestAPIBudgetAfterAStart starts the bot anew, with nothing cached, on a registry that has packages: one that looks like a
// new one among them.
func TestAPIBudgetAfterAStart(t *testing.T) {
	t.Parallel()
	// The merge base's tree is worked out from the head's, which leaves one call of ten.
	for strategy, budget := range map[string]int{"countersigned": budget - 1, "api": budget} {
		t.Run(strategy, func(t *testing.T) {
			w := newWorld(t, enabled+"  new-publisher: auto\n  strategy: "+strategy+"\n")
			const other = "org.else.demo-mcp"
			w.merged(w.submit(id, "1.0.0", nil))
			w.merged(w.submit("com.example.second-mcp", "1.0.0", nil))
			restart := func() {
				w.stop()
				w.start()
				w.spent()
			}
			restart()
			w.merged(w.submit(other, "1.0.0", nil))
			w.withinBudget("a package that looks like another", budget)
			restart()
			w.merged(w.submit(id, "1.1.0", nil))
			w.withinBudget("the next version of a package", budget)
		})
	}
}

func TestIrrelevantEventsCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.ResetCalls()
	p.Comment("stranger", "Nice!")
	p.Edit("contributor", "Another title", "")
	p.Review("maintainer", githubsim.Commented, "", "I am looking at it.")
	w.repo.Commit("elsewhere", githubsim.Change{Files: githubsim.Files{"x": "y"}})
	w.settle()
	if verdict, merge := w.spent(); len(verdict)+len(merge) != 0 {
		t.Errorf("irrelevant events cost %v %v", verdict, merge)
	}
}

// TestLookingAgainCostsNoRateLimit delivers an event once more where nothing has changed.
func TestLookingAgainCostsNoRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.HoldWebhooks()
	p := w.submit(id, "1.0.0", nil)
	var opened githubsim.Delivery
	w.ReleaseWebhooks(func(held []githubsim.Delivery) []githubsim.Delivery {
		opened = held[len(held)-1]
		return held
	})
	w.decided(p, bot.Hold, bot.CodeNewPublisher)
	look := func(n int) (calls, counted int) {
		w.ResetCalls()
		w.Send(w.app, opened.Event, fmt.Sprintf("00000000-0000-4000-8000-%012d", n), opened.Payload)
		w.settle()
		for _, c := range w.Calls() {
			calls++
			if c.Counted {
				counted++
				t.Logf("look %d is charged for %s %s", n, c.Method, c.Path)
			}
		}
		return calls, counted
	}
	look(1) // learns the mergeability, which was still unknown
	if calls, counted := look(2); calls == 0 || counted > 0 {
		t.Errorf("of %d calls %d were charged", calls, counted)
	}
}

// merged waits until a pull request is merged.
func (w *world) merged(p *githubsim.PR) {
	w.t.Helper()
	w.settle()
	if !p.State().Merged {
		w.t.Fatalf("%s is not merged: %+v", p, w.state(p).Progress)
	}
}
