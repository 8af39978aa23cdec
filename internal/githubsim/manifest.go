package githubsim

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// manifest describes an App that somebody is about to create: the app-manifest flow.
type manifest struct {
	Name           string      `json:"name"`
	URL            string      `json:"url"`
	Description    string      `json:"description"`
	RedirectURL    string      `json:"redirect_url"`
	Public         bool        `json:"public"`
	Permissions    Permissions `json:"default_permissions"`
	Events         []string    `json:"default_events"`
	HookAttributes struct {
		URL string `json:"url"`
	} `json:"hook_attributes"`

	owner   string
	expires time.Time
}

// manifestLife is how long a code can be exchanged, once.
const manifestLife = time.Hour

// servePage answers the pages for people: the form at which a manifest becomes an App. Whoever posts it is taken to be
// the owner of "acme", or of the organization in the path, and to agree.
func (s *Sim) servePage(w http.ResponseWriter, r *http.Request) bool {
	owner := "acme"
	switch parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/"); {
	case len(parts) == 5 && parts[0] == "organizations" && strings.Join(parts[2:], "/") == "settings/apps/new":
		owner = parts[1]
	case r.URL.Path != "/settings/apps/new":
		return false
	}
	if r.Method != http.MethodPost {
		http.Error(w, "post a manifest", http.StatusMethodNotAllowed)
		return true
	}
	target, problem := s.acceptManifest(owner, r.FormValue("manifest"), r.FormValue("state"))
	if problem != "" {
		http.Error(w, problem, http.StatusUnprocessableEntity)
		return true
	}
	http.Redirect(w, r, target, http.StatusFound)
	return true
}

// acceptManifest keeps a manifest and returns where the browser goes with its code.
func (s *Sim) acceptManifest(owner, text, state string) (target, problem string) {
	m := manifest{owner: owner, expires: time.Now().Add(manifestLife)}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return "", "the manifest is no JSON: " + err.Error()
	}
	redirect, err := url.Parse(m.RedirectURL)
	switch {
	case m.URL == "":
		return "", "the manifest needs a url"
	case err != nil || !redirect.IsAbs():
		return "", "the manifest needs an absolute redirect_url"
	case strings.Contains(text, `"hook_attributes"`) && m.HookAttributes.URL == "":
		return "", "hook_attributes need a url"
	}
	code := newSecret("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manifests[code] = &m
	q := redirect.Query()
	q.Set("code", code)
	if state != "" {
		q.Set("state", state)
	}
	redirect.RawQuery = q.Encode()
	return redirect.String(), ""
}

func convertManifest(r *request) (reply, error) {
	s := r.sim
	m := s.manifests[r.params["code"]]
	if m == nil || time.Now().After(m.expires) {
		return reply{}, notFound()
	}
	delete(s.manifests, r.params["code"])
	app := s.createApp(AppOptions{
		Slug: slug(orText(m.Name, "app")), Owner: m.owner, Permissions: m.Permissions, Events: m.Events, WebhookURL: m.HookAttributes.URL,
	})
	app.Name, app.homepage, app.description = orText(m.Name, app.Slug), m.URL, m.Description
	return created(with(app.json(s), obj{
		"client_secret": app.ClientSecret, "webhook_secret": app.WebhookSecret, "pem": string(app.PrivateKey),
	}))
}

// slug is a name as it appears in addresses.
func slug(name string) string {
	return strings.Trim(strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '-'
	}, name), "-")
}

// App returns the App with this id, such as one made from a manifest; nil if there is none.
func (s *Sim) App(id int64) *App {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.apps {
		if a.ID == id {
			return a
		}
	}
	return nil
}
