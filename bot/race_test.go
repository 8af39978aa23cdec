package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubsim"
)

// changes are what people can do to a pull request, or to its base, at any time.
var changes = map[string]func(w *world, p *githubsim.PR, review int64){
	"head pushed": func(_ *world, p *githubsim.PR, _ int64) {
		p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/LICENSE": "other\n"}})
	},
	"base pushed": func(w *world, _ *githubsim.PR, _ int64) {
		w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"NEWS.md": "news\n"}, Author: "maintainer"})
	},
	"draft":      func(_ *world, p *githubsim.PR, _ int64) { p.SetDraft("contributor", true) },
	"dismissed":  func(_ *world, p *githubsim.PR, review int64) { p.Dismiss("maintainer", review) },
	"closed":     func(_ *world, p *githubsim.PR, _ int64) { p.Close("contributor") },
	"retargeted": func(_ *world, p *githubsim.PR, _ int64) { p.Retarget("contributor", "staging") },
}

// TestNoRaceMergesWhatWasNotVerified changes the world before each single call of the look that follows an approval.
func TestNoRaceMergesWhatWasNotVerified(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of merges")
	}
	for _, strategy := range []string{"countersigned", "api"} {
		calls := rehearse(t, strategy)
		for _, name := range sortedKeys(changes) {
			for n := 1; n <= calls; n++ {
				t.Run(fmt.Sprintf("%s, %s before call %d", strategy, name, n), func(t *testing.T) {
					t.Parallel()
					race(t, strategy, n, changes[name])
				})
			}
		}
	}
}

// rehearse returns how many calls the look takes when nothing happens.
func rehearse(t *testing.T, strategy string) int {
	w := newWorld(t, enabled+"  strategy: "+strategy+"\n")
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.ResetCalls()
	p.Review("maintainer", githubsim.Approved, "", "")
	w.merged(p)
	return len(w.Calls())
}

func race(t *testing.T, strategy string, n int, change func(*world, *githubsim.PR, int64)) {
	w := newWorld(t, enabled+"  strategy: "+strategy+"\n")
	w.repo.MoveBranch("staging", w.repo.Ref("main"), "maintainer")
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	verified := p.State().HeadSHA
	w.HoldWebhooks()
	review := p.Review("maintainer", githubsim.Approved, "", "")
	w.ResetCalls()
	changed := false
	w.Before(n, func() {
		changed = true
		change(w, p, review)
	})
	w.ReleaseWebhooks(nil)
	w.settle()
	if !changed {
		t.Fatal("nothing was changed")
	}
	// Whatever happened: what is on the base came from the head that was verified and approved, and is signed.
	for sha := range strings.FieldsSeq(w.git("rev-list", "--first-parent", "main", "staging")) {
		parents := strings.Fields(w.git("log", "-1", "--format=%P", sha))
		if len(parents) == 2 && parents[1] != verified {
			t.Errorf("%s merges %s, approved was %s", sha, parents[1], verified)
		}
	}
	if p.State().Merged && p.State().HeadSHA != verified {
		t.Errorf("%s is merged, approved was %s", p.State().HeadSHA, verified)
	}
	published := false
	for _, branch := range []string{"main", "staging", config.RegistryBranch} {
		if w.repo.Ref(branch) == "" {
			continue
		}
		tree := w.git("ls-tree", "-r", "--name-only", branch)
		recorded := strings.Contains(tree, "registry/records/"+id+"/1.0.0.json")
		published = published || recorded
		// With strategy api GitHub's own merge brings the author's package to the base; what is published is on the other branch.
		ours := strategy != "api" || branch == config.RegistryBranch
		if packed := strings.Contains(tree, "/"+id+"-1.0.0.azp"); ours && packed != recorded {
			t.Errorf("%s has a package without its record, or the other way round:\n%s", branch, tree)
		}
	}
	if !published && w.state(p).Progress.MergeCommit != "" {
		t.Error("what was merged is not published")
	}
	w.git("fsck", "--full", "--strict", "--no-dangling")
}
