package bot_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

func get(h http.Handler, path string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest(http.MethodGet, path, nil))
	return r
}

// TestMetricsOfAMerge tells the story of a merge and a refusal, and looks for each of its numbers.
func TestMetricsOfAMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	merged := w.submit(id, "1.0.0", nil)
	merged.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	w.submit("com.example.outside", "1.0.0", githubsim.Files{"README.md": "mine now\n"})
	w.settle()
	if resp := post(&bot.Webhook{Secret: []byte("s3cret"), Log: slog.New(slog.DiscardHandler), Inbox: w.db, Metrics: w.bot.Metrics}, "star", sign("s3cret", []byte("{}")), []byte("{}")); resp.Code != http.StatusAccepted {
		t.Fatal(resp.Code)
	}
	routes := bot.Routes(w.bot, w.db, http.NotFoundHandler(), &bot.Index{Bot: w.bot})
	if r := get(routes, "/packages"); r.Code != http.StatusOK || !strings.Contains(r.Body.String(), id) {
		t.Errorf("the registry: %d %s", r.Code, r.Body)
	}
	page := get(routes, "/metrics")
	for _, want := range []string{
		`azp_deliveries_total\{event="pull_request",outcome="stored"\} [1-9]`,
		`azp_deliveries_total\{event="star",outcome="irrelevant"\} 1`,
		`azp_webhook_seconds_count [1-9]`,
		`azp_queue_jobs 0`,
		`azp_queue_oldest_seconds 0`,
		`azp_verdict_seconds_count [1-9]`,
		`azp_github_calls_total\{endpoint="GET /repos/\{repo\}/pulls/\{id\}",status="200"\} [1-9]`,
		`azp_github_calls_total\{endpoint="PATCH /repos/\{repo\}/git/refs/heads/\{name\}",status="200"\} 1`,
		`azp_github_calls_left\{installation="\d+"\} \d+`,
		`azp_merges_total 1`,
		`azp_reasons_total\{reason="outside-paths"\} [1-9]`,
	} {
		if !regexp.MustCompile(`(?m)^` + want + `\S*$`).MatchString(page.Body.String()) {
			t.Errorf("there is no %s in\n%s", want, page.Body)
		}
	}
	for _, stranger := range []string{"acme", "com.example", w.repo.Ref("main")} { // labels are bounded
		if strings.Contains(page.Body.String(), stranger) {
			t.Errorf("%q is a label", stranger)
		}
	}
}

// TestHealth tells a program that runs from one that can work.
func TestHealth(t *testing.T) {
	ctx := context.Background()
	d, err := bot.OpenDatabase(ctx, "sqlite:"+filepath.Join(t.TempDir(), "bot.db"))
	must(t, err)
	b := &bot.Bot{Store: d.Store, Log: slog.New(slog.DiscardHandler), Metrics: bot.NewMetrics()}
	must(t, d.Prepare(ctx, b, bot.Settings{}))
	routes := bot.Routes(b, d, http.NotFoundHandler(), &bot.Index{Bot: b})
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/"} {
		if r := get(routes, path); r.Code != http.StatusOK {
			t.Errorf("%s: %d", path, r.Code)
		}
	}
	must(t, d.Close())
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/": 503, "/metrics": 200, "/other": 404} {
		if r := get(routes, path); r.Code != want {
			t.Errorf("%s without a database: %d, want %d", path, r.Code, want)
		}
	}
}

// TestLogSaysWhatFor reads the log: each line of work has the delivery that it is for, and the pull request.
func TestLogSaysWhatFor(t *testing.T) {
	t.Parallel()
	w := newStage(t, enabled, githubsim.Options{})
	w.start()
	p := w.submit(id, "1.0.0", nil)
	p.Review("maintainer", githubsim.Approved, "", "")
	p.Comment("maintainer", "/azp recheck")
	w.settle()
	w.stop()
	seen := map[string]bool{}
	for line := range strings.Lines(w.log.String()) {
		attributes := map[string]string{}
		for _, m := range regexp.MustCompile(`(\w+)=("[^"]*"|\S+)`).FindAllStringSubmatch(line, -1) {
			attributes[m[1]] = strings.Trim(m[2], `"`)
		}
		seen[attributes["msg"]] = true
		if len(attributes["delivery"]) < 8 || attributes["pull_request"] == "" {
			t.Errorf("which delivery, which pull request? %s", line)
		}
	}
	for _, want := range []string{"stored", "wanted", "decided", "merged", "obeyed"} {
		if !seen[want] {
			t.Errorf("nothing was logged as %q: %v", want, seen)
		}
	}
}
