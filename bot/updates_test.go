package bot_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// The check run of an update says what changed, by the same rules as the Action's summary.
func TestTheCheckRunOfAnUpdateSaysWhatChanged(t *testing.T) {
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
