package bot_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
	"github.com/azphalt/submissions/registry"
)

const id = "com.example.demo-mcp"

func TestASubmissionIsCountersignedAndMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	before := w.repo.Ref("main")
	p := w.submit(id, "1.0.0", nil)
	w.decided(p, bot.Hold, bot.CodeNewPublisher)
	if w.repo.Ref("main") != before {
		t.Fatal("the base moved without an approval")
	}
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	s := p.State()
	if !s.Merged || s.Open {
		t.Fatalf("not merged: %+v", w.state(p).Progress)
	}
	w.proveMerge(p, before)
	w.git("fsck", "--full", "--strict", "--no-dangling")
	if n := len(s.Comments); n != 1 || !strings.Contains(s.Comments[0].Body, "merged in") {
		t.Errorf("%d comments: %+v", n, s.Comments)
	}
}

// proveMerge proves what a merge has to be.
func (w *world) proveMerge(p *githubsim.PR, base string) {
	t := w.t
	t.Helper()
	ctx := context.Background()
	tip, head := w.repo.Ref("main"), p.State().HeadSHA
	if parents := strings.Fields(w.git("log", "-1", "--format=%P", tip)); len(parents) != 2 || parents[0] != base || parents[1] != head {
		t.Errorf("parents %v, want %s %s", parents, base, head)
	}
	for path := range strings.FieldsSeq(w.git("diff", "--name-only", base, tip)) {
		if !strings.HasPrefix(path, "submissions/"+id+"/") && !strings.HasPrefix(path, "registry/") {
			t.Errorf("the merge touches %s", path)
		}
	}
	merged := []byte(w.file(tip, packagePath(id, "1.0.0")))
	submitted := []byte(w.file(head, packagePath(id, "1.0.0")))
	pkg, err := azp.Read(ctx, bytes.NewReader(merged), int64(len(merged)), azp.Limits{})
	must(t, err)
	if len(pkg.Problems) > 0 || pkg.Signature.PublicKey.String() != w.author.Public().String() {
		t.Errorf("the author's signature is gone: %+v", pkg.Problems)
	}
	if trust := azp.NewTrustStore(azp.TrustedKey{PublicKey: w.registry.Public().String()}).Judge(pkg); !trust.Trusted {
		t.Errorf("not trusted: %s", trust.Reason)
	}
	record, err := registry.Open(ctx, []byte(w.file(tip, "registry/records/"+id+"/1.0.0.json")), w.registry.Public())
	must(t, err)
	a := record.Predicate
	if "sha256-"+record.Subject[0].Digest["sha256"] != azp.DigestOf(merged).String() || a.Submitted != azp.DigestOf(submitted).String() ||
		a.Head != head || a.Base != base || a.PullRequest != p.Number || a.ID != id || a.Rules != bot.RulesVersion() {
		t.Errorf("the record says %+v", record)
	}
	profiles, err := registry.ParseProfiles([]byte(w.file(tip, "registry/profiles.json")))
	must(t, err)
	if p := profiles.Profiles[id]; p.Name != "Demo" || p.Version != "1.0.0" || len(p.Digests) != 0 {
		t.Errorf("known as %+v", p)
	}
	publishers, err := registry.ParsePublishers([]byte(w.file(tip, "registry/publishers.json")))
	must(t, err)
	if pin := publishers.Publishers[id]; pin.PublicKey != w.author.Public().String() || pin.ApprovedBy != "maintainer" || pin.PullRequest != p.Number {
		t.Errorf("pinned %+v", pin)
	}
}

