package bot

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"
	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/components"
	h "maragu.dev/gomponents/html"

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

// setupStyle is all that the pages of the set-up need beside what browsers do.
const setupStyle = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}"

func setupPage(title string, body ...g.Node) g.Node {
	return components.HTML5(components.HTML5Props{
		Title: title, Language: "en", Head: []g.Node{h.StyleEl(g.Raw(setupStyle))}, Body: append([]g.Node{h.H1(g.Text(title))}, body...),
	})
}

// createPage is the form that brings the manifest to GitHub.
func createPage(action, manifest string) g.Node {
	return setupPage("Create the GitHub App",
		h.P(g.Text("GitHub asks for a name and shows what the App may do. Nothing is created before you agree there.")),
		h.Form(h.Method("post"), h.Action(action),
			h.Input(h.Type("hidden"), h.Name("manifest"), h.Value(manifest)),
			h.Button(g.Text("Create the App on GitHub"))))
}

// donePage says what is to be done next.
func donePage(next string) g.Node { return setupPage("The App is there", h.P(g.Text(next))) }

// ServeHTTP serves the form, and what follows it.
func (s *Setup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	var page g.Node
	if code := r.FormValue("code"); code != "" {
		if !s.expected(r.FormValue("state")) {
			http.Error(w, "this page was not asked for here; start over at /setup", http.StatusForbidden)
			return
		}
		app, _, err := s.API.Apps.CompleteAppManifest(r.Context(), code)
		var next string
		if err == nil {
			next, err = s.Save(app)
		}
		if err != nil {
			s.Log.Error("the App could not be created", "error", err)
			http.Error(w, "GitHub did not give the App; the log says why", http.StatusBadGateway)
			return
		}
		page = donePage(next)
	} else {
		page = createPage(strings.TrimSuffix(s.GitHub, "/")+"/settings/apps/new?state="+s.newState(), s.manifest())
	}
	if err := page.Render(w); err != nil {
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
