package bot_test

import (
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// carrier is a service block of a role that serves over an unknown transport, on its fourth line.
const carrier = `---
classification: native_server
direction: server
transport: carrier_pigeon
`

// TestRolesAreJudgedAndNeverMerged is about a repository with roles and no submissions.
func TestRolesAreJudgedAndNeverMerged(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"roles/web-app-old/meta/mcp.yml": carrier, "roles/web-app-old/meta/services.yml": "{}\n"}})
	w.start()
	open := func(branch string, files githubsim.Files) (*githubsim.PR, githubsim.CheckRun) {
		w.repo.Commit(branch, githubsim.Change{Files: files})
		p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: branch, Author: "contributor"})
		p.Review("maintainer", githubsim.Approved, "", "")
		w.decided(p, bot.Ignore, bot.CodeNoSubmission)
		return p, w.check(p.State().HeadSHA)
	}
	bad, run := open("bad", githubsim.Files{"roles/web-app-new/meta/mcp.yml": carrier, "roles/web-app-new/meta/services.yml": "{}\n"})
	if at := lines(run, "roles/web-app-new/meta/mcp.yml"); run.Conclusion != "failure" || at[4] == 0 {
		t.Errorf("%s, annotated lines %v", run.Conclusion, at)
	}
	for _, a := range run.Annotations {
		if strings.HasPrefix(a.Path, "roles/web-app-old/") {
			t.Errorf("a role that is not touched is annotated: %+v", a)
		}
	}
	if !strings.Contains(run.Summary, "roles/web-app-old/meta/mcp.yml:4") {
		t.Errorf("the others' findings are not listed:\n%s", run.Summary)
	}
	good, run := open("good", githubsim.Files{"roles/web-app-old/meta/mcp.yml": strings.Replace(carrier, "carrier_pigeon", "streamable-http", 1)})
	if strings.Contains(run.Summary, "carrier_pigeon") || run.Title == "" {
		t.Errorf("%q:\n%s", run.Title, run.Summary)
	}
	other, run := open("other", githubsim.Files{"README.md": "y\n"})
	if run.Conclusion != "success" || !strings.Contains(run.Title, "Nothing to check") {
		t.Errorf("%s, %q", run.Conclusion, run.Title)
	}
	for _, p := range []*githubsim.PR{bad, good, other} {
		if s := p.State(); s.Merged || len(s.Comments) > 0 {
			t.Errorf("%s: merged %v, %d comments", p, s.Merged, len(s.Comments))
		}
	}
	if w.updates() != 0 {
		t.Error("the base was to be updated")
	}
}
