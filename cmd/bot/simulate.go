package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/githubsim"
)

const simulatedConfig = "merge:\n  enabled: true\n  unsigned: sign # with the registry's key\n"

// simulate opens a pull request on a stand-in for GitHub from each submission of a folder, lets a maintainer approve it,
// runs the bot on them, and tells what became of each.
func simulate(ctx context.Context, folder string, out io.Writer) error {
	submissions, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "azp-simulate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newStage(ctx, dir)
	if err != nil {
		return err
	}
	defer s.sim.Close()
	fmt.Fprintf(out, "A stand-in for GitHub serves at %s; the bot watches %s.\nThe registry's public key: %s\n\n", s.sim.URL(), s.repo.FullName(), s.key.Public())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.database.Serve(ctx) })
	group.Go(func() error { return s.serve(ctx) })
	group.Go(func() error {
		defer stop()
		return s.tell(ctx, folder, submissions, out)
	})
	return errors.Join(group.Wait(), s.database.Close())
}

// stage is a stand-in for GitHub with a bot.
type stage struct {
	sim      *githubsim.Sim
	repo     *githubsim.Repo
	key      azp.PrivateKey
	database *bot.Database
	bot      *bot.Bot
	hook     http.Handler
	listener net.Listener
}

func newStage(ctx context.Context, dir string) (*stage, error) {
	sim, err := githubsim.New(githubsim.Options{})
	if err != nil {
		return nil, err
	}
	s := &stage{sim: sim}
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	app := sim.CreateApp(githubsim.AppOptions{Permissions: githubapp.Permissions, Events: githubapp.Events, WebhookURL: "http://" + s.listener.Addr().String() + "/webhook"})
	s.repo = sim.CreateRepo("acme", "registry", githubsim.Files{"README.md": "# A registry\n", ".github/azphalt.yml": simulatedConfig})
	s.repo.SetPermission("maintainer", githubsim.Write)
	sim.InstallApp(app, "acme")
	if s.key, err = azp.NewPrivateKey(); err != nil {
		return nil, err
	}
	cache, err := bot.NewCache(dir, bot.CacheBytes)
	if err != nil {
		return nil, err
	}
	metrics := bot.NewMetrics()
	hub, err := bot.NewApp(bot.AppOptions{ID: app.ID, Key: app.PrivateKey, URL: sim.URL(), Cache: cache, Observer: metrics})
	if err != nil {
		return nil, err
	}
	if s.database, err = bot.OpenDatabase(ctx, "sqlite:"+filepath.Join(dir, "bot.db")); err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	s.bot = &bot.Bot{Hub: hub, Store: s.database.Store, AppID: app.ID, Key: s.key, GitHubURL: sim.URL(), Log: log, Metrics: metrics}
	s.hook = &bot.Webhook{Secret: []byte(app.WebhookSecret), AppID: app.ID, Inbox: s.database, Log: log, Metrics: metrics}
	return s, s.database.Prepare(ctx, s.bot, bot.Settings{Poll: 20 * time.Millisecond})
}

func (s *stage) serve(ctx context.Context) error {
	server := &http.Server{Handler: bot.Routes(s.bot, s.database, s.hook, &bot.Index{Bot: s.bot}), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close() // what matters is said by Serve
	}()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// tell opens the pull requests one by one and prints what becomes of each.
func (s *stage) tell(ctx context.Context, folder string, submissions []fs.DirEntry, out io.Writer) error {
	merged, refused := 0, 0
	for _, e := range submissions {
		if !e.IsDir() {
			continue
		}
		change, err := readSubmission(filepath.Join(folder, e.Name()), path.Join("submissions", e.Name()))
		if err != nil {
			return err
		}
		s.repo.MoveBranch(e.Name(), s.repo.Ref("main"), "contributor")
		s.repo.Commit(e.Name(), change)
		p := s.repo.OpenPR(githubsim.PROptions{HeadBranch: e.Name(), Author: "contributor", Title: "Add " + e.Name()})
		p.Review("maintainer", githubsim.Approved, "", "")
		state, err := s.await(ctx, p)
		if err != nil {
			return err
		}
		if p.State().Merged {
			merged++
			fmt.Fprintf(out, "✓ #%d %s: counter-signed and merged as %.12s\n", p.Number, e.Name(), p.State().MergeCommit)
			continue
		}
		refused++
		fmt.Fprintf(out, "✗ #%d %s: %s\n", p.Number, e.Name(), state.Progress.Action)
		for _, r := range state.Progress.Reasons {
			fmt.Fprintf(out, "    %s\n    → %s\n", r.Sentence, r.Next)
		}
		for _, c := range s.repo.CheckRuns(p.State().HeadSHA) {
			tellAnnotations(out, c.Annotations)
		}
	}
	fmt.Fprintf(out, "\n%d merged, %d refused. Each merge brought a signed record below registry/records/.\n", merged, refused)
	return s.tellListing(ctx, out)
}

// tellListing prints what hosts find in the registry by now.
func (s *stage) tellListing(ctx context.Context, out io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.listener.Addr().String()+"/packages?sort=name", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var list struct {
		Packages []struct{ ID, Version, Kind string }
		Total    int
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return fmt.Errorf("reading /packages: %w", err)
	}
	fmt.Fprintf(out, "\nHosts find at the bot's /packages, %d in all:\n", list.Total)
	for _, p := range list.Packages {
		fmt.Fprintf(out, "  %s %s (%s)\n", p.ID, p.Version, p.Kind)
	}
	return nil
}

// shownAnnotations is how many annotations of a check run are printed.
const shownAnnotations = 3

// tellAnnotations prints what a check run says, line by line. The bot has made it safe to show.
func tellAnnotations(out io.Writer, annotations []githubsim.Annotation) {
	for i, a := range annotations {
		if i == shownAnnotations {
			fmt.Fprintf(out, "    and %d more\n", len(annotations)-i)
			break
		}
		fmt.Fprintf(out, "    %s:%d\n      %s\n", strings.TrimPrefix(a.Path, "submissions/"), a.StartLine, strings.ReplaceAll(a.Message, "\n", "\n      "))
	}
}

// patience is how long a submission may take.
const patience = time.Minute

// await waits until the bot has come to rest.
func (s *stage) await(ctx context.Context, p *githubsim.PR) (bot.PullState, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	calm := 0
	for calm < 3 {
		select {
		case <-ctx.Done():
			return bot.PullState{}, fmt.Errorf("%s: %w", p, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
		n, _, err := s.database.Depth(ctx)
		if err != nil {
			return bot.PullState{}, err
		}
		if calm++; n > 0 || !s.sim.WaitDelivered(time.Second) {
			calm = 0
		}
	}
	return s.database.Store.Pull(ctx, s.repo.ID(), p.Number)
}

// readSubmission reads a folder as the change that submits it. Links stay links.
func readSubmission(folder, target string) (githubsim.Change, error) {
	c := githubsim.Change{Files: githubsim.Files{}, Modes: map[string]string{}, Author: "contributor"}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return c, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		to := path.Join(target, name)
		if e.Type()&fs.ModeSymlink != 0 {
			link, err := root.Readlink(name)
			c.Files[to], c.Modes[to] = link, "120000"
			return err
		}
		data, err := root.ReadFile(name)
		c.Files[to] = string(data)
		return err
	})
	return c, err
}
