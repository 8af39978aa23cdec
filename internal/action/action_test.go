package action

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/wat"
)

func TestOnlyWhatThePullRequestTouchesIsJudged(t *testing.T) {
	r := newRepo(t)
	r.commit(submission("com.example.old", broken))
	base := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(submission("com.example.new", ""))
	r.git("checkout", "-q", "main")
	r.commit(submission("com.example.later", broken)) // the base moved on: not the pull request's doing
	base2 := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "feature")

	for name, b := range map[string]string{"base of the branch": base, "base moved": base2} {
		o := r.clone("feature", 0).run("pull_request", pullRequest(b, head), nil)
		if o.status != 0 || o.paths() != "submissions/com.example.new:pass" {
			t.Errorf("%s: status %d, packages %q\n%s", name, o.status, o.paths(), o.stdout)
		}
		if o.outputs["verdict"] != "pass" || o.outputs["packages"] != "1" {
			t.Errorf("%s: outputs %v", name, o.outputs)
		}
	}
	o := r.run("pull_request", pullRequest(base, head), map[string]string{"INPUT_CHANGED-ONLY": "false"})
	if o.status != 1 || len(o.report.Packages) != 2 {
		t.Errorf("everything: status %d, packages %q", o.status, o.paths())
	}
}

func TestFindingsAreOnTheirLines(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(submission("com.example.new", broken))
	o := r.run("pull_request", pullRequest(base, head), nil)
	want := "::error file=submissions/com.example.new/manifest.json,line=13,col=18,endColumn=19,title=mcp/local-empty::"
	if o.status != 1 || !strings.Contains(o.stdout, want) {
		t.Errorf("status %d\n%s", o.status, o.stdout)
	}
	if !strings.Contains(o.summary, "com.example.new") || !strings.Contains(o.summary, "mcp/local-empty") {
		t.Errorf("summary\n%s", o.summary)
	}
	if o.outputs["verdict"] != "fail" || o.outputs["errors"] != "1" {
		t.Errorf("outputs %v", o.outputs)
	}
}

func TestNothingTouchedIsNothingToCheck(t *testing.T) {
	r := newRepo(t)
	base := r.commit(submission("com.example.old", broken))
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(map[string]string{"README.md": "x"})
	o := r.run("pull_request", pullRequest(base, head), nil)
	if o.status != 0 || len(o.report.Packages) != 0 || !strings.Contains(strings.ToLower(o.summary), "nothing to check") {
		t.Errorf("status %d %q\n%s", o.status, o.paths(), o.summary)
	}
}

func TestRemovedAndRenamedSubmissions(t *testing.T) {
	r := newRepo(t)
	base := r.commit(submission("com.example.old", ""))
	r.git("checkout", "-q", "-b", "feature")
	r.git("mv", "submissions/com.example.old", "submissions/com.example.new")
	head := r.commit(nil)
	o := r.run("pull_request", pullRequest(base, head), nil)
	if o.status != 1 || o.paths() != "submissions/com.example.new:fail" || o.report.Packages[0].Findings[0].Rule != "submission/folder-mismatch" {
		t.Errorf("renamed: status %d %q", o.status, o.paths())
	}
	if !strings.Contains(o.stdout, "submissions/com.example.old is removed") {
		t.Errorf("the removal is not said\n%s", o.stdout)
	}
	r.git("rm", "-q", "-r", "submissions/com.example.new")
	head = r.commit(nil)
	if o := r.run("pull_request", pullRequest(base, head), nil); o.status != 0 || len(o.report.Packages) != 0 {
		t.Errorf("removed: status %d %q", o.status, o.paths())
	}
}

func TestAFolderWithoutPackageIsMissingItsManifest(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(map[string]string{"submissions/com.example.empty/LICENSE": "MIT", "submissions/README.md": "no submission"})
	o := r.run("pull_request", pullRequest(base, head), nil)
	if o.status != 1 || o.paths() != "submissions/com.example.empty:fail" || o.report.Packages[0].Findings[0].Rule != "azp/manifest-missing" {
		t.Errorf("status %d %q", o.status, o.paths())
	}
}

