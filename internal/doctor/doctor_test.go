package doctor

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/githubsim"
)

// patient is a repository in which all is as it should be, until a test changes that.
type patient struct {
	*githubsim.Sim
	app     *githubsim.App
	install *githubsim.Installation
	repo    *githubsim.Repo
	rules   int64 // the ruleset of its branch
	options Options
}

const workflowPath = workflowFolder + "/verify-submissions.yml"

// example is the workflow that users are told to copy.
func example(t *testing.T) string {
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "verify-submissions.yml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func newPatient(t *testing.T) *patient {
	p := &patient{Sim: githubsim.Start(t, githubsim.Options{Contract: filepath.Join("..", "githubsim", "testdata", "openapi.json")})}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	t.Cleanup(hook.Close)
	p.app = p.CreateApp(githubsim.AppOptions{Permissions: githubapp.Permissions, Events: githubapp.Events, WebhookURL: hook.URL})
	p.repo = p.CreateRepo("acme", "registry", githubsim.Files{config.Path: "merge:\n  enabled: true\n", workflowPath: example(t), "registry/.keep": ""})
	p.install = p.InstallApp(p.app, "acme")
	p.rules = p.repo.AddRuleset(p.sound())
	p.options = Options{Owner: "acme", Name: "registry", GitHub: p.URL(), AppID: p.app.ID, AppKey: p.app.PrivateKey}
	return p
}

// sound is a ruleset as docs/bot.md asks for.
func (p *patient) sound() githubsim.Ruleset {
	return githubsim.Ruleset{
		Name: "main", Checks: []githubsim.RequiredCheck{{Context: githubapp.CheckName, App: p.app.ID}}, Reviews: &githubsim.RequiredReviews{},
		NoDeletion: true, NoForcePush: true, Bypass: []githubsim.BypassActor{{App: p.app}},
	}
}

// protect puts another ruleset in the place of the sound one.
func (p *patient) protect(change func(*githubsim.Ruleset)) {
	p.repo.RemoveRuleset(p.rules)
	rs := p.sound()
	change(&rs)
	p.rules = p.repo.AddRuleset(rs)
}

func (p *patient) write(name, text string) {
	p.repo.Commit("main", githubsim.Change{Files: githubsim.Files{name: text}})
}

