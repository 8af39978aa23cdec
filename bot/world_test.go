package bot_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
	"github.com/azphalt/submissions/internal/pgtest"
)

// world is a stand-in for GitHub with a registry on it, and the bot at work there.
type world struct {
	*githubsim.Sim
	t        *testing.T
	app      *githubsim.App
	install  *githubsim.Installation
	repo     *githubsim.Repo
	registry azp.PrivateKey
	author   azp.PrivateKey
	database string
	settings bot.Settings
	db       *bot.Database
	bot      *bot.Bot
	hook     *httptest.Server
	log      *bytes.Buffer
	stop     func()
	steps    sync.Map // of functions to be run once before a step of that name

	mergeBegins int // number of the last call before a merge; 0: there was none
}

// atStep runs f once, before a step of the bot.
func (w *world) atStep(name string, f func()) { w.steps.Store(name, f) }

func (w *world) onStep(name string) {
	if f, ok := w.steps.LoadAndDelete(name); ok {
		f.(func())()
	}
}

const enabled = "merge:\n  enabled: true\n"

var permissions = githubsim.Permissions{
	"checks": "write", "contents": "write", "issues": "write", "pull_requests": "write", "metadata": "read", "administration": "read", "merge_queues": "read",
}

var events = []string{"pull_request", "pull_request_review", "issue_comment", "push", "check_run", "check_suite", "merge_group"}

// newWorld starts everything, with a configuration on the base branch.
func newWorld(t *testing.T, config string) *world {
	w := newStage(t, config, githubsim.Options{})
	w.start()
	return w
}

// newStage starts all but the bot, whose memory is the embedded database or, where AZP_TEST_STORIES is "postgres", one on the
// server that AZP_TEST_POSTGRES names.
func newStage(t *testing.T, config string, o githubsim.Options) *world {
	t.Helper()
	o.Contract = filepath.Join("..", "internal", "githubsim", "testdata", "openapi.json")
	w := &world{Sim: githubsim.Start(t, o), t: t, registry: newKey(t), author: newKey(t), log: &bytes.Buffer{}}
	w.app = w.CreateApp(githubsim.AppOptions{ID: ours, Permissions: permissions, Events: events})
	w.repo = w.CreateRepo("acme", "azp-registry", githubsim.Files{"README.md": "hello\n", ".github/azphalt.yml": config, "submissions/.keep": ""})
	w.repo.SetPermission("maintainer", githubsim.Write)
	w.repo.SetPermission("member-no-write", githubsim.Read)
	for _, login := range []string{"stranger", "contributor", "newcomer"} {
		w.AddUser(login)
	}
	w.install = w.InstallApp(w.app, "acme")
	w.database = "sqlite:" + filepath.Join(t.TempDir(), "bot.db")
	if os.Getenv("AZP_TEST_STORIES") == "postgres" {
		w.database = pgtest.Database(t)
	}
	w.settings = bot.Settings{Poll: 100 * time.Millisecond}
	return w
}

// start starts the bot. It ends with the test, or by w.stop.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cache, err := bot.NewCache(w.t.TempDir(), 64<<20)
	must(w.t, err)
	metrics := bot.NewMetrics()
	app, err := bot.NewApp(bot.AppOptions{ID: w.app.ID, Key: w.app.PrivateKey, URL: w.URL(), Cache: cache, Observer: metrics})
	must(w.t, err)
	w.db, err = bot.OpenDatabase(ctx, w.database)
	must(w.t, err)
	log := slog.New(slog.NewTextHandler(syncWriter(w.t, w.log), nil))
	w.bot = &bot.Bot{Hub: app, Store: w.db.Store, AppID: w.app.ID, Key: w.registry, KeyID: "registry", Log: log, Metrics: metrics, Wait: 5 * time.Millisecond, Step: w.onStep}
	must(w.t, w.db.Prepare(ctx, w.bot, w.settings))
	w.hook = httptest.NewServer(&bot.Webhook{Secret: []byte(w.app.WebhookSecret), AppID: w.app.ID, Inbox: w.db, Log: log, Metrics: metrics})
	w.SetWebhook(w.app, w.hook.URL, w.app.WebhookSecret)
	const sweeping = "/app/hook/deliveries"
	before := w.CountCalls("GET", sweeping)
	done := make(chan error, 1)
	go func() { done <- w.db.Serve(ctx) }()
	for w.CountCalls("GET", sweeping) == before {
		time.Sleep(5 * time.Millisecond)
	}
	w.settle() // the sweep at the start is over before a story begins
	stopped := false
	w.stop = func() {
		if stopped {
			return
		}
		stopped = true
		w.hook.Close()
		cancel()
		must(w.t, <-done)
		must(w.t, w.db.Close())
	}
	w.t.Cleanup(func() {
		w.stop()
		if w.t.Failed() && testing.Verbose() {
			w.t.Log(w.log.String())
		}
	})
}

