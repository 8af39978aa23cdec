package bot

import (
	"crypto/rand"
	"encoding/json"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubapp"
)

// Setup creates the App by GitHub's app-manifest flow: a form that brings the manifest to GitHub, and the page to which
// GitHub sends the browser back. It serves only while there is no App yet.
type Setup struct {
	GitHub    string // address of the server's pages
	API       *github.Client
	PublicURL string
	Log       *slog.Logger
	// Save keeps what GitHub made; it returns what is to be said to whoever set it up. No secret is shown on the page.
	Save func(app *github.AppConfig) (string, error)

	mu     sync.Mutex
	states map[string]time.Time
}

var setupPage = template.Must(template.New("setup").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Set up</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}</style>
{{if .Done}}<h1>The App is there</h1><p>{{.Done}}</p>
{{else}}<h1>Create the GitHub App</h1><p>GitHub asks for a name and shows what the App may do. Nothing is created before you agree there.</p>
<form method="post" action="{{.Action}}"><input type="hidden" name="manifest" value="{{.Manifest}}"><button>Create the App on GitHub</button></form>{{end}}</html>`))

// ServeHTTP serves the form, and what follows it.
func (s *Setup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	view := struct{ Done, Action, Manifest string }{}
	if code := r.FormValue("code"); code != "" {
		if !s.expected(r.FormValue("state")) {
			http.Error(w, "this page was not asked for here; start over at /setup", http.StatusForbidden)
			return
		}
		app, _, err := s.API.Apps.CompleteAppManifest(r.Context(), code)
		if err == nil {
			view.Done, err = s.Save(app)
		}
		if err != nil {
			s.Log.Error("the App could not be created", "error", err)
			http.Error(w, "GitHub did not give the App; the log says why", http.StatusBadGateway)
			return
		}
	} else {
		view.Action = strings.TrimSuffix(s.GitHub, "/") + "/settings/apps/new?state=" + s.newState()
		view.Manifest = s.manifest()
	}
	if err := setupPage.Execute(w, view); err != nil {
		s.Log.Info("the page broke off", "error", err)
	}
}

func (s *Setup) manifest() string {
	text, err := json.Marshal(map[string]any{
		"name": "azphalt submissions", "url": s.PublicURL, "public": false, "redirect_url": s.PublicURL + "/setup",
		"hook_attributes":     map[string]any{"url": s.PublicURL + "/webhook", "active": true},
		"default_permissions": githubapp.Permissions, "default_events": githubapp.Events,
	})
	if err != nil {
		panic(err) // plain strings
	}
	return string(text)
}

// setupLife is how long a form may be on its way.
const setupLife = time.Hour

// newState names a form, so that only a browser that began here can end here.
func (s *Setup) newState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.states == nil || len(s.states) > 1000 {
		s.states = map[string]time.Time{}
	}
	state := rand.Text()
	s.states[state] = time.Now().Add(setupLife)
	return state
}

func (s *Setup) expected(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.states[state]
	delete(s.states, state)
	return ok && time.Now().Before(until)
}
