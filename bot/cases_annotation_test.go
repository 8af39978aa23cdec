package bot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

const source = "submissions/com.example.demo-mcp/"

// lint submits a source folder with a manifest and returns the check run.
func (w *world) lint(folder, manifest string) (*githubsim.PR, githubsim.CheckRun) {
	w.t.Helper()
	w.repo.Commit("add-demo", githubsim.Change{Files: githubsim.Files{folder + "manifest.json": manifest, folder + "LICENSE": "MIT\n"}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", Author: "contributor"})
	w.settle()
	return p, w.check(p.State().HeadSHA)
}

// lines returns the lines of a file that have an annotation.
func lines(run githubsim.CheckRun, file string) map[int]int {
	out := map[int]int{}
	for _, a := range run.Annotations {
		if a.Path == file {
			out[a.StartLine]++
		}
	}
	return out
}

func case074(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"com.example.a,b", "com.example.50%off", "com.example.a b", "com.example.x:y", "com.example.café"} {
		w := newWorld(t, enabled)
		path := "submissions/" + folder + "/"
		_, run := w.lint(path, manifest("com.example.demo-mcp", "1.0.0"))
		if run.Conclusion != "failure" || len(lines(run, path+"manifest.json")) == 0 {
			t.Errorf("%s: %s, annotations %+v", folder, run.Conclusion, run.Annotations)
		}
	}
}

func case075(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p, run := w.lint(source, caseFile(t, "075-workflow-command-injection", "manifest.json"))
	if at := lines(run, source+"manifest.json"); at[17] == 0 || at[27] == 0 {
		t.Errorf("annotated lines %v", at)
	}
	for what, text := range map[string]string{"summary": run.Summary, "comment": p.State().Comments[0].Body, "log": w.log.String()} {
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "::") {
				t.Errorf("the %s has the line %q", what, line)
			}
		}
	}
}

func case076(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	manifest := caseFile(t, "076-more-than-fifty-annotations", "manifest.json")
	w.Inject(githubsim.Rule{Method: "PATCH", Path: "/repos/{owner}/{repo}/check-runs/{check_run_id}", Skip: 1, Times: 1, Effect: githubsim.Fail(500)})
	_, run := w.lint(source, manifest)
	at := lines(run, source+"manifest.json")
	missing := 0
	for line := 19; line <= 138; line++ {
		if at[line] == 0 {
			missing++
		}
	}
	if missing > 0 || run.Conclusion != "failure" || run.Status != "completed" {
		t.Errorf("%d lines without an annotation; %s %s", missing, run.Status, run.Conclusion)
	}
	seen := map[string]int{}
	for _, a := range run.Annotations {
		key, err := json.Marshal(a)
		must(t, err)
		if seen[string(key)]++; seen[string(key)] > 1 {
			t.Errorf("said twice: %s", key)
		}
	}
	if n := w.CountCalls("POST", "/repos/{owner}/{repo}/check-runs"); n != 1 {
		t.Errorf("%d check runs", n)
	}
}

func case078(t *testing.T) {
	t.Parallel()
	for file, line := range map[string]int{"crlf.json": 26, "mixed.json": 25} {
		w := newWorld(t, enabled)
		_, run := w.lint(source, caseFile(t, "078-crlf-tabs-multibyte-lines", file))
		if at := lines(run, source+"manifest.json"); at[line] == 0 {
			t.Errorf("%s: annotated lines %v, want %d", file, at, line)
		}
	}
}

// case082: the bot may not write checks either. Then the comment says what there is to say, and nothing is retried.
func case082(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.Inject(githubsim.Rule{Method: "POST", Path: "/repos/{owner}/{repo}/check-runs", Effect: githubsim.FailMessage(403, "Resource not accessible by integration")})
	p := w.submit(id, "1.0.0", nil)
	w.decided(p, bot.Hold, bot.CodeNewPublisher)
	if n := w.CountCalls("POST", "/repos/{owner}/{repo}/check-runs"); n != 1 {
		t.Errorf("%d attempts", n)
	}
	if n := len(p.State().Comments); n != 1 {
		t.Errorf("%d comments", n)
	}
	w.repo.Commit("bad", githubsim.Change{Files: githubsim.Files{source + "manifest.json": "{}\n"}})
	bad := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "bad", Author: "contributor"})
	w.decided(bad, bot.NoMerge, bot.CodeErrors)
	if text := bad.State().Comments[0].Body; !strings.Contains(text, "submission/license-missing") || strings.Contains(text, "latest commit has the details") {
		t.Errorf("the comment does not tell what was found:\n%s", text)
	}
}

func case084(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	var scenario struct {
		Expect struct {
			Secrets []string `json:"no_output_contains"`
		}
	}
	must(t, json.Unmarshal([]byte(caseFile(t, "084-findings-must-not-echo-secrets", "scenario.json")), &scenario))
	p, run := w.lint(source, caseFile(t, "084-findings-must-not-echo-secrets", "manifest.json"))
	stored, err := json.Marshal(w.state(p))
	must(t, err)
	annotations, err := json.Marshal(run)
	must(t, err)
	var calls strings.Builder
	for _, c := range w.Calls() {
		calls.Write(c.Body)
	}
	if len(scenario.Expect.Secrets) == 0 || run.Conclusion != "failure" {
		t.Fatal("the case is not what it was")
	}
	for _, secret := range scenario.Expect.Secrets {
		for what, text := range map[string]string{"check run": string(annotations), "comment": p.State().Comments[0].Body, "store": string(stored), "log": w.log.String(), "request": calls.String()} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s holds %q", what, secret[:4]+"…")
			}
		}
	}
}