// merged makes main the commit that GitHub checks out for a pull request: its head merged into the base.
func merged(t *testing.T, r *repo) (base, head string) {
	t.Helper()
	r.commit(submission("com.example.old", broken))
	r.git("checkout", "-q", "-b", "feature")
	head = r.commit(submission("com.example.new", broken))
	r.git("checkout", "-q", "main")
	base = r.commit(map[string]string{"README.md": "moved on"})
	r.git("checkout", "-q", "-b", "merge")
	r.git("merge", "-q", "--no-ff", "-m", "Merge", "feature")
	return base, head
}

func TestShallowCheckouts(t *testing.T) {
	r := newRepo(t)
	base, head := merged(t, r)
	full := r.clone("merge", 0).run("pull_request", pullRequest(base, head), nil)
	if full.paths() != "submissions/com.example.new:fail" || strings.Contains(full.stdout, "fetch-depth") {
		t.Errorf("all history: %q\n%s", full.paths(), full.stdout)
	}
	two := r.clone("merge", 2).run("pull_request", pullRequest(base, head), nil)
	if two.paths() != "submissions/com.example.new:fail" {
		t.Errorf("depth 2: %q\n%s", two.paths(), two.stdout)
	}
	one := r.clone("merge", 1).run("pull_request", pullRequest(base, head), nil)
	if len(one.report.Packages) != 2 || !strings.Contains(one.stdout, "fetch-depth: 0") || !strings.Contains(one.summary, "fetch") {
		t.Errorf("depth 1: %q\n%s", one.paths(), one.stdout)
	}
}

