package bot_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
	"github.com/azphalt/submissions/registry"
)

func TestStrategyAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  strategy: api\n")
	p := w.submit(id, "1.0.0", nil)
	p.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	if !p.State().Merged {
		t.Fatalf("%+v", w.state(p).Progress)
	}
	record, err := registry.Open(context.Background(), []byte(w.file("registry", "registry/records/"+id+"/1.0.0.json")), w.registry.Public())
	must(t, err)
	if record.Predicate.Head != p.State().HeadSHA {
		t.Errorf("%+v", record)
	}
	w.file("registry", "registry/packages/"+id+"/"+id+"-1.0.0.azp")
	// The next version by the same key needs nobody.
	q := w.submit(id, "1.1.0", nil)
	w.settle()
	if !q.State().Merged {
		t.Fatalf("%+v", w.state(q).Progress)
	}
	w.file("registry", "registry/records/"+id+"/1.1.0.json")
}

func TestUnsignedSources(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config string
		merged bool
	}{{enabled, false}, {enabled + "  unsigned: sign\n", true}} {
		w := newWorld(t, c.config)
		p := w.submitSource("1.0.0", "contributor")
		p.Review("maintainer", githubsim.Approved, "", "")
		w.settle()
		if p.State().Merged != c.merged {
			t.Fatalf("%q: %+v", c.config, w.state(p).Progress)
		}
		if !c.merged {
			w.decided(p, bot.NoMerge, bot.CodeUnsigned)
			continue
		}
		publishers, err := registry.ParsePublishers([]byte(w.file("main", "registry/publishers.json")))
		must(t, err)
		if pin := publishers.Publishers[id]; pin.GitHubID == 0 || pin.Login != "contributor" || pin.PublicKey != "" {
			t.Errorf("pinned %+v", pin)
		}
		w.file("main", "registry/packages/"+id+"/"+id+"-1.0.0.azp")
	}
}

// An id of unsigned sources goes over to another account when somebody answers for that, and stays there.
func TestAnIDGoesOverToAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  unsigned: sign\n  new-publisher: auto\n")
	w.merged(w.submitSource("1.0.0", "contributor"))
	p := w.submitSource("1.1.0", "newcomer")
	w.decided(p, bot.Hold, bot.CodeForeignID)
	p.Comment("maintainer", "/azp approve-publisher")
	w.merged(p)
	publishers, err := registry.ParsePublishers([]byte(w.file("main", "registry/publishers.json")))
	must(t, err)
	if pin := publishers.Publishers[id]; pin.Login != "newcomer" || pin.ApprovedBy != "maintainer" {
		t.Errorf("pinned %+v", pin)
	}
	w.merged(w.submitSource("1.2.0", "newcomer"))
	w.decided(w.submitSource("1.3.0", "contributor"), bot.Hold, bot.CodeForeignID)
}

// A review against an update holds it, though none is needed for it.
func TestAReviewAgainstAnUpdateHoldsIt(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"countersigned", "api"} {
		w := newWorld(t, enabled+"  new-publisher: auto\n  strategy: "+strategy+"\n")
		w.merged(w.submit(id, "1.0.0", nil))
		w.HoldWebhooks()
		p := w.submit(id, "1.1.0", nil)
		p.Review("maintainer", githubsim.ChangesRequested, "", "")
		w.ReleaseWebhooks(nil)
		w.decided(p, bot.NoMerge, bot.CodeChangesRequested)
		if p.State().Merged {
			t.Errorf("%s: it is merged", strategy)
		}
	}
}

func TestProtectionThatRefusesIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.Inject(githubsim.Rule{Method: "PATCH", Path: "/repos/{owner}/{repo}/git/refs/{ref}", Effect: githubsim.FailMessage(422, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n")})
	p.Review("maintainer", githubsim.Approved, "", "")
	w.decided(p, bot.Hold, bot.CodeProtection)
	if run := w.check(p.State().HeadSHA); !strings.Contains(run.Summary, "bypass") {
		t.Errorf("no setting is named:\n%s", run.Summary)
	}
}

func TestPageEscapesWhatStrangersWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>`
	w.repo.Commit("add", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author)), `"><b>x`: "y"}})
	w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add", Author: "contributor", Title: evil})
	w.settle()
	r := httptest.NewRecorder()
	bot.Routes(w.bot, w.db, http.NotFoundHandler(), &bot.Index{Bot: w.bot}).ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/", nil))
	page := r.Body.String()
	if r.Code != 200 || !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Errorf("%d: the title is missing", r.Code)
	}
	for _, bad := range []string{"<script", "<img", "<b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
	if !strings.Contains(r.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error("no policy")
	}
}
