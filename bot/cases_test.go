package bot_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/githubsim"
)

// cases are the stories of the shared set, told with the stand-in for GitHub: its commit ids are symbols, its `given` and
// `events` are staged, its `expect` is what must be true at the end.
var cases = map[string]func(*testing.T){
	"074-annotation-odd-paths":           case074,
	"075-workflow-command-injection":     case075,
	"076-more-than-fifty-annotations":    case076,
	"078-crlf-tabs-multibyte-lines":      case078,
	"081-merge-ref-versus-head":          case081,
	"082-fork-read-only-token":           case082,
	"084-findings-must-not-echo-secrets": case084,
	"085-head-moved-before-merge":        case085,
	"087-stale-approval":                 case087,
	"089-mergeable-null":                 case089,
	"090-pr-touches-other-files":         case090,
	"092-base-branch-retargeted":         case092,
	"094-duplicate-webhooks":             case094,
	"096-fork-check-suite-empty-prs":     case096,
	"100-rename-out-of-protected-path":   case100,
	"101-merge-command-by-outsider":      case101,
	"102-check-name-spoofing":            case102,
	"103-secret-in-earlier-commit":       case103,
	"105-foreign-namespace-update":       case105,
}

func TestCases(t *testing.T) {
	for _, name := range sortedKeys(cases) {
		t.Run(name, cases[name])
	}
}

// TestEveryCaseIsTold fails where the shared set has a story about the bot that is not told here.
func TestEveryCaseIsTold(t *testing.T) {
	found, err := filepath.Glob(filepath.Join("..", "..", "shared", "cases", "*", "scenario.json"))
	must(t, err)
	if len(found) == 0 {
		t.Skip("the shared cases are not here")
	}
	for _, file := range found {
		name := filepath.Base(filepath.Dir(file))
		if cases[name] == nil {
			t.Errorf("%s is not told", name)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func caseFile(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "shared", "cases"}, parts...)...))
	if os.IsNotExist(err) {
		t.Skip("the shared cases are not here")
	}
	must(t, err)
	return string(data)
}

// updates counts the base updates that were asked for, by either strategy.
func (w *world) updates() int {
	return w.CountCalls("PATCH", "/repos/{owner}/{repo}/git/refs/{ref}") + w.CountCalls("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/merge")
}

func case081(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	const file = "submissions/com.example.demo-mcp/manifest.json"
	head := caseFile(t, "081-merge-ref-versus-head", "head", file)
	w.repo.Commit("add-demo", githubsim.Change{Files: githubsim.Files{file: head, "submissions/com.example.demo-mcp/LICENSE": "MIT\n"}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", Author: "contributor"})
	w.decided(p, bot.NoMerge, bot.CodeErrors)
	run := w.check(p.State().HeadSHA)
	if run.Conclusion != "failure" {
		t.Errorf("concluded %q", run.Conclusion)
	}
	at := map[int]bool{}
	for _, a := range run.Annotations {
		if a.Path == file {
			at[a.StartLine] = true
		}
	}
	if !at[25] || at[28] {
		t.Errorf("annotated lines %v, want 25 and not 28", at)
	}
}

func case085(t *testing.T) {
	t.Parallel()
	for _, config := range []string{enabled, enabled + "  strategy: api\n"} {
		w := newWorld(t, config)
		p := w.submit(id, "1.0.0", nil)
		w.settle()
		first, base := p.State().HeadSHA, w.repo.Ref("main")
		// The head moves right before the last look, or the call of the merge endpoint.
		moved := ""
		w.ResetCalls()
		w.atStep(map[bool]string{false: "last look", true: "merge endpoint"}[config != enabled], func() {
			moved = p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/LICENSE": "other\n"}})
		})
		p.Review("maintainer", githubsim.Approved, first, "")
		w.decided(p, bot.Hold, bot.CodeStaleApproval)
		if moved == "" {
			t.Fatal("the head never moved")
		}
		if p.State().Merged || w.repo.Ref("main") != base || w.repo.Ref("registry") != "" {
			t.Error("something was merged or published")
		}
		w.check(moved) // the new head was verified from scratch
		for _, c := range w.Calls() {
			if c.Method == http.MethodPut && !strings.Contains(string(c.Body), first) {
				t.Errorf("the merge endpoint was called with %s", c.Body)
			}
		}
	}
}

func case087(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	old := p.State().HeadSHA
	w.HoldWebhooks()
	p.Review("maintainer", githubsim.Approved, old, "")
	p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/LICENSE": "MIT, again\n"}})
	w.ReleaseWebhooks(nil)
	w.decided(p, bot.Hold, bot.CodeStaleApproval)
	if w.updates() != 0 {
		t.Error("the base was to be updated")
	}
}

func case089(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	w.settle()
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): "something else"}})
	w.settle()
	w.HoldWebhooks()
	p.Review("maintainer", githubsim.Approved, "", "")
	p.SetUnknownReads(2)
	w.ReleaseWebhooks(nil)
	w.decided(p, bot.NoMerge, bot.CodeConflict)
	if w.updates() != 0 || len(p.State().Comments) != 1 {
		t.Errorf("%d updates, %d comments", w.updates(), len(p.State().Comments))
	}

	// GitHub knows of a conflict that the trees do not show; it says so at the third read.
	w = newWorld(t, enabled)
	w.repo.Commit("add", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}})
	p = w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add", Author: "contributor"})
	w.settle()
	w.HoldWebhooks()
	p.Review("maintainer", githubsim.Approved, "", "")
	p.SetUnknownReads(100)
	w.ReleaseWebhooks(nil)
	w.decided(p, bot.Hold, bot.CodeMergeUnknown)
	if w.updates() != 0 {
		t.Error("merged although mergeability was not known")
	}
}

