package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// The check run of an update says what changed, by the same rules as the Action's summary.
func TestTheCheckRunOfAnUpdateSaysWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}})
	moved := strings.Replace(manifest(id, "1.1.0"), "mcp.example.com", "evil.example.net", 1)
	update := packFolder(t, fstest.MapFS{"manifest.json": {Data: []byte(moved)}, "LICENSE": {Data: []byte("MIT\n")}}, newKey(t))
	w.repo.Commit("update", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.1.0"): string(update)}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "update", Author: "contributor"})
	w.settle()
	run := w.check(p.State().HeadSHA)
	for _, want := range []string{
		"### What changed in `" + id + "` from `1.0.0` to `1.1.0`", "- It is signed by another key",
		"- Server `s`: the address leads to another host: `evil.example.net`, was `mcp.example.com`", "publisher/changed",
	} {
		if !strings.Contains(run.Summary, want) {
			t.Errorf("the check run lacks %q:\n%s", want, run.Summary)
		}
	}
	if run.Conclusion != "success" { // a person decides about that
		t.Errorf("conclusion %s", run.Conclusion)
	}
	w.decided(p, bot.Hold, bot.CodePublisherChange)
}

// The check run of a near-copy says what it is one of, and of an unsigned package that it comes from another account.
func TestTheCheckRunNamesWhatAPackageImitates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  unsigned: sign\n")
	files := githubsim.Files{}
	for i := range 20 {
		other := fmt.Sprintf("net.crowd.tool-%d", i)
		files[packagePath(other, "1.0.0")] = string(w.pack(other, "1.0.0", newKey(t)))
	}
	named := func(id string) fstest.MapFS {
		text := strings.NewReplacer(`"Demo"`, `"Demo Seismograph"`).Replace(manifest(id, "1.0.0"))
		return fstest.MapFS{"manifest.json": {Data: []byte(text)}, "LICENSE": {Data: []byte("MIT\n")}}
	}
	files[packagePath("com.acme.seismograph", "1.0.0")] = string(packFolder(t, named("com.acme.seismograph"), newKey(t)))
	const pinned = "org.alice.tool"
	files["registry/publishers.json"] = `{"version":1,"publishers":{"` + pinned + `":{"githubId":4242,"login":"alice","pullRequest":1}}}`
	w.repo.Commit("main", githubsim.Change{Files: files})
	w.settle()
	for _, c := range []struct {
		id, rule, of string
		source       bool
	}{{pinned, "publisher/other-account", pinned, true}, {"org.else.quakes", "provenance/name-imitates", "com.acme.seismograph", false}} {
		add := githubsim.Files{packagePath(c.id, "1.0.0"): string(packFolder(t, named(c.id), w.author))}
		if c.source {
			add = githubsim.Files{"submissions/" + c.id + "/manifest.json": manifest(c.id, "1.0.0"), "submissions/" + c.id + "/LICENSE": "MIT\n"}
		}
		w.spent()
		w.repo.Commit("add-"+c.id, githubsim.Change{Files: add})
		p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-" + c.id, Author: "contributor"})
		w.settle()
		if !c.source { // each file of a source is a call
			w.within(c.rule)
		}
		if run := w.check(p.State().HeadSHA); !strings.Contains(run.Summary, c.rule) || !strings.Contains(run.Summary, c.of) {
			t.Errorf("the check run lacks %s:\n%s", c.rule, run.Summary)
		}
	}
}
