package bot_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
	"github.com/azphalt/submissions/internal/testtool"
)

const (
	evilTitle  = `</title><script>window.hacked=1</script><img src=x onerror="alert(2)"> ` + turnRound + `txt.exe`
	turnRound  = "\u202e" // shows what follows from right to left
	evilBranch = `"><svg/onload=alert(3)>`
	evilFile   = `"><b>x</b>{{.}}`
)

// newPage serves the page of a bot that has seen something of everything, and returns its address.
func newPage(t *testing.T) (merged bot.PullState, address string) {
	w := newWorld(t, enabled)
	good := w.submit(id, "1.0.0", nil)
	good.Review("maintainer", githubsim.Approved, "", "")
	w.settle()
	w.author = newKey(t)
	w.submit("com.example.waits", "1.0.0", nil) // for an approval
	w.settle()
	w.repo.MoveBranch(evilBranch, w.repo.Ref("main"), "maintainer")
	w.repo.Commit(evilBranch+"2", githubsim.Change{Files: githubsim.Files{"submissions/com.example.evil/manifest.json": `{"id":"<script>alert(1)</script>"}`, evilFile: "y"}})
	w.repo.OpenPR(githubsim.PROptions{HeadBranch: evilBranch + "2", BaseBranch: evilBranch, Author: "contributor", Title: evilTitle})
	w.settle()
	ctx := context.Background()
	failed := bot.Repository{Installation: w.install.ID, ID: w.repo.ID(), Owner: w.repo.Owner, Name: w.repo.Name}
	for number, next := range map[int]time.Time{90: time.Now().Add(time.Minute), 91: {}} {
		_, err := w.db.Store.Want(ctx, failed, number)
		must(t, err)
		must(t, w.db.Store.Fail(ctx, failed.ID, number, `GitHub said <img src=x onerror=alert(4)>`, next))
	}
	must(t, w.db.Store.Audit(ctx, failed, bot.Event{At: time.Now(), Number: 91, Event: "failed", Detail: `given up: <img src=x onerror=alert(5)>`}))
	server := httptest.NewServer(bot.Routes(w.bot, w.db, http.NotFoundHandler(), &bot.Index{Bot: w.bot}))
	t.Cleanup(server.Close)
	return w.state(good), server.URL + "/"
}

// browser is a page in a headless browser, and what happened there that should not.
type browser struct {
	context.Context
	mu     sync.Mutex
	events []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := testtool.Find(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	b := &browser{Context: ctx}
	must(t, chromedp.Listen(ctx, b.hear))
	return b
}

// hear notes dialogs, messages of the console, and requests.
func (b *browser) hear(event any) {
	var what string
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		what = "a dialog opens: " + e.Message
	case *log.EventEntryAdded:
		what = "the console says: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		what = "request " + e.Request.URL
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, what)
}

// open opens a page as a device of that width and scheme ("light" or "dark") shows it.
func (b *browser) open(t *testing.T, address string, width int64, scheme string) {
	t.Helper()
	_, err := chromedp.Call(b, log.Enable, cdp.Empty{})
	must(t, err)
	_, err = chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	must(t, err)
	must(t, chromedp.Do(b, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address)))
}

// evaluate asks the page for a value.
func evaluate[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	value, err := chromedp.Run(b, chromedp.Evaluate[T](expression))
	must(t, err)
	return value
}

