package githubsim_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

var ctx = context.Background()

// all are the permissions of an App that may do everything that the tests do.
var all = githubsim.Permissions{
	"administration": "read", "checks": "write", "contents": "write", "issues": "write", "merge_queues": "read", "pull_requests": "write", "statuses": "write",
}

var allEvents = []string{
	"pull_request", "pull_request_review", "pull_request_review_comment", "issue_comment", "issues", "push", "check_run", "check_suite", "status", "merge_group",
}

// world is a Sim with an App that is installed on acme, whose repository has a reader, a writer and an administrator.
type world struct {
	*githubsim.Sim
	t       *testing.T
	app     *githubsim.App
	install *githubsim.Installation
	repo    *githubsim.Repo
	api     *github.Client // of the installation
}

const owner, name = "acme", "registry"

func newWorld(t *testing.T, o githubsim.Options) *world {
	t.Helper()
	o.Contract = filepath.Join("testdata", "openapi.json")
	s := githubsim.Start(t, o)
	w := &world{Sim: s, t: t, app: s.CreateApp(githubsim.AppOptions{Permissions: all, Events: allEvents})}
	w.repo = s.CreateRepo(owner, name, githubsim.Files{"README.md": "hello\n", "submissions/.keep": ""})
	w.repo.SetPermission("maintainer", githubsim.Write)
	w.repo.SetPermission("admin", githubsim.Admin)
	s.AddUser("stranger")
	w.install = s.InstallApp(w.app, owner)
	w.api = w.installed(w.app, w.install)
	t.Cleanup(func() { noteCalls(s.Calls()); fsck(t, w.repo) })
	return w
}

// installed is a client with an App's installation tokens, made as the bot makes it.
func (w *world) installed(app *githubsim.App, i *githubsim.Installation) *github.Client {
	w.t.Helper()
	transport, err := ghinstallation.New(http.DefaultTransport, app.ID, i.ID, app.PrivateKey)
	must(w.t, err)
	transport.BaseURL = w.URL() + "/api/v3"
	return w.client(&http.Client{Transport: transport})
}

// asApp is a client with an App's own tokens.
func (w *world) asApp() *github.Client {
	w.t.Helper()
	transport, err := ghinstallation.NewAppsTransport(http.DefaultTransport, w.app.ID, w.app.PrivateKey)
	must(w.t, err)
	transport.BaseURL = w.URL()
	return w.client(&http.Client{Transport: transport})
}

// as is a client with a person's token.
func (w *world) as(login string) *github.Client {
	return w.client(nil).WithAuthToken(w.Token(login))
}

// do sends a request that no client knows how to make and returns the status and body of the answer.
func (w *world) do(method, path, token, body string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.URL()+path, strings.NewReader(body))
	must(w.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	must(w.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	must(w.t, err)
	return resp.StatusCode, string(data)
}

func (w *world) client(h *http.Client) *github.Client {
	w.t.Helper()
	c, err := github.NewClient(h).WithEnterpriseURLs(w.URL(), w.URL())
	must(w.t, err)
	return c
}

// contribute opens a pull request with some files from a branch of the repository.
func (w *world) contribute(files githubsim.Files) *githubsim.PR {
	w.repo.Commit("contribution", githubsim.Change{Files: files})
	return w.repo.OpenPR(githubsim.PROptions{})
}

// contributeFromFork opens a pull request from a fork of "contributor".
func (w *world) contributeFromFork(files githubsim.Files) (*githubsim.PR, *githubsim.Repo) {
	fork := w.Fork(w.repo, "contributor")
	fork.Commit("contribution", githubsim.Change{Files: files})
	return w.repo.OpenPR(githubsim.PROptions{Head: fork}), fork
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks that a call was answered with a status.
func refused(t testing.TB, err error, status int) *github.ErrorResponse {
	t.Helper()
	var e *github.ErrorResponse
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an answer %d", err, status)
	}
	if e.Response.StatusCode != status {
		t.Fatalf("got %d %s, want %d", e.Response.StatusCode, e.Message, status)
	}
	return e
}

func eq[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// fsck lets git check a repository.
func fsck(t testing.TB, r *githubsim.Repo) {
	t.Helper()
	if _, err := os.Stat(r.GitDir()); err != nil {
		t.Fatalf("repository is gone: %v", err)
	}
	git(t, r, "fsck", "--full", "--strict", "--no-dangling")
}

func git(t testing.TB, r *githubsim.Repo, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"--git-dir", r.GitDir()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}