// TestAMergeIsSaidAfterAnInterruption lets GitHub fail right after the merge, so that the job is done again on a pull request
// that is closed by then.
func TestAMergeIsSaidAfterAnInterruption(t *testing.T) {
	for _, strategy := range []string{"countersigned", "api"} {
		for _, then := range []struct {
			name   string
			inject []githubsim.Rule
			title  string
		}{
			{"all can be read", nil, "1 package checked: 1 passes"},
			{"commits can't be compared", []githubsim.Rule{
				{Method: "GET", Path: "/repos/{owner}/{repo}/compare/{basehead}", Effect: githubsim.Fail(404)},
				{Method: "GET", Path: "/repos/{owner}/{repo}/pulls/{pull_number}/commits", Effect: githubsim.Fail(404)},
			}, "Merged"},
		} {
			t.Run(strategy+", "+then.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, enabled+"  strategy: "+strategy+"\n  new-publisher: auto\n")
				lose := func() {
					w.Inject(githubsim.Rule{Method: "PATCH", Path: "/repos/{owner}/{repo}/check-runs/{check_run_id}", Times: 5, Effect: githubsim.Fail(502)})
					for _, r := range then.inject {
						w.Inject(r)
					}
				}
				w.atStep("update base", lose)
				w.atStep("merge endpoint", lose)
				p := w.submit(id, "1.0.0", nil)
				w.merged(p)
				w.eventually("the merge is said", func() bool { return w.state(p).Progress.Told })
				run := w.check(p.State().HeadSHA)
				if run.Status != "completed" || run.Conclusion != "success" || !strings.Contains(run.Title, then.title) || !strings.Contains(run.Summary, "### Merged") || strings.Contains(run.Summary, "❌") {
					t.Errorf("%+v", run)
				}
				if s := p.State(); len(s.Comments) != 1 || !strings.Contains(s.Comments[0].Body, "merged in") {
					t.Errorf("%+v", s.Comments)
				}
				w.ResetCalls()
				w.submit("com.example.next", "1.0.0", nil)
				w.settle()
				for _, c := range w.Calls() {
					if strings.HasSuffix(c.Path, "/1") {
						t.Errorf("%s %s was asked of what is done", c.Method, c.Path)
					}
				}
			})
		}
	}
}

// TestAServerThatDoesNotSeeTheMerge goes on showing a merged pull request as open.
func TestAServerThatDoesNotSeeTheMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	open := p.State()
	p.Review("maintainer", githubsim.Approved, "", "")
	w.merged(p)
	w.settle()
	w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/pulls/{pull_number}", Effect: githubsim.StaleRead()})
	before, tip := w.check(open.HeadSHA), w.repo.Ref("main")
	p.Comment("maintainer", string(bot.Recheck))
	w.settle()
	if after := w.check(open.HeadSHA); after.Summary != before.Summary || after.Title != before.Title || w.repo.Ref("main") != tip {
		t.Errorf("%+v", after)
	}
}

// TestALinkBesideAPackageIsNotMerged has one that leads out of the submission's folder.
func TestALinkBesideAPackageIsNotMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  new-publisher: auto\n")
	link := "submissions/" + id + "/link"
	w.repo.Commit("add", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author)), link: "../../README.md"}, Modes: map[string]string{link: "120000"}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add", Author: "contributor"})
	s := w.decided(p, bot.Hold, bot.CodeLinks)
	w.names(s, bot.CodeLinks, link)
	if p.State().Merged {
		t.Error("merged")
	}
}

// TestAMergeWhoseAnswerWasLost is found on a server that goes on showing the pull request as open.
func TestAMergeWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  new-publisher: auto\n")
	w.atStep("update base", func() {
		w.Inject(githubsim.Rule{Method: "PATCH", Path: "/repos/{owner}/{repo}/git/refs/{ref}", Times: 1, Effect: githubsim.CutConnection(githubsim.CutUnheard)})
		w.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/pulls/{pull_number}", Effect: githubsim.StaleRead()})
	})
	p := w.submit(id, "1.0.0", nil)
	w.eventually("the merge is said", func() bool {
		run := w.repo.CheckRuns(p.State().HeadSHA)
		return len(run) == 1 && strings.Contains(run[0].Summary, "### Merged") && !strings.Contains(run[0].Summary, "❌")
	})
}
