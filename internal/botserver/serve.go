// Package botserver puts the bot together as its environment says, and serves it.
package botserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
	"golang.org/x/sync/errgroup"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubapp"
)

// Serve runs the bot until the context ends.
func Serve(ctx context.Context, getenv func(string) string, log *slog.Logger) error {
	e, err := readEnvironment(getenv)
	if err != nil {
		return err
	}
	ready, err := e.complete()
	if err != nil {
		return err
	}
	if !ready {
		setup, err := newSetup(e, log)
		if err != nil {
			return err
		}
		log.Info("there is no App yet; open /setup to create it", "listen", e.listen)
		mux := http.NewServeMux()
		mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
		mux.Handle("GET /setup", setup)
		return bot.Listen(ctx, e.listen, mux)
	}
	return serveApp(ctx, e, log)
}

func serveApp(ctx context.Context, e environment, log *slog.Logger) error {
	dir, err := os.MkdirTemp("", "azp-bot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cache, err := bot.NewCache(dir, bot.CacheBytes)
	if err != nil {
		return err
	}
	metrics := bot.NewMetrics()
	app, err := bot.NewApp(bot.AppOptions{ID: e.appID, Key: e.appKey, URL: e.github, Cache: cache, Observer: metrics})
	if err != nil {
		return err
	}
	if err := app.Probe(ctx); err != nil {
		log.Warn("GitHub does not answer as it should; starting all the same", "error", err)
	}
	database, err := bot.OpenDatabase(ctx, e.database)
	if err != nil {
		return err
	}
	defer database.Close()
	b := &bot.Bot{Hub: app, Store: database.Store, AppID: e.appID, Key: e.registry, KeyID: e.keyID, PublicURL: e.publicURL, GitHubURL: githubapp.Pages(e.github), Log: log, Metrics: metrics}
	if e.registry == nil {
		log.Warn("AZP_REGISTRY_KEY is not set: pull requests are verified, but nothing is counter-signed or merged")
	}
	if err := database.Prepare(ctx, b, bot.Settings{}); err != nil {
		return err
	}
	published := &bot.Index{Bot: b, Repository: e.repository, FormerKeys: e.formerKeys}
	hook := &bot.Webhook{Secret: e.secret, AppID: e.appID, Inbox: database, Log: log, Metrics: metrics}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return database.Serve(ctx) })
	group.Go(func() error { return bot.Listen(ctx, e.listen, bot.Routes(b, database, hook, published)) })
	log.Info("serving", "listen", e.listen, "rules", bot.RulesVersion())
	return group.Wait()
}

// newSetup creates the App and keeps its secrets in files beside the embedded database, or where the bot was started, for
// this user alone.
func newSetup(e environment, log *slog.Logger) (*bot.Setup, error) {
	api, err := githubapp.API(e.github)
	if err != nil {
		return nil, err
	}
	client := github.NewClient(&http.Client{Transport: githubapp.Locating(http.DefaultTransport), Timeout: time.Minute})
	client.BaseURL = api
	dir := "."
	if file, ok := strings.CutPrefix(e.database, "sqlite:"); ok {
		dir = filepath.Dir(file)
	}
	save := func(app *github.AppConfig) ([]bot.Variable, error) {
		key, secret := filepath.Join(dir, "azp-app.pem"), filepath.Join(dir, "azp-webhook-secret")
		if err := errors.Join(writeNew(key, app.GetPEM()), writeNew(secret, app.GetWebhookSecret())); err != nil {
			return nil, err
		}
		return []bot.Variable{
			{Name: "AZP_GITHUB_APP_ID", Value: strconv.FormatInt(app.GetID(), 10)},
			{Name: "AZP_GITHUB_PRIVATE_KEY_FILE", Value: key},
			{Name: "AZP_WEBHOOK_SECRET_FILE", Value: secret},
		}, nil
	}
	return &bot.Setup{GitHub: githubapp.Pages(e.github), API: client, PublicURL: e.publicURL, Log: log, Save: save}, nil
}

// writeNew writes a file that must not be there yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