func (p *patient) examine(t *testing.T) *Report {
	t.Helper()
	p.WaitDelivered(0)
	r, err := Examine(context.Background(), p.options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAllIsWell(t *testing.T) {
	p := newPatient(t)
	r := p.examine(t)
	if got := text(t, r); r.Count(Fault)+r.Count(Unknown) != 0 || !strings.HasSuffix(got, "\nAll is well.\n") || r.Count(Good) != 6 {
		t.Errorf("%s", got)
	}
}

// TestFaults breaks one thing at a time: it must be found, with its mend, and nothing else.
func TestFaults(t *testing.T) {
	without := func(name string) githubsim.Permissions {
		m := maps.Clone(githubsim.Permissions(githubapp.Permissions))
		delete(m, name)
		return m
	}
	edit := func(old, new string) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) {
			text := example(t)
			if !strings.Contains(text, old) {
				t.Fatalf("the example has no %q", old)
			}
			p.write(workflowPath, strings.Replace(text, old, new, 1))
		}
	}
	settings := func(text string) func(*testing.T, *patient) {
		return func(_ *testing.T, p *patient) { p.write(config.Path, text) }
	}
	const api = "merge:\n  enabled: true\n  strategy: api\n"
	for name, c := range map[string]struct {
		broken     func(*testing.T, *patient)
		says, mend string
	}{
		"permission":    {func(_ *testing.T, p *patient) { p.SetPermissions(p.install, without("issues")) }, "lacks the permission issues: write", "has to accept it"},
		"not installed": {func(_ *testing.T, p *patient) { p.Uninstall(p.install) }, "is not installed", "/installations/new"},
		"suspended":     {func(_ *testing.T, p *patient) { p.Suspend(p.install, true) }, "is suspended", "Take it up again"},
		"no webhook":    {func(_ *testing.T, p *patient) { p.SetWebhook(p.app, "", "") }, "has no webhook", "/webhook at its end"},
		"config":        {settings("merge:\n  enabled: yes please\n"), config.Path + ", line 2", "nothing is merged"},
		"no workflow": {func(_ *testing.T, p *patient) {
			p.repo.Commit("main", githubsim.Change{Delete: []string{workflowPath}})
		}, "No workflow runs the Action", "Copy examples/"},
		"unpinned":        {edit("azphalt/submissions@v1", "azphalt/submissions@main"), `from "main"`, "azphalt/submissions@v1"},
		"paths":           {edit("  pull_request:\n", "  pull_request:\n    paths: [submissions/**]\n"), "filters pull_request by paths", "Take the filter out"},
		"branches":        {edit("  pull_request:\n", "  pull_request:\n    branches: [master, 'release/**']\n"), "does not run on pull_request for the branch main", "Add the branch"},
		"merge_group":     {edit("  merge_group:\n", ""), "does not run on merge_group", "merge_group:"},
		"no pull_request": {edit("  pull_request:\n", ""), "does not run on pull_request", "pull_request:"},
		"target":          {edit("  pull_request:\n", "  pull_request:\n  pull_request_target:\n"), "runs on pull_request_target", "on pull_request instead"},
		"token":           {edit("contents: read", "contents: write"), "can write (contents)", "contents: read"},
		"write-all":       {edit("permissions:\n  contents: read", "permissions: write-all"), "can write (all)", "contents: read"},
		"silent token":    {edit("permissions:\n  contents: read\n", ""), "says nothing of its token", "contents: read"},
		"shallow":         {edit("fetch-depth: 0", "fetch-depth: 1"), "without the history", "fetch-depth: 0"},
		"token left":      {edit("persist-credentials: false", "persist-credentials: true"), "leaves its token", "persist-credentials: false"},
		"no checkout":     {edit("actions/checkout@v6", "acme/other@v1"), "does not check the repository out", "actions/checkout"},
		"broken workflow": {edit("  pull_request:\n", "  pull_request: [\n"), "can't be read as a workflow", "Compare it"},
		"not required":    {func(_ *testing.T, p *patient) { p.protect(func(r *githubsim.Ruleset) { r.Checks = nil }) }, "is not required", "the bot's App as its source"},
		"from anybody":    {func(_ *testing.T, p *patient) { p.protect(func(r *githubsim.Ruleset) { r.Checks[0].App = 0 }) }, "from any source", "the bot's App as its source"},
		"from another":    {func(_ *testing.T, p *patient) { p.protect(func(r *githubsim.Ruleset) { r.Checks[0].App = 15368 }) }, "from another App (15368)", "the bot's App as its source"},
		"no bypass":       {func(_ *testing.T, p *patient) { p.protect(func(r *githubsim.Ruleset) { r.Bypass = nil }) }, "The ruleset “main” refuses what the bot writes to main: changes need a pull request, checks are required", "Bypass list: add the App"},
		"bypass for pulls": {func(_ *testing.T, p *patient) {
			p.protect(func(r *githubsim.Ruleset) { r.Bypass[0].PullRequestOnly = true })
		}, "The ruleset “main” refuses", "the mode Always"},
		"classic pulls": {func(_ *testing.T, p *patient) {
			p.repo.Protect(githubsim.Protection{Branch: "main", Reviews: &githubsim.RequiredReviews{}})
		}, "changes need a pull request", "let the App bypass"},
		"classic pushers": {func(_ *testing.T, p *patient) {
			p.repo.Protect(githubsim.Protection{Branch: "main", Restrict: &githubsim.Pushers{}})
		}, "not among those who may push", "let the App push"},
		"classic checks": {func(_ *testing.T, p *patient) {
			p.repo.Protect(githubsim.Protection{Branch: "main", Checks: []githubsim.RequiredCheck{{Context: githubapp.CheckName, App: p.app.ID}}})
		}, "checks on the merge commit itself", "a ruleset"},
		"classic linear": {func(_ *testing.T, p *patient) {
			p.repo.Protect(githubsim.Protection{Branch: "main", LinearHistory: true})
		}, "merge commits are refused", "linear history"},
		"classic signatures": {func(_ *testing.T, p *patient) { p.repo.Protect(githubsim.Protection{Branch: "main", Signatures: true}) }, "commits need signatures", "a ruleset"},
		"locked":             {func(_ *testing.T, p *patient) { p.repo.Protect(githubsim.Protection{Branch: "main", Locked: true}) }, "the branch is locked", "unlock it"},
		"method": {func(_ *testing.T, p *patient) {
			p.protect(func(r *githubsim.Ruleset) { r.AllowedMethods = []string{"squash"} })
			p.write(config.Path, api)
		}, "by the method merge: a ruleset does not allow it", "merge.method"},
		"registry branch": {func(_ *testing.T, p *patient) {
			p.repo.AddRuleset(githubsim.Ruleset{Name: "records", Include: []string{"refs/heads/registry"}, NoUpdate: true})
			p.write(config.Path, api)
		}, "writes to registry: updates are restricted", "Bypass list: add the App"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			c.broken(t, p)
			p.options.Token = p.Token("maintainer") // for what the App can't see once it is gone
			r := p.examine(t)
			if r.Count(Fault) != 1 {
				t.Fatalf("%d faults:\n%s", r.Count(Fault), text(t, r))
			}
			for _, one := range r.Results {
				if one.State == Fault && (!strings.Contains(one.Says, c.says) || !strings.Contains(one.Mend, c.mend)) {
					t.Errorf("%q → %q, want %q → %q", one.Says, one.Mend, c.says, c.mend)
				}
			}
		})
	}
}

