package botserver

import (
	"bytes"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/githubsim"
)

// setupStage is a bot without an App, and a stand-in for GitHub. Its log and its pages are kept, to look for secrets.
type setupStage struct {
	t      *testing.T
	sim    *githubsim.Sim
	dir    string
	setup  *bot.Setup
	server *httptest.Server
	log    bytes.Buffer
	pages  bytes.Buffer
}

func newSetupStage(t *testing.T) *setupStage {
	s := &setupStage{t: t, sim: githubsim.Start(t, githubsim.Options{}), dir: t.TempDir()}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.setup.ServeHTTP(w, r) }))
	t.Cleanup(s.server.Close)
	var err error
	s.setup, err = newSetup(environment{database: "sqlite:" + filepath.Join(s.dir, "bot.db"), github: s.sim.URL(), publicURL: s.server.URL}, slog.New(slog.NewJSONHandler(&s.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get opens an address, or posts a form to it, as a browser does that follows no redirection.
func (s *setupStage) get(address string, form url.Values) (status int, page, location string) {
	s.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(address)
	if form != nil {
		resp, err = browser.PostForm(address, form)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.pages.Write(data)
	return resp.StatusCode, string(data), resp.Header.Get("Location")
}

var formShape = regexp.MustCompile(`(?s)action="([^"]+)".*name="manifest" value="([^"]+)"`)

// agree opens the form and sends it off, and returns where GitHub sends the browser.
func (s *setupStage) agree() *url.URL {
	s.t.Helper()
	_, page, _ := s.get(s.server.URL+"/setup", nil)
	m := formShape.FindStringSubmatch(page)
	if m == nil {
		s.t.Fatalf("there is no form:\n%s", page)
	}
	status, answer, location := s.get(html.UnescapeString(m[1]), url.Values{"manifest": {html.UnescapeString(m[2])}})
	back, err := url.Parse(location)
	if status != http.StatusFound || err != nil {
		s.t.Fatalf("GitHub answers %d: %s", status, answer)
	}
	return back
}

// quiet checks that neither the log nor a page holds what is secret.
func (s *setupStage) quiet(secrets ...string) {
	s.t.Helper()
	for _, secret := range append(secrets, "PRIVATE KEY", "client_secret", "webhook_secret") {
		if strings.Contains(s.log.String(), secret) || strings.Contains(s.pages.String(), secret) {
			s.t.Errorf("%q is in the log or on a page:\n%s\n%s", secret, s.log.String(), s.pages.String())
		}
	}
}

func TestSetup(t *testing.T) {
	s := newSetupStage(t)
	back := s.agree()
	status, page, _ := s.get(back.String(), nil)
	if status != http.StatusOK || !strings.Contains(page, "The App is there") {
		t.Fatalf("%d %s", status, page)
	}
	values := map[string]string{}
	for _, m := range regexp.MustCompile(`(AZP_[A-Z_]+)=(\S+)`).FindAllStringSubmatch(page, -1) {
		values[m[1]] = html.UnescapeString(m[2])
	}
	// What the page says is what the bot needs, and it is right.
	e, err := readEnvironment(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	if ready, err := e.complete(); !ready || err != nil {
		t.Fatalf("it is not complete: %v %v", ready, err)
	}
	app := s.sim.App(e.appID)
	if app == nil || string(app.PrivateKey) != string(e.appKey) || app.WebhookSecret != string(e.secret) {
		t.Fatal("these are not the App's secrets")
	}
	for name, value := range values {
		if strings.HasSuffix(name, "_FILE") {
			if info, err := os.Stat(value); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(value) != s.dir {
				t.Errorf("%s: %v %v", value, info, err)
			}
		}
	}
	if !strings.Contains(page, `href="`+s.sim.URL()+"/apps/"+app.Slug+`/installations/new"`) {
		t.Errorf("no link to install it:\n%s", page)
	}
	s.quiet(string(app.PrivateKey), app.WebhookSecret, app.ClientSecret, strings.Split(string(app.PrivateKey), "\n")[1])
	// It was created as the bot needs it.
	install := s.sim.InstallApp(app, "acme")
	client := github.NewClient(nil).WithAuthToken(s.sim.InstallationToken(install))
	client.BaseURL, _ = githubapp.API(s.sim.URL())
	if _, _, err := client.Apps.ListRepos(t.Context(), nil); err != nil {
		t.Error(err)
	}
	// The way back leads there once.
	if status, _, _ := s.get(back.String(), nil); status != http.StatusForbidden {
		t.Errorf("the same way again: %d", status)
	}
}

func TestSetupRefuses(t *testing.T) {
	s := newSetupStage(t)
	change := func(back *url.URL, name, value string) string {
		q := back.Query()
		q.Set(name, value)
		back.RawQuery = q.Encode()
		return back.String()
	}
	for name, c := range map[string]struct {
		address string
		want    int
	}{
		"a state of somebody else's": {change(s.agree(), "state", "forged"), http.StatusForbidden},
		"no state":                   {change(s.agree(), "state", ""), http.StatusForbidden},
		"a wrong code":               {change(s.agree(), "code", "wrong"), http.StatusBadGateway},
		"a code that is a path":      {change(s.agree(), "code", "../../app"), http.StatusBadRequest},
	} {
		if status, page, _ := s.get(c.address, nil); status != c.want || !strings.Contains(page, "start over at /setup") {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
	used := s.agree()
	s.setup.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if status, _, _ := s.get(used.String(), nil); status != http.StatusForbidden {
		t.Errorf("after two hours: %d", status)
	}
	s.setup.Now = nil
	// A code is good for an App until GitHub has heard of it: it must not be logged, even where GitHub fails.
	failing := s.agree()
	remove := s.sim.Inject(githubsim.Rule{Method: "POST", Path: "/app-manifests/{code}/conversions", Effect: githubsim.Fail(http.StatusServiceUnavailable)})
	if status, _, _ := s.get(failing.String(), nil); status != http.StatusBadGateway {
		t.Errorf("GitHub fails: %d", status)
	}
	remove()
	cut := s.agree()
	remove = s.sim.Inject(githubsim.Rule{Method: "POST", Path: "/app-manifests/{code}/conversions", Effect: githubsim.CutConnection(githubsim.CutBefore)})
	if status, _, _ := s.get(cut.String(), nil); status != http.StatusBadGateway {
		t.Errorf("GitHub is cut off: %d", status)
	}
	remove()
	s.quiet(failing.Query().Get("code"), cut.Query().Get("code"))
	if files, err := os.ReadDir(s.dir); err != nil || len(files) > 0 {
		t.Errorf("files were written: %v %v", files, err)
	}
}

// TestSetupKeepsWhatIsThere does not write over the key of another App, and says what to do with the new one.
func TestSetupKeepsWhatIsThere(t *testing.T) {
	s := newSetupStage(t)
	key := filepath.Join(s.dir, "azp-app.pem")
	if err := os.WriteFile(key, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, page, _ := s.get(s.agree().String(), nil)
	if status != http.StatusInternalServerError || !strings.Contains(page, "Delete the App again at "+s.sim.URL()+"/apps/") {
		t.Errorf("%d %s", status, page)
	}
	if data, err := os.ReadFile(key); err != nil || string(data) != "mine" {
		t.Errorf("%q %v", data, err)
	}
	s.quiet()
}

// TestSetupNeedsAnAddress says so, and does not speak of a database's password.
func TestSetupNeedsAnAddress(t *testing.T) {
	s := newSetupStage(t)
	s.setup.PublicURL = ""
	if _, page, _ := s.get(s.server.URL+"/setup", nil); !strings.Contains(page, "AZP_PUBLIC_URL") || strings.Contains(page, "<form") {
		t.Error(page)
	}
	t.Chdir(s.dir)
	var log bytes.Buffer
	setup, err := newSetup(environment{database: "postgres://bot:hunter2secret@db/azp"}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	variables, err := setup.Save(&github.AppConfig{ID: github.Int64(5), PEM: github.String("pem"), WebhookSecret: github.String("hook")})
	if err != nil || len(variables) != 3 || strings.Contains(log.String(), "hunter2secret") {
		t.Errorf("%v %v %s", variables, err, log.String())
	}
}