func case090(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", githubsim.Files{
		".github/workflows/submissions.yml":            "on: push\n",
		"Submissions/com.example.demo-mcp/x.txt":       "x\n",
		packagePath("com.example.second-mcp", "1.0.0"): string(w.pack("com.example.second-mcp", "1.0.0", w.author)),
	})
	p.Review("maintainer", githubsim.Approved, "", "")
	s := w.decided(p, bot.Hold, bot.CodeOutside, bot.CodeSeveral)
	w.names(s, bot.CodeOutside, ".github/workflows/submissions.yml", "Submissions/com.example.demo-mcp/x.txt")
	if run := w.check(p.State().HeadSHA); run.Conclusion != "success" || !strings.Contains(run.Summary, "Submissions/com.example.demo-mcp/x.txt") {
		t.Errorf("%s\n%s", run.Conclusion, run.Summary)
	}
	if w.updates() != 0 {
		t.Error("merged")
	}
}

// names checks that a reason names each of some paths.
func (w *world) names(s bot.PullState, code bot.Code, paths ...string) {
	w.t.Helper()
	for _, r := range s.Progress.Reasons {
		if r.Code != code {
			continue
		}
		for _, p := range paths {
			if !strings.Contains(r.Sentence, p) {
				w.t.Errorf("%q does not name %s", r.Sentence, p)
			}
		}
	}
}

func case092(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.repo.Commit("staging", githubsim.Change{Files: githubsim.Files{"packages/azp/src/mcp.ts": "// staged\n"}})
	files := githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}
	w.repo.MoveBranch("add-demo", w.repo.Ref("staging"), "contributor")
	w.repo.Commit("add-demo", githubsim.Change{Files: files})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", BaseBranch: "staging", Author: "contributor"})
	s := w.decided(p, bot.Hold, bot.CodeNewPublisher)
	if s.Base != "staging" {
		t.Errorf("judged against %q", s.Base)
	}
	w.HoldWebhooks()
	p.Review("maintainer", githubsim.Approved, "", "")
	p.Retarget("contributor", "main")
	w.ReleaseWebhooks(nil)
	s = w.decided(p, bot.Hold, bot.CodeOutside)
	w.names(s, bot.CodeOutside, "packages/azp/src/mcp.ts")
	if w.updates() != 0 || s.Base != "main" {
		t.Errorf("%d updates, judged against %q", w.updates(), s.Base)
	}
	w.ResetCalls()
	p.Edit("contributor", "A new title", "")
	w.settle()
	if n := len(w.Calls()); n != 0 {
		t.Errorf("a new title costs %d calls", n)
	}
}

