package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// counted returns the calls that were made, installation tokens apart.
func (w *world) counted() []string {
	var out []string
	for _, c := range w.Calls() {
		if !strings.HasSuffix(c.Template, "/access_tokens") {
			out = append(out, c.Method+" "+c.Template)
		}
	}
	return out
}

func TestAPIBudget(t *testing.T) {
	w := newWorld(t, enabled)
	w.settle()
	w.ResetCalls()
	p := w.submit(id, "1.0.0", nil)
	w.decided(p, bot.Hold, bot.CodeNewPublisher)
	verdict := w.counted()
	verdict = without(verdict, "POST /repos/{owner}/{repo}/issues/{issue_number}/comments") // that a person has to act
	if len(verdict) > 10 {
		t.Errorf("a verdict takes %d calls:\n%s", len(verdict), strings.Join(verdict, "\n"))
	}
	t.Logf("verdict: %d calls", len(verdict))
	w.ResetCalls()
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	if !p.State().Merged {
		t.Fatalf("%+v", w.state(p).Progress)
	}
	merge := w.counted()
	if len(merge) > 20 {
		t.Errorf("a verdict and a merge take %d calls:\n%s", len(merge), strings.Join(merge, "\n"))
	}
	t.Logf("second look, merge and closing: %d calls", len(merge))
	w.ResetCalls()
	p.Comment("stranger", "Nice!")
	p.Edit("contributor", "Another title", "")
	w.repo.Commit("elsewhere", githubsim.Change{Files: githubsim.Files{"x": "y"}})
	w.settle()
	if n := w.counted(); len(n) != 0 {
		t.Errorf("irrelevant events cost %v", n)
	}
}

func without(list []string, item string) []string {
	var out []string
	for _, s := range list {
		if s != item {
			out = append(out, s)
		}
	}
	return out
}

// TestNoRaceMergesWhatWasNotVerified changes the world before each single call between an approval and the merge.
func TestNoRaceMergesWhatWasNotVerified(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of merges")
	}
	calls := rehearse(t)
	changes := map[string]func(*world, *githubsim.PR, int64){
		"head pushed": func(w *world, p *githubsim.PR, _ int64) {
			p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/LICENSE": "other\n"}})
		},
		"base pushed": func(w *world, _ *githubsim.PR, _ int64) {
			w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"NEWS.md": "news\n"}, Author: "maintainer"})
		},
		"draft":      func(_ *world, p *githubsim.PR, _ int64) { p.SetDraft("contributor", true) },
		"dismissed":  func(_ *world, p *githubsim.PR, review int64) { p.Dismiss("maintainer", review, "no") },
		"closed":     func(_ *world, p *githubsim.PR, _ int64) { p.Close("contributor") },
		"retargeted": func(_ *world, p *githubsim.PR, _ int64) { p.Retarget("contributor", "staging") },
	}
	for _, name := range sortedKeys(changes) {
		for n := 1; n <= calls; n += raceStride(t) {
			t.Run(fmt.Sprintf("%s before call %d", name, n), func(t *testing.T) { race(t, n, changes[name]) })
		}
	}
}

func rehearse(t *testing.T) int {
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.ResetCalls()
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	last := 0
	for _, c := range w.Calls() {
		if c.Method == http.MethodPatch && strings.Contains(c.Path, "/git/refs/") {
			last = c.N
		}
	}
	if last == 0 {
		t.Fatal("the rehearsal did not merge")
	}
	return last
}

func race(t *testing.T, n int, change func(*world, *githubsim.PR, int64)) {
	w := newWorld(t, enabled)
	w.repo.MoveBranch("staging", w.repo.Ref("main"), "maintainer")
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	verified := p.State().HeadSHA
	w.HoldWebhooks()
	review := p.Review("maintainer", githubsim.Approved, "", "")
	w.ResetCalls()
	w.Before(n, func() { change(w, p, review) })
	w.ReleaseWebhooks(nil)
	w.settle()
	// Whatever happened: what is on the base came from the head that was verified and approved, and is signed.
	for sha := range strings.FieldsSeq(w.git("rev-list", "--first-parent", "main")) {
		parents := strings.Fields(w.git("log", "-1", "--format=%P", sha))
		if len(parents) == 2 && parents[1] != verified {
			t.Errorf("%s merges %s, approved was %s", sha, parents[1], verified)
		}
	}
	tree := w.git("ls-tree", "-r", "--name-only", "main")
	if strings.Contains(tree, packagePath(id, "1.0.0")) != strings.Contains(tree, "registry/records/"+id+"/1.0.0.json") {
		t.Errorf("a package without its record, or the other way round:\n%s", tree)
	}
	w.git("fsck", "--full", "--strict", "--no-dangling")
}
