package bot

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"
	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/components"
	h "maragu.dev/gomponents/html"

	"github.com/azphalt/submissions/internal/githubapp"
)

// Setup creates the App by GitHub's app-manifest flow: a form that brings the manifest to GitHub, and the page to which
// GitHub sends the browser back. It serves only while there is no App yet. What GitHub hands out (a code, then keys) reaches
// neither a page nor the log.
type Setup struct {
	GitHub    string // address of the server's pages
	API       *github.Client
	PublicURL string // of the bot; without it there is no set-up
	Log       *slog.Logger
	Now       func() time.Time // time.Now where nil
	// Save keeps the App's secrets, and returns in which variables the bot is given them.
	Save func(app *github.AppConfig) ([]Variable, error)

	mu     sync.Mutex
	states map[string]time.Time
}

// Variable is one of the environment.
type Variable struct{ Name, Value string }

// setupStyle is all that the pages of the set-up need beside what browsers do.
const setupStyle = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}pre{overflow-x:auto}"

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

// donePage says what to put where.
func donePage(app *github.AppConfig, variables []Variable) g.Node {
	return setupPage("The App is there",
		h.P(g.Text("Its key and the webhook's secret are kept in files that only the bot reads. Start the bot again with")),
		h.Pre(g.Map(variables, func(v Variable) g.Node { return g.Text(v.Name + "=" + v.Value + "\n") })),
		h.P(g.Text("and with the registry's key in "), h.Code(g.Text("AZP_REGISTRY_KEY_FILE")), g.Text(". Then "),
			h.A(h.Href(app.GetHTMLURL()+"/installations/new"), g.Text("install the App on the repository")), g.Text(".")))
}

// addressPage asks for what GitHub has to be told.
func addressPage() g.Node {
	return setupPage("An address first", h.P(g.Text("Start the bot with "), h.Code(g.Text("AZP_PUBLIC_URL")), g.Text(", the address at which GitHub reaches it.")))
}

// ServeHTTP serves the form, and what follows it.
func (s *Setup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self' "+s.GitHub+"; frame-ancestors 'none'")
	var page g.Node
	switch code := r.FormValue("code"); {
	case code != "":
		var refused setupRefusal
		if page, refused = s.complete(r, code); page == nil {
			http.Error(w, refused.says, refused.status)
			return
		}
	case s.PublicURL != "":
		page = createPage(s.GitHub+"/settings/apps/new?state="+s.newState(), s.manifest())
	default:
		page = addressPage()
	}
	if err := page.Render(w); err != nil {
		s.Log.Info("the page broke off", "error", err)
	}
}

// setupRefusal is an answer that is no page.
type setupRefusal struct {
	status int
	says   string
}

// codeShape is that of GitHub's codes, which become part of an address.
var codeShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// complete exchanges the code that GitHub sent along with the browser for the App, and has its secrets kept. It returns a page,
// or why there is none.
func (s *Setup) complete(r *http.Request, code string) (g.Node, setupRefusal) {
	if !s.expected(r.FormValue("state")) {
		return nil, setupRefusal{http.StatusForbidden, "this page was not asked for here, or too long ago; start over at /setup"}
	}
	if !codeShape.MatchString(code) {
		return nil, setupRefusal{http.StatusBadRequest, "this is no code of GitHub's; start over at /setup"}
	}
	app, _, err := s.API.Apps.CompleteAppManifest(r.Context(), code)
	if err != nil {
		s.Log.Error("GitHub did not hand out the App", "status", Status(err), "reason", withoutAddress(err))
		return nil, setupRefusal{http.StatusBadGateway, "GitHub did not hand out the App, perhaps as it took longer than an hour; start over at /setup"}
	}
	variables, err := s.Save(app)
	if err != nil {
		s.Log.Error("the App's secrets could not be kept", "app", app.GetID(), "error", err)
		return nil, setupRefusal{http.StatusInternalServerError, "GitHub created the App, but its key could not be kept; the log says why. Delete the App again at " +
			app.GetHTMLURL() + ", and start over at /setup"}
	}
	s.Log.Info("the App was created", "app", app.GetID(), "slug", app.GetSlug())
	return donePage(app, variables), setupRefusal{}
}

// withoutAddress is what an error says, without the address that was asked: the code is in it.
func withoutAddress(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err.Error()
	}
	return message(err)
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
	s.states[state] = s.now().Add(setupLife)
	return state
}

func (s *Setup) expected(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.states[state]
	delete(s.states, state)
	return ok && s.now().Before(until)
}

func (s *Setup) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