// settle waits until the bot has done all that it was told.
func (w *world) settle() {
	w.t.Helper()
	calm := 0
	for range 3000 {
		depth, _, err := w.db.Depth(context.Background())
		must(w.t, err)
		if depth == 0 && w.WaitDelivered(time.Second) {
			if calm++; calm >= 3 {
				return
			}
		} else {
			calm = 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("the bot never comes to rest:\n%s", w.log.String())
}

// state is what the bot has stored about a pull request.
func (w *world) state(p *githubsim.PR) bot.PullState {
	w.t.Helper()
	s, err := w.db.Store.Pull(context.Background(), w.repo.ID(), p.Number)
	must(w.t, err)
	return s
}

// decided checks what the bot decided, and that a code is among the reasons.
func (w *world) decided(p *githubsim.PR, want bot.Action, codes ...bot.Code) bot.PullState {
	w.t.Helper()
	w.settle()
	s := w.state(p)
	if s.Progress.Action != want.String() {
		w.t.Errorf("decided %q, want %v: %+v", s.Progress.Action, want, s.Progress.Reasons)
	}
	for _, c := range codes {
		found := false
		for _, r := range s.Progress.Reasons {
			found = found || r.Code == c
		}
		if !found {
			w.t.Errorf("%s is not among the reasons %+v", c, s.Progress.Reasons)
		}
	}
	return s
}

// check returns the bot's check run of a commit; there must be one.
func (w *world) check(sha string) githubsim.CheckRun {
	w.t.Helper()
	var own []githubsim.CheckRun
	for _, c := range w.repo.CheckRuns(sha) {
		if c.App == w.app.ID {
			own = append(own, c)
		}
	}
	if len(own) != 1 {
		w.t.Fatalf("%d check runs of the bot at %s", len(own), sha)
	}
	return own[0]
}

// submitSource opens a pull request with the source of a version, which nobody has signed.
func (w *world) submitSource(version, author string) *githubsim.PR {
	w.t.Helper()
	w.repo.Commit(version, githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/manifest.json": manifest(id, version), "submissions/" + id + "/LICENSE": "MIT\n"}})
	return w.repo.OpenPR(githubsim.PROptions{HeadBranch: version, Author: author})
}

// submit opens a pull request with a signed package of that version.
func (w *world) submit(id, version string, more githubsim.Files) *githubsim.PR {
	w.t.Helper()
	files := githubsim.Files{packagePath(id, version): string(w.pack(id, version, w.author))}
	maps.Copy(files, more)
	branch := "add-" + id + "-" + version
	w.repo.Commit(branch, githubsim.Change{Files: files})
	return w.repo.OpenPR(githubsim.PROptions{HeadBranch: branch, Author: "contributor"})
}

func packagePath(id, version string) string {
	return fmt.Sprintf("submissions/%s/%s-%s.azp", id, id, version)
}

// manifest is a sound manifest of an mcp package.
func manifest(id, version string) string {
	return fmt.Sprintf(`{
  "azphalt": "0.1",
  "id": %q,
  "name": "Demo",
  "version": %q,
  "kind": "mcp",
  "license": "MIT",
  "compat": ">=0.1",
  "mcp": {
    "servers": [
      {
        "id": "s",
        "remote": {
          "type": "http",
          "url": "https://mcp.example.com/mcp",
          "headers": {
            "Authorization": "Bearer ${input:token}"
          }
        }
      }
    ],
    "inputs": [
      {
        "id": "token",
        "type": "promptString",
        "description": "API token",
        "password": true
      }
    ]
  }
}
`, id, version)
}

// pack packs and signs a package.
func (w *world) pack(id, version string, key azp.PrivateKey) []byte {
	w.t.Helper()
	return packFolder(w.t, fstest.MapFS{"manifest.json": {Data: []byte(manifest(id, version))}, "LICENSE": {Data: []byte("MIT\n")}}, key)
}

func packFolder(t testing.TB, folder fs.FS, key azp.PrivateKey) []byte {
	t.Helper()
	ctx := context.Background()
	source, err := azp.ReadSource(ctx, folder, azp.Limits{})
	must(t, err)
	var packed, signed bytes.Buffer
	must(t, source.Pack(&packed))
	p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
	must(t, err)
	must(t, p.Sign(&signed, key, "author"))
	return signed.Bytes()
}

func newKey(t testing.TB) azp.PrivateKey {
	t.Helper()
	k, err := azp.NewPrivateKey()
	must(t, err)
	return k
}

// file reads a file of the repository at a commit or branch.
func (w *world) file(commit, path string) string {
	w.t.Helper()
	return w.git("cat-file", "blob", commit+":"+path)
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir", w.repo.GitDir()}, args...)...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