func case094(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	other := w.CreateRepo("other", "registry", githubsim.Files{".github/azphalt.yml": enabled})
	w.InstallApp(w.app, "other")
	w.settle()
	other.Commit("add", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}})
	w.HoldWebhooks()
	p := w.submit(id, "1.0.0", nil)
	q := other.OpenPR(githubsim.PROptions{HeadBranch: "add", Author: "contributor"})
	var opened [][]byte
	w.ReleaseWebhooks(func(held []githubsim.Delivery) []githubsim.Delivery {
		for _, d := range held {
			if d.Event == "pull_request" && d.Action == "opened" {
				opened = append(opened, d.Payload)
			}
		}
		return nil
	})
	w.settle()
	w.ResetCalls()
	const guid = "5312fd60-0000-4000-8000-00000000fade"
	for range 3 {
		w.Send(w.app, "pull_request", guid, opened[0])
	}
	w.Send(w.app, "pull_request", guid, opened[1])
	w.settle()
	w.stop()
	w.start() // the claim survives a restart
	w.Send(w.app, "pull_request", guid, opened[0])
	w.settle()
	if n := w.CountCalls("POST", "/repos/{owner}/{repo}/check-runs"); n != 2 {
		t.Errorf("%d check runs were created, want 2", n)
	}
	for _, c := range []struct {
		repo *githubsim.Repo
		sha  string
	}{{w.repo, p.State().HeadSHA}, {other, q.State().HeadSHA}} {
		if runs := c.repo.CheckRuns(c.sha); len(runs) != 1 || runs[0].Status != "completed" {
			t.Errorf("%s: %+v", c.repo.FullName(), runs)
		}
	}
}

func case096(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.repo.MoveBranch("staging", w.repo.Ref("main"), "maintainer")
	fork := w.Fork(w.repo, "contrib")
	fork.Commit("add-demo", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))}})
	seven := w.repo.OpenPR(githubsim.PROptions{Head: fork, HeadBranch: "add-demo", Author: "contrib"})
	nine := w.repo.OpenPR(githubsim.PROptions{Head: fork, HeadBranch: "add-demo", BaseBranch: "staging", Author: "contrib"})
	ten := w.submit("com.example.other", "1.0.0", nil)
	w.settle()
	before := map[*githubsim.PR]bot.PullState{seven: w.state(seven), nine: w.state(nine), ten: w.state(ten)}
	w.repo.RerequestSuite("maintainer", w.app, seven.State().HeadSHA)
	w.settle()
	for p, s := range before {
		looked := w.state(p).Done > s.Done
		if want := p != ten; looked != want {
			t.Errorf("%s was looked at again: %v, want %v", p, looked, want)
		}
	}
}

func case100(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{
		".github/workflows/submissions.yml": "on: push\n", "submissions/org.other.pkg/LICENSE": "MIT\n",
		packagePath("org.other.pkg", "1.0.0"): string(w.pack("org.other.pkg", "1.0.0", w.author)),
	}})
	w.start()
	w.repo.Commit("add-demo", githubsim.Change{
		Files: githubsim.Files{packagePath(id, "1.0.0"): string(w.pack(id, "1.0.0", w.author))},
		Rename: map[string]string{
			".github/workflows/submissions.yml": "submissions/com.example.demo-mcp/assets/notes.yml",
			"submissions/org.other.pkg/LICENSE": "submissions/com.example.demo-mcp/LICENSE",
		}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", Author: "contributor"})
	p.Review("maintainer", githubsim.Approved, "", "")
	s := w.decided(p, bot.Hold, bot.CodeOutside)
	w.names(s, bot.CodeOutside, ".github/workflows/submissions.yml", "submissions/org.other.pkg/LICENSE")
	if w.updates() != 0 {
		t.Error("merged")
	}
}

func case101(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p := w.submit(id, "1.0.0", nil)
	issue := w.repo.OpenIssue("stranger", "A question")
	w.settle()
	w.ResetCalls()
	hold := string(bot.HoldCommand)
	p.Comment("stranger", hold)
	p.Comment("maintainer", hold+"e")
	p.Comment("maintainer", "> "+hold)
	p.Comment("member-no-write", hold)
	other := p.Comment("maintainer", "Looks fine")
	p.EditComment("maintainer", other, hold)
	issue.Comment("maintainer", hold)
	p.Comment("maintainer", "```\n"+hold+"\n```")
	w.settle()
	if s := w.state(p); s.HeldBy != "" {
		t.Fatalf("held by %q", s.HeldBy)
	}
	asked := map[string]bool{}
	for _, c := range w.Calls() {
		if strings.HasSuffix(c.Path, "/permission") {
			parts := strings.Split(c.Path, "/")
			asked[parts[len(parts)-2]] = true
		} else {
			t.Errorf("%s %s was asked for a comment that is not obeyed", c.Method, c.Path)
		}
	}
	if asked["maintainer"] || asked["stranger"] || !asked["member-no-write"] {
		t.Errorf("asked for the permissions of %v", asked)
	}
	p.Comment("maintainer", hold+"\n\nuntil the vendor has answered")
	w.decided(p, bot.Hold, bot.CodeHeld)
	p.Comment("maintainer", string(bot.ReleaseCommand))
	if s := w.decided(p, bot.Hold, bot.CodeNewPublisher); s.HeldBy != "" {
		t.Error("not released")
	}
}

func case102(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled+"  required-checks: [\""+githubapp.CheckName+"\"]\n  approvals: 2\n")
	actions := w.CreateApp(githubsim.AppOptions{ID: 15368, Slug: "github-actions", Permissions: permissions})
	w.InstallApp(actions, "acme")
	w.repo.Commit("add-demo", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): "not a package"}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", Author: "contributor"})
	head := p.State().HeadSHA
	w.repo.AddCheckRun(actions, githubsim.CheckRun{Name: githubapp.CheckName, HeadSHA: head, Status: "completed", Conclusion: "success"})
	w.repo.AddStatus("contributor", head, githubsim.Status{Context: githubapp.CheckName, State: "success"})
	p.Review("maintainer", githubsim.Approved, "", "")
	w.decided(p, bot.NoMerge, bot.CodeErrors)
	if run := w.check(head); run.Conclusion != "failure" || w.updates() != 0 {
		t.Errorf("%s, %d updates", run.Conclusion, w.updates())
	}
}

