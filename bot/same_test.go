package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/action"
	"github.com/azphalt/submissions/internal/githubsim"
)

// TestSameBytesSameReport judges one pull request as the bot does, by way of GitHub, and as the Action does, from a checkout:
// it brings every example, every case of the shared set, and the roles of all vectors.
func TestSameBytesSameReport(t *testing.T) {
	t.Parallel()
	change := githubsim.Change{Files: githubsim.Files{}, Modes: map[string]string{}}
	examples := lay(t, change, filepath.Join("..", "submissions-example"), "submissions", "")
	roles := 0
	vectors, err := filepath.Glob(filepath.Join("..", "roleblock", "testdata", "vectors", "*", "roles"))
	must(t, err)
	for _, dir := range vectors {
		roles += lay(t, change, dir, "roles", "")
	}
	cases := 0
	shared, err := filepath.Glob(filepath.Join("..", "..", "shared", "cases", "*", "case.md"))
	must(t, err)
	for _, page := range shared {
		cases += layCase(t, change, filepath.Dir(page))
	}
	if len(shared) == 0 {
		t.Log("the shared cases are not here, so the examples alone are judged")
	} else if cases < 60 {
		t.Errorf("only %d files of cases", cases)
	}
	if examples < 100 || roles < 100 {
		t.Errorf("only %d files of examples, %d of roles", examples, roles)
	}
	w := newWorld(t, "rules: { mcp/unused-input: error }\n")
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"roles/web-app-before/meta/mcp.yml": "direction: server\n", "roles/web-app-before/meta/services.yml": "{}\n"}})
	w.repo.Commit("add", change)
	base, head := w.repo.Ref("main"), w.repo.Ref("add")

	gh, err := w.bot.Hub.Repo(bot.Repository{Installation: w.install.ID, ID: w.repo.ID(), Owner: w.repo.Owner, Name: w.repo.Name})
	must(t, err)
	j, err := bot.JudgeCommit(context.Background(), gh, "main", head, 0, time.Now())
	must(t, err)
	var got bytes.Buffer
	must(t, annotate.JSON(&got, &j.Report))
	want := w.act(base, head)
	if got.String() != want {
		t.Errorf("the reports differ at:\n%s", firstDifference(got.String(), want))
	}
	if len(j.Report.Packages) < 100 || len(j.Report.Roles) < 40 || j.Report.Summary().Errors < 200 {
		t.Errorf("the comparison is thin: %d packages, %d roles, %+v", len(j.Report.Packages), len(j.Report.Roles), j.Report.Summary())
	}
}

// act runs the Action on a checkout and returns the report that it wrote.
func (w *world) act(base, head string) string {
	w.t.Helper()
	side := w.t.TempDir()
	work := filepath.Join(side, "work")
	w.git("worktree", "add", "-q", "--detach", work, head)
	event, err := json.Marshal(map[string]any{"number": 7, "pull_request": map[string]any{
		"number": 7, "head": map[string]any{"sha": head}, "base": map[string]any{"sha": base},
	}})
	must(w.t, err)
	must(w.t, os.WriteFile(filepath.Join(side, "event.json"), event, 0o600))
	env := map[string]string{
		"GITHUB_WORKSPACE": work, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": filepath.Join(side, "event.json"), "GITHUB_REPOSITORY": "acme/azp-registry",
	}
	var out strings.Builder
	if status := action.Run(context.Background(), action.Env{Getenv: func(k string) string { return env[k] }, Stdout: &out, Now: time.Now}); status > 1 {
		w.t.Fatalf("the Action ended with %d:\n%s", status, out.String())
	}
	report, err := os.ReadFile(filepath.Join(work, "azphalt-report.json"))
	must(w.t, err)
	return string(report)
}

// lay puts the files below a folder into a change, below another, each path with a prefix, and returns how many. Links stay
// links.
func lay(t *testing.T, c githubsim.Change, folder, target, prefix string) int {
	t.Helper()
	n := 0
	must(t, filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		to := path.Join(target, prefix+filepath.ToSlash(rel))
		n++
		if e.Type()&fs.ModeSymlink != 0 {
			c.Files[to], err = os.Readlink(name)
			c.Modes[to] = "120000"
			return err
		}
		data, err := os.ReadFile(name)
		c.Files[to] = string(data)
		return err
	}))
	return n
}

// layCase puts what a case brings into a change: archives and manifests as a submission each, trees with a prefix.
func layCase(t *testing.T, c githubsim.Change, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	n := 0
	for _, e := range entries {
		name := filepath.Base(dir) + "-" + strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		file := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			n += lay(t, c, file, "submissions", name+"-")
		case e.Name() == "expected.json", e.Name() == "scenario.json", path.Ext(e.Name()) == ".md":
		default:
			data, err := os.ReadFile(file)
			must(t, err)
			to := e.Name()
			if path.Ext(to) == ".json" {
				to = "manifest.json"
			}
			c.Files[path.Join("submissions", name, to)] = string(data)
			n++
		}
	}
	return n
}

// firstDifference shows where two texts part.
func firstDifference(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	from := max(0, n-200)
	return a[from:min(len(a), n+200)] + "\n\n" + b[from:min(len(b), n+200)]
}
