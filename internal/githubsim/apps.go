package githubsim

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// App is a GitHub App.
type App struct {
	ID            int64
	Slug          string
	Name          string
	ClientID      string
	ClientSecret  string
	PrivateKey    []byte // PEM, PKCS#1, as GitHub hands it out
	WebhookSecret string

	private     *rsa.PrivateKey
	owner       *account
	description string
	homepage    string
	permissions Permissions // that it asks for
	events      []string
	hook        *hook
	created     time.Time
}

// AppOptions describes an App.
type AppOptions struct {
	ID            int64  // chosen unless set
	Slug          string // "azp-gate" unless set
	Owner         string // "acme", an organization, unless set
	Permissions   Permissions
	Events        []string
	WebhookURL    string // none: no webhooks are delivered
	WebhookSecret string // chosen unless set
}

func (a *App) id() int64 {
	if a == nil {
		return 0
	}
	return a.ID
}

// CreateApp registers an App. It can do nothing until it is installed.
func (s *Sim) CreateApp(o AppOptions) *App {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.createApp(o)
}

func (s *Sim) createApp(o AppOptions) *App {
	if o.ID == 0 {
		o.ID = s.id()
	}
	setDefault(&o.Slug, "azp-gate")
	setDefault(&o.Owner, "acme")
	setDefault(&o.WebhookSecret, newSecret(""))
	key := appKey(len(s.apps))
	app := &App{
		ID: o.ID, Slug: o.Slug, Name: o.Slug, ClientID: fmt.Sprintf("Iv23li%d", o.ID), ClientSecret: newSecret(""),
		PrivateKey:    pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		WebhookSecret: o.WebhookSecret,
		private:       key, owner: s.account(o.Owner), permissions: maps.Clone(o.Permissions), events: slices.Clone(o.Events), created: now(),
	}
	app.hook = &hook{id: s.id(), url: o.WebhookURL, secret: o.WebhookSecret, app: app}
	s.apps = append(s.apps, app)
	return app
}

// appKey returns the key of the n-th App of a Sim. They are made once a process: it takes longer than most tests.
func appKey(n int) *rsa.PrivateKey {
	appKeys.Lock()
	defer appKeys.Unlock()
	for len(appKeys.list) <= n {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		appKeys.list = append(appKeys.list, key)
	}
	return appKeys.list[n]
}

var appKeys struct {
	sync.Mutex
	list []*rsa.PrivateKey
}

// bot is the account that acts for the App.
func (s *Sim) bot(app *App) *account { return s.account(app.Slug + "[bot]") }

// SetWebhook changes where the App's webhooks go and the secret that they are signed with.
func (s *Sim) SetWebhook(app *App, url, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	app.hook.url, app.hook.secret, app.WebhookSecret = url, secret, secret
}

// RotateKey gives the App a new private key; tokens signed with the old one are refused.
func (s *Sim) RotateKey(app *App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	app.private = appKey(len(s.apps) + 1)
	app.PrivateKey = pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(app.private)})
}

// json renders the App as it appears within other objects.
func (a *App) json(s *Sim) obj {
	return obj{
		"id": a.ID, "slug": a.Slug, "node_id": nodeID("Integration", a.ID), "client_id": a.ClientID, "owner": a.owner.json(s),
		"name": a.Name, "description": a.description, "external_url": orText(a.homepage, s.url), "html_url": s.html("/apps/%s", a.Slug),
		"created_at": stamp(a.created), "updated_at": stamp(a.created), "permissions": a.permissions.json(), "events": texts(a.events),
	}
}

// json renders permissions with the metadata that every App may read.
func (p Permissions) json() obj {
	out := obj{"metadata": "read"}
	for name, level := range p {
		out[name] = level
	}
	return out
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// texts renders a list that is never null.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func appRoutes() []*route {
	return []*route{
		{method: "GET", path: "/app", access: appItself, handle: getApp},
		{method: "GET", path: "/apps/{app_slug}", access: anyone, handle: getAppBySlug},
		{method: "GET", path: "/app/installations", access: appItself, handle: listInstallations},
		{method: "GET", path: "/app/installations/{installation_id}", access: appItself, handle: getInstallation},
		{method: "POST", path: "/app/installations/{installation_id}/access_tokens", access: appItself, handle: createAccessToken},
		{method: "GET", path: "/orgs/{org}/installation", access: appItself, handle: getAccountInstallation},
		{method: "GET", path: "/users/{username}/installation", access: appItself, handle: getAccountInstallation},
		{method: "GET", path: "/repos/{owner}/{repo}/installation", access: appItself, handle: getRepoInstallation},
		{method: "GET", path: "/installation/repositories", access: installations, handle: listInstallationRepos},
		{method: "DELETE", path: "/installation/token", access: installations, handle: revokeInstallationToken},
		{method: "POST", path: "/app-manifests/{code}/conversions", access: anyone, handle: convertManifest},
		{method: "GET", path: "/app/hook/config", access: appItself, handle: getHookConfig},
		{method: "PATCH", path: "/app/hook/config", access: appItself, handle: updateHookConfig},
		{method: "GET", path: "/app/hook/deliveries", access: appItself, handle: listDeliveries},
		{method: "GET", path: "/app/hook/deliveries/{delivery_id}", access: appItself, handle: getDelivery},
		{method: "POST", path: "/app/hook/deliveries/{delivery_id}/attempts", access: appItself, handle: redeliver},
	}
}

func getApp(r *request) (reply, error) {
	count := len(r.sim.installationsOf(r.actor.app))
	return ok(with(r.actor.app.json(r.sim), obj{"installations_count": count}))
}

func getAppBySlug(r *request) (reply, error) {
	for _, a := range r.sim.apps {
		if strings.EqualFold(a.Slug, r.params["app_slug"]) {
			return ok(a.json(r.sim))
		}
	}
	return reply{}, notFound()
}