func case103(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	const file = "submissions/com.example.demo-mcp/manifest.json"
	first, head := caseFile(t, "103-secret-in-earlier-commit", "commit1", file), caseFile(t, "103-secret-in-earlier-commit", "head", file)
	w.repo.Commit("add-demo", githubsim.Change{Files: githubsim.Files{file: first, "submissions/com.example.demo-mcp/LICENSE": "MIT\n"}})
	leaked := w.repo.Ref("add-demo")
	w.repo.Commit("add-demo", githubsim.Change{Files: githubsim.Files{file: head}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add-demo", Author: "contributor"})
	s := w.decided(p, bot.NoMerge, bot.CodeHistorySecret)
	w.names(s, bot.CodeHistorySecret, leaked[:12], file)
	run := w.check(p.State().HeadSHA)
	if run.Conclusion != "success" {
		t.Errorf("concluded %q", run.Conclusion)
	}
	stored, err := json.Marshal(s)
	must(t, err)
	const value = "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE"
	for what, text := range map[string]string{"summary": run.Summary, "store": string(stored), "log": w.log.String(), "comment": p.State().Comments[0].Body} {
		if strings.Contains(text, value) {
			t.Errorf("the %s holds the secret", what)
		}
	}
}

func case105(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	first := w.submit(id, "1.0.0", nil)
	first.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	if !first.State().Merged {
		t.Fatalf("%+v", w.state(first).Progress)
	}
	w.ResetCalls()
	other := newKey(t)
	w.repo.Commit("update", githubsim.Change{Files: githubsim.Files{packagePath(id, "1.1.0"): string(w.pack(id, "1.1.0", other))}})
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "update", Author: "newcomer"})
	p.Review("maintainer", githubsim.Approved, "", "")
	s := w.decided(p, bot.Hold, bot.CodePublisherChange)
	for _, r := range s.Progress.Reasons {
		if r.Code == bot.CodePublisherChange && !strings.Contains(r.Sentence, "publisher change") {
			t.Errorf("said as %q", r.Sentence)
		}
	}
	if run := w.check(p.State().HeadSHA); run.Conclusion != "success" || w.CountCalls("POST", "/repos/{owner}/{repo}/git/blobs") != 0 || w.updates() != 0 {
		t.Errorf("%s; something was signed or merged", run.Conclusion)
	}
	// By name, a maintainer can let it pass.
	p.Comment("maintainer", string(bot.ApprovePublisher))
	w.settle()
	if !p.State().Merged {
		t.Errorf("%+v", w.state(p).Progress)
	}
}