// TestDeliveries says what the latest answer to a webhook means.
func TestDeliveries(t *testing.T) {
	p := newPatient(t)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer hook.Close()
	p.SetWebhook(p.app, hook.URL, "another secret")
	p.repo.OpenPR(githubsim.PROptions{HeadBranch: func() string { p.repo.Commit("x", githubsim.Change{Files: githubsim.Files{"a": "b"}}); return "x" }(), Author: "contributor"})
	for !p.WaitDelivered(0) {
	}
	if got := text(t, p.examine(t)); !strings.Contains(got, "answered with 401") || !strings.Contains(got, "AZP_WEBHOOK_SECRET differ") {
		t.Error(got)
	}
}

// TestWithAToken looks with the eyes of people: what they can't see is said, and is no fault.
func TestWithAToken(t *testing.T) {
	p := newPatient(t)
	p.repo.SetPermission("owner", githubsim.Admin)
	p.options.AppKey, p.options.Token = nil, p.Token("owner")
	if r := p.examine(t); r.Count(Fault)+r.Count(Unknown) != 0 {
		t.Errorf("an administrator:\n%s", text(t, r))
	}
	p.options.AppID = 0
	if r := p.examine(t); r.Count(Fault) != 0 || r.Count(Unknown) != 1 {
		t.Errorf("which App it is, is not known:\n%s", text(t, r))
	}
	p.options.AppID, p.options.Token = p.app.ID, ""
	if r := p.examine(t); r.Count(Fault) != 0 || r.Count(Unknown) != 1 {
		t.Errorf("anybody:\n%s", text(t, r))
	}
}

// TestRulesThatCanNotBeRead are neither called absent nor harmless.
func TestRulesThatCanNotBeRead(t *testing.T) {
	p := newPatient(t)
	p.Inject(githubsim.Rule{Method: "GET", Path: "/repos/{owner}/{repo}/rules/branches/{branch}", Effect: githubsim.Fail(http.StatusNotImplemented)})
	r := p.examine(t)
	if got := text(t, r); r.Count(Fault) != 0 || r.Count(Unknown) != 1 || strings.Contains(got, "is not required") || strings.Contains(got, "Nothing refuses") {
		t.Errorf("%s", got)
	}
}

func TestCanNotLook(t *testing.T) {
	p := newPatient(t)
	for name, change := range map[string]func(*Options){
		"no such repository": func(o *Options) { o.Name = "other"; o.AppKey = nil },
		"another App":        func(o *Options) { o.AppID = 7 },
		"no key":             func(o *Options) { o.AppKey = []byte("-----BEGIN SECRET") },
		"bad token":          func(o *Options) { o.AppKey, o.Token = nil, "ghp_wrong" },
		"no server":          func(o *Options) { o.GitHub = "http://127.0.0.1:1" },
		"no address":         func(o *Options) { o.GitHub = "github" },
	} {
		o := p.options
		change(&o)
		r, err := Examine(context.Background(), o)
		if err == nil {
			t.Errorf("%s: %s", name, text(t, r))
		} else if strings.Contains(err.Error(), "BEGIN") || strings.Contains(err.Error(), "ghp_") {
			t.Errorf("%s: the error holds a secret: %v", name, err)
		}
	}
}

// TestHostileText keeps what strangers wrote from reaching a terminal as anything but text.
func TestHostileText(t *testing.T) {
	p := newPatient(t)
	p.write(workflowFolder+"/\x1b[31mred.yml", strings.Replace(example(t), "azphalt/submissions@v1", "\"azphalt/submissions@\\e[2J\"", 1))
	if got := text(t, p.examine(t)); strings.ContainsRune(got, 0x1b) || !strings.Contains(got, "red.yml") {
		t.Errorf("%q", got)
	}
}

// FuzzWorkflow judges workflows: whatever their text, nothing may panic or hang.
func FuzzWorkflow(f *testing.F) {
	f.Add([]byte("on: push\njobs: {a: {steps: [{uses: azphalt/submissions@v1}]}}\n"))
	f.Add([]byte("on: [pull_request, merge_group]\npermissions: read-all\njobs: {a: {permissions: {checks: write}, steps: [{uses: actions/checkout@v6, with: {fetch-depth: 0}}, {uses: azphalt/submissions@v1}]}}\n"))
	f.Add([]byte("on: {pull_request: {branches: ['!main', 'm*']}, schedule: [{cron: '* * * * *'}]}\njobs: &a {a: *a}\n# azphalt/submissions@v1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &examination{Report: Report{Branch: "main"}}
		if e.judgeWorkflow("w.yml", data) && len(e.Results) == 0 {
			t.Error("it runs the Action, and nothing is said of it")
		}
	})
}
