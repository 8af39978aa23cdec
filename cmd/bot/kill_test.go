package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/githubsim"
	"github.com/azphalt/submissions/internal/pgtest"
)

// TestKilledAnywhere kills the program again and again while submissions come in, change and are approved, and starts it
// again: at the end every pull request is merged, exactly once, at its last head, and nothing is on the base that the bot did
// not make. AZP_KILLS says how often; AZP_TEST_POSTGRES names a PostgreSQL server to do it with, too, with two programs at once.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of kills")
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel() // both wait more than they work
		killLoop(t, "sqlite:"+filepath.Join(t.TempDir(), "bot.db"), 1)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killLoop(t, pgtest.Database(t), 2)
	})
}

// killPause is how long a program lives at most. Steps of several pull requests go on at any time, so that each is hit.
const killPause = 400 * time.Millisecond

func killLoop(t *testing.T, database string, instances int) {
	kills := 12
	if text := os.Getenv("AZP_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	k := newKillStage(t, database, instances)
	var pulls []*githubsim.PR
	for n := range kills {
		pulls = append(pulls, k.open(fmt.Sprintf("com.example.k%d", n)))
		if n > 0 && rand.N(2) == 0 {
			k.push(pulls[n-1].State().HeadBranch) // nobody approved it yet
		}
		if n > 1 {
			pulls[n-2].Review("maintainer", githubsim.Approved, "", "")
		}
		if rand.N(3) == 0 {
			pulls[rand.N(n+1)].Comment("maintainer", "/azp recheck")
		}
		time.Sleep(rand.N(killPause))
		k.restart(n % instances)
	}
	for _, p := range pulls[max(0, kills-2):] {
		p.Review("maintainer", githubsim.Approved, "", "")
	}
	deadline := time.Now().Add(8 * time.Minute) // on PostgreSQL a sweep finds within five what a program that died had begun
	for _, p := range pulls {
		for !p.State().Merged {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not merged: %+v", p, p.State())
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	k.prove(pulls)
}

// killStage is a stand-in for GitHub with programs that are killed.
type killStage struct {
	t       testing.TB
	sim     *githubsim.Sim
	app     *githubsim.App
	install *githubsim.Installation
	repo    *githubsim.Repo
	key     azp.PrivateKey
	program string
	env     []string
	ports   []string
	running []*exec.Cmd
}

func newKillStage(t testing.TB, database string, instances int) *killStage {
	k := &killStage{t: t, sim: githubsim.Start(t, githubsim.Options{RateLimit: 1 << 30}), program: filepath.Join(t.TempDir(), "bot"), running: make([]*exec.Cmd, instances)}
	if out, err := exec.Command("go", "build", "-o", k.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range instances {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		k.ports = append(k.ports, l.Addr().String())
		l.Close()
	}
	k.app = k.sim.CreateApp(githubsim.AppOptions{Permissions: githubapp.Permissions, Events: githubapp.Events, WebhookURL: "http://" + k.ports[0] + "/webhook"})
	k.repo = k.sim.CreateRepo("acme", "registry", githubsim.Files{".github/azphalt.yml": "merge:\n  enabled: true\n"})
	k.repo.SetPermission("maintainer", githubsim.Write)
	k.install = k.sim.InstallApp(k.app, "acme")
	var err error
	if k.key, err = azp.NewPrivateKey(); err != nil {
		t.Fatal(err)
	}
	pem, err := k.key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	k.env = append(os.Environ(), "AZP_GITHUB_APP_ID="+strconv.FormatInt(k.app.ID, 10), "AZP_GITHUB_PRIVATE_KEY="+string(k.app.PrivateKey), "AZP_WEBHOOK_SECRET="+k.app.WebhookSecret,
		"AZP_REGISTRY_KEY="+string(pem), "AZP_DATABASE_URL="+database, "AZP_GITHUB_URL="+k.sim.URL())
	for i := range instances {
		k.start(i)
	}
	t.Cleanup(func() {
		for i := range k.running {
			k.kill(i)
		}
	})
	return k
}

func (k *killStage) start(i int) {
	cmd := exec.Command(k.program)
	cmd.Env = slices.Concat(k.env, []string{"AZP_LISTEN=" + k.ports[i]})
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.running[i] = cmd
	for range 400 {
		if resp, err := http.Get("http://" + k.ports[i] + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	k.t.Fatal("the program does not come up")
}

func (k *killStage) kill(i int) {
	if k.running[i] == nil {
		return
	}
	_ = k.running[i].Process.Kill() // SIGKILL: nothing can be tidied up
	_ = k.running[i].Wait()         // says that it was killed
	k.running[i] = nil
}

func (k *killStage) restart(i int) {
	k.kill(i)
	k.start(i)
}

// open opens a pull request with a package.
func (k *killStage) open(id string) *githubsim.PR {
	k.repo.MoveBranch(id, k.repo.Ref("main"), "contributor")
	k.push(id)
	return k.repo.OpenPR(githubsim.PROptions{HeadBranch: id, Author: "contributor"})
}

// push puts a package, signed by a new key, on a branch of its name.
func (k *killStage) push(id string) {
	k.repo.Commit(id, githubsim.Change{Files: githubsim.Files{fmt.Sprintf("submissions/%s/%s-1.0.0.azp", id, id): string(k.pack(id))}})
}

// pack packs and signs a package of the author's own.
func (k *killStage) pack(id string) []byte {
	ctx := context.Background()
	manifest := fmt.Sprintf(`{"azphalt":"0.1","id":%q,"name":"K","version":"1.0.0","kind":"asset","license":"MIT","compat":">=0.1"}`, id)
	source, err := azp.ReadSource(ctx, fstest.MapFS{"manifest.json": {Data: []byte(manifest)}, "LICENSE": {Data: []byte("MIT\n")}}, azp.Limits{})
	if err != nil {
		k.t.Fatal(err)
	}
	var packed, signed bytes.Buffer
	if err := source.Pack(&packed); err != nil {
		k.t.Fatal(err)
	}
	p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
	if err != nil {
		k.t.Fatal(err)
	}
	author, err := azp.NewPrivateKey()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := p.Sign(&signed, author, ""); err != nil {
		k.t.Fatal(err)
	}
	return signed.Bytes()
}

// prove proves that each head was merged once, that nothing else is on the base, and that each package there is trusted.
func (k *killStage) prove(pulls []*githubsim.PR) {
	merges := map[string]int{}
	for sha := range strings.FieldsSeq(k.git("rev-list", "--first-parent", "main")) {
		if parents := strings.Fields(k.git("log", "-1", "--format=%P", sha)); len(parents) == 2 {
			merges[parents[1]]++
		} else if len(parents) == 1 {
			k.t.Errorf("%s is on the base, but is no merge", sha)
		}
	}
	store := azp.NewTrustStore(azp.TrustedKey{PublicKey: k.key.Public().String()})
	for _, p := range pulls {
		s := p.State()
		if merges[s.HeadSHA] != 1 {
			k.t.Errorf("%s was merged %d times", p, merges[s.HeadSHA])
		}
		id := s.HeadBranch
		data := []byte(k.git("cat-file", "blob", fmt.Sprintf("main:submissions/%s/%s-1.0.0.azp", id, id)))
		pkg, err := azp.Read(context.Background(), bytes.NewReader(data), int64(len(data)), azp.Limits{})
		if err != nil || !store.Judge(pkg).Trusted {
			k.t.Errorf("%s: the package on the base is not trusted (%v)", p, err)
		}
		if own := len(k.repo.CheckRuns(s.HeadSHA)); own != 1 {
			k.t.Errorf("%s has %d check runs", p, own)
		}
	}
	k.git("fsck", "--full", "--strict", "--no-dangling")
}

func (k *killStage) git(args ...string) string {
	k.t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir", k.repo.GitDir()}, args...)...).CombinedOutput()
	if err != nil {
		k.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