// The case 081-merge-ref-versus-head: the lines are those of the head, not those of the merge.
func TestLinesAreThoseOfTheHead(t *testing.T) {
	const file = "submissions/com.example.demo-mcp/manifest.json"
	read := func(side string) string {
		data, err := os.ReadFile("../../testdata/cases/081-merge-ref-versus-head/" + side + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(map[string]string{file: read("head"), "submissions/com.example.demo-mcp/LICENSE": "MIT"})
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "Merge", "feature")
	r.commit(map[string]string{file: read("merge")}) // what a merge with a moved base could look like
	o := r.run("pull_request", pullRequest(base, head), nil)
	if len(o.report.Packages) != 1 {
		t.Fatalf("%q\n%s", o.paths(), o.stdout)
	}
	line := 0
	for _, f := range o.report.Packages[0].Findings {
		if f.Rule == "mcp/literal-secret" {
			line = f.Line
		}
	}
	if line != 25 {
		t.Errorf("line %d, want 25\n%s", line, o.stdout)
	}
}

func TestOtherEvents(t *testing.T) {
	r := newRepo(t)
	base := r.commit(submission("com.example.old", broken))
	head := r.commit(submission("com.example.new", ""))
	for name, event := range map[string]any{
		"push":        map[string]any{"before": base, "after": head},
		"merge_group": map[string]any{"merge_group": map[string]any{"base_sha": base, "head_sha": head}},
	} {
		if o := r.run(name, event, nil); o.status != 0 || o.paths() != "submissions/com.example.new:pass" {
			t.Errorf("%s: status %d %q\n%s", name, o.status, o.paths(), o.stdout)
		}
	}
	for name, event := range map[string]any{
		"workflow_dispatch": map[string]any{},
		"schedule":          map[string]any{},
		"push":              map[string]any{"before": strings.Repeat("0", 40), "after": head},
	} {
		if o := r.run(name, event, nil); o.status != 1 || len(o.report.Packages) != 2 {
			t.Errorf("%s: status %d %q\n%s", name, o.status, o.paths(), o.stdout)
		}
	}
}

func TestTheConfigurationIsThatOfTheBase(t *testing.T) {
	r := newRepo(t)
	files := submission("com.example.old", "")
	files[".github/azphalt.yml"] = "rules: { mcp/unknown: warning }\n"
	base := r.commit(files)
	r.git("checkout", "-q", "-b", "feature")
	change := submission("com.example.new", "")
	change["submissions/com.example.new/manifest.json"] = strings.ReplaceAll(manifest("com.example.new", ""), "MIT", "Unheard-of")
	change[".github/azphalt.yml"] = "rules: { manifest/license-not-spdx: off }\n"
	head := r.commit(change)
	o := r.run("pull_request", pullRequest(base, head), nil)
	if o.status != 1 || !strings.Contains(o.stdout, "manifest/license-not-spdx") {
		t.Errorf("the change loosened its own judge: status %d\n%s", o.status, o.stdout)
	}
	if strings.Contains(o.stdout, "file=.github/azphalt.yml") {
		t.Errorf("the change mends the base's configuration, whose fault is said all the same\n%s", o.stdout)
	}
	head = r.commit(map[string]string{".github/azphalt.yml": "rules: { mcp/unknown: warning, other/unknown: off }\n"})
	if o := r.run("pull_request", pullRequest(base, head), nil); !strings.Contains(o.stdout, "file=.github/azphalt.yml,line=1") {
		t.Errorf("the fault in the configuration that the change brings is not said\n%s", o.stdout)
	}
	r.git("checkout", "-q", "-f", "-b", "other", base)
	head = r.commit(submission("com.example.third", ""))
	if o := r.run("pull_request", pullRequest(base, head), nil); o.status != 1 || !strings.Contains(o.stdout, "file=.github/azphalt.yml,line=1") {
		t.Errorf("the fault in the base's configuration is not said: status %d\n%s", o.status, o.stdout)
	}
}

func TestFilesAreWrittenIntoTheWorkspaceAndThroughNoLink(t *testing.T) {
	r := newRepo(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	base := r.commit(map[string]string{"README.md": "x"})
	for _, name := range []string{reportFile, "out.sarif"} {
		if err := os.Symlink(outside, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(r.dir, "dir")); err != nil {
		t.Fatal(err)
	}
	head := r.commit(submission("com.example.new", ""))
	o := r.run("pull_request", pullRequest(base, head), map[string]string{"INPUT_SARIF-FILE": "out.sarif"})
	if o.status != 0 || o.outputs["sarif"] != "out.sarif" {
		t.Errorf("status %d %v\n%s", o.status, o.outputs, o.stdout)
	}
	if o := r.run("pull_request", pullRequest(base, head), map[string]string{"INPUT_SARIF-FILE": "dir/out.sarif"}); o.status != 3 {
		t.Errorf("a file was written through a link: status %d", o.status)
	}
	if data, _ := os.ReadFile(outside); string(data) != "precious" {
		t.Errorf("a file outside was overwritten: %.40q", data)
	}
}

func TestWrongInputsAndEvents(t *testing.T) {
	r := newRepo(t)
	head := r.commit(submission("com.example.new", ""))
	for name, env := range map[string]map[string]string{
		"fail-on":     {"INPUT_FAIL-ON": "sometimes"},
		"annotations": {"INPUT_ANNOTATIONS": "loud"},
		"path":        {"INPUT_PATH": "../elsewhere"},
		"sarif-file":  {"INPUT_SARIF-FILE": "/etc/passwd"},
		"probe":       {"INPUT_PROBE": "all"},
	} {
		if o := r.run("pull_request", pullRequest(head, head), env); o.status != 3 || !strings.Contains(o.stdout, "::error title=azphalt::input "+name) {
			t.Errorf("%s: status %d\n%s", name, o.status, o.stdout)
		}
	}
	for name, event := range map[string]any{
		"no object id": pullRequest("main; rm -rf /", head),
		"no object":    []any{"x"},
	} {
		if o := r.run("pull_request", event, nil); o.status != 3 {
			t.Errorf("%s: status %d\n%s", name, o.status, o.stdout)
		}
	}
	absent := strings.Repeat("ab", 20)
	if o := r.run("pull_request", pullRequest(absent, absent), nil); o.status != 3 || !strings.Contains(o.stdout, "fetch-depth") {
		t.Errorf("absent head: status %d\n%s", o.status, o.stdout)
	}
}

// Servers are asked only where the workflow says so; what they say, and what goes wrong, fails nothing.
func TestServersAreAskedWhereTheWorkflowSaysSo(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	r.git("checkout", "-q", "-b", "feature")
	files := submission("com.example.new", `
        "local": { "wasi": { "module": "server/s.wasm" } },`)
	module, err := wat.Assemble(`(module (func (export "_start")))`)
	if err != nil {
		t.Fatal(err)
	}
	files["submissions/com.example.new/server/s.wasm"] = string(module)
	head := r.commit(files)
	if o := r.run("pull_request", pullRequest(base, head), nil); o.status != 0 || strings.Contains(o.stdout, "offers/") {
		t.Errorf("unasked: status %d\n%s", o.status, o.stdout)
	}
	o := r.run("pull_request", pullRequest(base, head), map[string]string{"INPUT_PROBE": "wasi"})
	if o.status != 0 || !strings.Contains(o.stdout, "title=offers/no-answer::") || !strings.Contains(o.summary, "offers/no-answer") {
		t.Errorf("asked: status %d\n%s", o.status, o.stdout)
	}
}

// standIn is a stand-in for the API.
func standIn(t *testing.T, handle http.HandlerFunc) map[string]string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return map[string]string{"GITHUB_API_URL": s.URL, "INPUT_TOKEN": "token"}
}

func TestMissingBaseIsAskedForWithAToken(t *testing.T) {
	r := newRepo(t)
	base, head := merged(t, r)
	env := standIn(t, func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, "/repos/acme/registry/pulls/7/files") {
			t.Errorf("path %s", req.URL.Path)
		}
		if req.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, `[{"filename":"submissions/com.example.new/LICENSE","status":"added"}]`)
			return
		}
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, req.Host, req.URL.Path))
		fmt.Fprint(w, `[{"filename":"README.md","previous_filename":"submissions/com.example.gone/manifest.json","status":"renamed"}]`)
	})
	o := r.clone("merge", 1).run("pull_request", pullRequest(base, head), env)
	if o.paths() != "submissions/com.example.new:fail" || !strings.Contains(o.stdout, "com.example.gone is removed") {
		t.Errorf("%q\n%s", o.paths(), o.stdout)
	}
	// A server that names no next page: what is on the second page is checked, too.
	silent := standIn(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, `[{"filename":"submissions/com.example.new/LICENSE"}]`)
			return
		}
		page := make([]string, 100)
		for i := range page {
			page[i] = fmt.Sprintf(`{"filename":"docs/%d.md"}`, i)
		}
		fmt.Fprint(w, "["+strings.Join(page, ",")+"]")
	})
	if o = r.clone("merge", 1).run("pull_request", pullRequest(base, head), silent); o.paths() != "submissions/com.example.new:fail" {
		t.Errorf("without a Link header: %q\n%s", o.paths(), o.stdout)
	}
	refused := standIn(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	o = r.clone("merge", 1).run("pull_request", pullRequest(base, head), refused)
	if len(o.report.Packages) != 2 || !strings.Contains(o.stdout, "fetch-depth: 0") {
		t.Errorf("refused: %q\n%s", o.paths(), o.stdout)
	}
}

