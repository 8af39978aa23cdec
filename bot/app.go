package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/paging"
)

// AppOptions says which App the bot is, and where.
type AppOptions struct {
	ID       int64
	Key      []byte // PEM, as GitHub hands it out
	URL      string // of GitHub Enterprise or another server; github.com where empty
	Cache    *Cache
	Observer Observer
	HTTP     http.RoundTripper // http.DefaultTransport where nil
}

// App speaks to GitHub as a GitHub App.
type App struct {
	AppOptions
	api     *url.URL
	client  *github.Client // with the App's own tokens
	mu      sync.Mutex
	clients map[int64]*github.Client // by installation
	slug    string
}

// NewApp returns the App. Its key is tried, but nothing is asked of GitHub yet.
func NewApp(o AppOptions) (*App, error) {
	if o.HTTP == nil {
		o.HTTP = http.DefaultTransport
	}
	o.HTTP = githubapp.Locating(o.HTTP)
	a := &App{AppOptions: o, clients: map[int64]*github.Client{}}
	api, err := githubapp.API(o.URL)
	if err != nil {
		return nil, err
	}
	a.api = api
	transport, err := ghinstallation.NewAppsTransport(newTransport(o.HTTP, 0, o.Observer), o.ID, o.Key)
	if err != nil {
		return nil, errors.New("the App's private key can't be read: it is the PEM file that GitHub made") // the cause may hold a part of it
	}
	transport.BaseURL = strings.TrimSuffix(api.String(), "/")
	a.client = a.newClient(transport)
	return a, nil
}

func (a *App) newClient(t http.RoundTripper) *github.Client {
	c := github.NewClient(&http.Client{Transport: t, Timeout: 2 * time.Minute})
	c.BaseURL, c.UploadURL = a.api, a.api
	c.UserAgent = "azphalt-submissions"
	return c
}

// Probe asks GitHub for the App, which finds out where the API is and whether the App's key is right.
func (a *App) Probe(ctx context.Context) error {
	_, resp, err := a.client.Apps.Get(ctx, "")
	switch {
	case resp == nil && err != nil:
		return fmt.Errorf("GitHub can't be reached: %w", err)
	case resp != nil && resp.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("GitHub does not know the App %d by this key", a.ID)
	default:
		return nil
	}
}

// installation returns the client for an installation.
func (a *App) installation(id int64) (*github.Client, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.clients[id]; ok {
		return c, nil
	}
	transport, err := ghinstallation.New(newTransport(a.HTTP, id, a.Observer), a.ID, id, a.Key)
	if err != nil {
		return nil, errors.New("the App's private key can't be read")
	}
	transport.BaseURL = strings.TrimSuffix(a.api.String(), "/")
	c := a.newClient(transport)
	a.clients[id] = c
	return c, nil
}

// Repo returns access to a repository by way of an installation.
func (a *App) Repo(r Repository) (GitHub, error) {
	client, err := a.installation(r.Installation)
	if err != nil {
		return nil, err
	}
	return &repoClient{app: a, api: client, Repository: r}, nil
}

// Repository names a repository and the installation that gives access to it.
type Repository struct {
	Installation int64  `json:"installation"`
	ID           int64  `json:"id"`
	Owner        string `json:"owner"`
	Name         string `json:"name"`
}

// FullName is the owner, a slash and the name.
func (r Repository) FullName() string { return r.Owner + "/" + r.Name }

// Slug returns the App's name in addresses, "" where GitHub does not tell.
func (a *App) Slug(ctx context.Context) string {
	a.mu.Lock()
	slug := a.slug
	a.mu.Unlock()
	if slug != "" {
		return slug
	}
	app, _, err := a.client.Apps.Get(ctx, "")
	if err != nil {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.slug = app.GetSlug()
	return a.slug
}

// Repositories lists all repositories that the App is installed on.
func (a *App) Repositories(ctx context.Context) ([]Repository, error) {
	var all []Repository
	for i, err := range paging.Items(func(o *github.ListOptions) ([]*github.Installation, *github.Response, error) {
		return a.client.Apps.ListInstallations(ctx, o)
	}) {
		if err != nil {
			return all, err
		}
		if i.SuspendedAt != nil {
			continue
		}
		repos, err := a.installed(ctx, i.GetID())
		if err != nil && !absent(err) {
			return all, err
		}
		all = append(all, repos...)
	}
	return all, nil
}

func (a *App) installed(ctx context.Context, installation int64) ([]Repository, error) {
	client, err := a.installation(installation)
	if err != nil {
		return nil, err
	}
	var all []Repository
	for r, err := range paging.Items(func(o *github.ListOptions) ([]*github.Repository, *github.Response, error) {
		list, resp, err := client.Apps.ListRepos(ctx, o)
		if err != nil {
			return nil, resp, err
		}
		return list.Repositories, resp, nil
	}) {
		if err != nil {
			return all, err
		}
		all = append(all, repositoryOf(r, installation))
	}
	return all, nil
}

// Redeliver asks GitHub for the deliveries that failed since a time, and to deliver each of them once more. It returns how
// many there were.
func (a *App) Redeliver(ctx context.Context, since time.Time) (int, error) {
	failed, delivered := map[string]int64{}, map[string]bool{}
	opt := &github.ListCursorOptions{PerPage: 100}
	for {
		list, resp, err := a.client.Apps.ListHookDeliveries(ctx, opt)
		if err != nil {
			return 0, err
		}
		old := false
		for _, d := range list {
			old = old || d.GetDeliveredAt().Before(since)
			if d.GetStatusCode() >= 200 && d.GetStatusCode() < 300 {
				delivered[d.GetGUID()] = true
			} else if !d.GetDeliveredAt().Before(since) && failed[d.GetGUID()] == 0 {
				failed[d.GetGUID()] = d.GetID()
			}
		}
		if opt.Cursor = resp.Cursor; opt.Cursor == "" || old {
			break
		}
	}
	n := 0
	for guid, id := range failed {
		if delivered[guid] {
			continue
		}
		// GitHub answers 202, which the library reports as an error of its own.
		if _, _, err := a.client.Apps.RedeliverHookDelivery(ctx, id); err != nil && !isAccepted(err) {
			return n, err
		}
		n++
	}
	return n, nil
}

func isAccepted(err error) bool {
	_, ok := errors.AsType[*github.AcceptedError](err)
	return ok
}