// shoot keeps a picture where AZP_SCREENSHOTS names a folder.
func (b *browser) shoot(t *testing.T, name string) {
	dir := os.Getenv("AZP_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b, chromedp.FullScreenshot(100))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600))
}

// TestPageInABrowser shows the page in a real browser: whatever strangers wrote stays text.
func TestPageInABrowser(t *testing.T) {
	b := newBrowser(t)
	merged, address := newPage(t)
	b.open(t, address, 1200, "light")
	b.shoot(t, "light")
	seen := evaluate[struct {
		Text     string   `json:"text"`
		Titles   []string `json:"titles"`
		Bases    []string `json:"bases"`
		Elements int      `json:"elements"`
		Hacked   bool     `json:"hacked"`
		Links    []string `json:"links"`
	}](t, b, `({
		text: document.body.innerText,
		titles: [...document.querySelectorAll(".title bdi")].map(e => e.textContent),
		bases: [...document.querySelectorAll("td code bdi")].map(e => e.textContent),
		elements: document.querySelectorAll("script, img, svg, iframe, object, embed, link, base, form, input, b, [onerror], [onload]").length,
		hacked: "hacked" in window,
		links: [...document.querySelectorAll("a")].map(e => e.href)})`)
	if seen.Hacked || seen.Elements > 0 {
		t.Errorf("what strangers wrote became part of the page: %d elements, script ran: %v", seen.Elements, seen.Hacked)
	}
	if !strings.Contains(strings.Join(seen.Titles, "\n"), strings.Replace(evilTitle, turnRound, `\u202e`, 1)) || !strings.Contains(strings.Join(seen.Bases, "\n"), evilBranch) {
		t.Errorf("titles %q, bases %q", seen.Titles, seen.Bases)
	}
	for _, link := range seen.Links {
		if !strings.HasPrefix(link, "https://github.com/acme/azp-registry/pull/") {
			t.Errorf("a link to %s", link)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e != "request "+address && e != "request "+address+"favicon.ico" && !strings.Contains(e, "favicon.ico") {
			t.Error(e)
		}
	}
	for _, want := range []string{
		"merged", "waits for a person", "has to change", "tried again", "given up", "Next attempt: ", "alert(5)",
		// The audit trail: what was verified, by which rules, what was signed by which key, and when.
		"published", `"` + id + `" "1.0.0" (sha256-`, "as submitted), signed by its author's key ", "counter-signed by the registry's key ", "in commit " + merged.Progress.MergeCommit,
		"decided", "by rules " + bot.RulesVersion(), "because of new-publisher", time.Now().UTC().Format("2006-01-02 "),
	} {
		if !strings.Contains(seen.Text, want) {
			t.Errorf("the page does not say %q:\n%s", want, seen.Text)
		}
	}
}

// TestPageIsReadable measures contrast in both schemes, and looks for what does not fit on a telephone.
func TestPageIsReadable(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	_, address := newPage(t)
	backs := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		b.open(t, address, 1200, scheme)
		b.shoot(t, scheme)
		colours := evaluate[map[string]string](t, b, `Object.fromEntries([["back", getComputedStyle(document.body).backgroundColor],
			...[...document.querySelectorAll("body, a, td .dim, .good, .bad, .wait, th")].map(e => [e.tagName + " " + e.className, getComputedStyle(e).color])])`)
		backs[scheme] = colours["back"]
		for of, colour := range colours {
			if of != "back" && contrast(t, colour, colours["back"]) < 4.5 {
				t.Errorf("%s: %s is %s on %s, which is hard to read", scheme, of, colour, colours["back"])
			}
		}
		if len(colours) < 7 {
			t.Errorf("%s: only %v", scheme, colours)
		}
	}
	if backs["light"] == backs["dark"] {
		t.Errorf("there is no dark mode: %v", backs)
	}
	b.open(t, address, 360, "light")
	b.shoot(t, "narrow")
	if width := evaluate[int](t, b, `document.documentElement.scrollWidth`); width > 360 {
		t.Errorf("the page is %d pixels wide on a screen of 360", width)
	}
}

// contrast is that of two colours "rgb(r, g, b)", from 1 to 21, as WCAG 2.2 defines it.
func contrast(t *testing.T, a, b string) float64 {
	light, dark := luminance(t, a), luminance(t, b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	var r, g, b float64
	if _, err := fmt.Sscanf(colour, "rgb(%f, %f, %f)", &r, &g, &b); err != nil {
		t.Fatalf("colour %q: %v", colour, err)
	}
	linear := func(c float64) float64 {
		if c /= 255; c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