func TestCheckRunAndItsFallBack(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	head := r.commit(submission("com.example.new", ""))
	var sha, conclusion string
	env := standIn(t, func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			HeadSHA    string `json:"head_sha"`
			Conclusion string
		}
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sha, conclusion = body.HeadSHA, body.Conclusion
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":1}`)
	})
	env["INPUT_ANNOTATIONS"] = "check-run"
	if o := r.run("pull_request", pullRequest(base, head), env); o.status != 0 || sha != head || conclusion != "success" || strings.Contains(o.stdout, "::error") {
		t.Errorf("status %d, check on %s: %s\n%s", o.status, sha, conclusion, o.stdout)
	}
	// The case 082-fork-read-only-token: 403 once, then workflow commands; the exit code follows the findings.
	calls := 0
	env = standIn(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"message":"Resource not accessible by integration"}`)
	})
	env["INPUT_ANNOTATIONS"] = "check-run"
	if o := r.run("pull_request", pullRequest(base, head), env); o.status != 0 || calls != 1 || !strings.Contains(o.stdout, "workflow commands are used instead") || strings.Contains(o.stdout, "pull_request_target") {
		t.Errorf("status %d after %d calls\n%s", o.status, calls, o.stdout)
	}
	bad := r.commit(submission("com.example.new", broken))
	if o := r.run("pull_request", pullRequest(base, bad), env); o.status != 1 || !strings.Contains(o.stdout, "::error file=") {
		t.Errorf("status %d\n%s", o.status, o.stdout)
	}
}

// The case 084-findings-must-not-echo-secrets, with debugging on: what the rules for names find shows in no output.
func TestNoSecretInAnyOutput(t *testing.T) {
	data, err := os.ReadFile("../../testdata/cases/084-findings-must-not-echo-secrets/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	head := r.commit(map[string]string{"submissions/com.example.leaky/manifest.json": string(data), "submissions/com.example.leaky/LICENSE": "MIT"})
	o := r.run("pull_request", pullRequest(base, head), map[string]string{"RUNNER_DEBUG": "1", "INPUT_SARIF-FILE": "out.sarif"})
	sarif, err := os.ReadFile(filepath.Join(r.dir, "out.sarif"))
	if err != nil || o.status != 1 {
		t.Fatal(err, o.status)
	}
	report, err := os.ReadFile(filepath.Join(r.dir, reportFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"log": o.stdout, "summary": o.summary, "SARIF": string(sarif), "report": string(report)} {
		for _, secret := range []string{"FAKEFAKE", "AKIAFAKE", "FAKEpass"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %q", name, secret)
			}
		}
	}
}

// block is a service block of a role that serves over an unknown transport.
const block = `---
classification: native_server
direction: server
transport: carrier_pigeon
`

func TestRolesThatThePullRequestTouches(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{
		"roles/web-app-old/meta/mcp.yml": block, "roles/web-app-old/meta/services.yml": "{}\n", "README.md": "x",
	})
	r.git("checkout", "-q", "-b", "feature")
	readme := r.commit(map[string]string{"README.md": "y"})
	if o := r.run("pull_request", pullRequest(base, readme), nil); o.status != 0 || len(o.report.Roles) != 0 {
		t.Errorf("nothing touched: status %d, %d roles\n%s", o.status, len(o.report.Roles), o.stdout)
	}
	head := r.commit(map[string]string{"roles/web-app-new/meta/mcp.yml": block, "roles/web-app-new/tasks/main.yml": "[]\n"})
	o := r.run("pull_request", pullRequest(base, head), nil)
	if o.status != 1 || len(o.report.Roles) != 1 || o.report.Roles[0].Path != "roles/web-app-new" {
		t.Errorf("status %d, roles %+v\n%s", o.status, o.report.Roles, o.stdout)
	}
	if !strings.Contains(o.stdout, "::error file=roles/web-app-new/meta/mcp.yml,line=4,") || strings.Contains(o.stdout, "file=roles/web-app-old") {
		t.Errorf("annotations\n%s", o.stdout)
	}
	if !strings.Contains(o.stdout, "Roles that this change does not touch have") {
		t.Errorf("the others' findings are not counted\n%s", o.stdout)
	}
	if !strings.Contains(o.summary, "roles/web-app-old/meta/mcp.yml:4") {
		t.Errorf("the others' findings are not listed\n%s", o.summary)
	}
	if o := r.run("pull_request", pullRequest(base, head), map[string]string{"INPUT_ROLES": "off"}); o.status != 0 || len(o.report.Roles) != 0 {
		t.Errorf("off: status %d", o.status)
	}
	if o := r.run("workflow_dispatch", map[string]any{}, nil); len(o.report.Roles) != 2 {
		t.Errorf("everything: %d roles", len(o.report.Roles))
	}
	if o := r.run("workflow_dispatch", map[string]any{}, map[string]string{"INPUT_ROLES": "elsewhere"}); o.status != 3 {
		t.Errorf("a folder without roles: status %d", o.status)
	}
}
