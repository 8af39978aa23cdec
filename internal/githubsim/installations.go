package githubsim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Installation is an App installed on an account.
type Installation struct {
	ID  int64
	App *App

	account   *account
	perms     Permissions
	events    []string
	repos     map[int64]bool // nil: all of the account's
	suspended bool
	deleted   bool
	created   time.Time
	suspendAt time.Time
}

// InstallApp installs an App on the account of an owner, with the permissions and events that it asks for: on the
// repositories given, or on all of the owner's if there are none.
func (s *Sim) InstallApp(app *App, owner string, repos ...*Repo) *Installation {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &Installation{ID: s.id(), App: app, account: s.account(owner), perms: maps.Clone(app.permissions), events: slices.Clone(app.events), created: now()}
	if len(repos) > 0 {
		i.repos = map[int64]bool{}
		for _, r := range repos {
			i.repos[r.id] = true
		}
	}
	s.installations = append(s.installations, i)
	s.emitInstallation(i, "created")
	return i
}

// SetPermissions changes what an installation may do, as when its owner accepts new permissions. Tokens that are out
// keep what they have.
func (s *Sim) SetPermissions(i *Installation, p Permissions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i.perms = maps.Clone(p)
	s.emitInstallation(i, "new_permissions_accepted")
}

// Suspend suspends an installation or, with false, ends that.
func (s *Sim) Suspend(i *Installation, suspended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i.suspended, i.suspendAt = suspended, now()
	if suspended {
		s.emitInstallation(i, "suspend")
	} else {
		s.emitInstallation(i, "unsuspend")
	}
}

// Uninstall removes an installation.
func (s *Sim) Uninstall(i *Installation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emitInstallation(i, "deleted")
	i.deleted = true
	s.installations = slices.DeleteFunc(s.installations, func(other *Installation) bool { return other == i })
	maps.DeleteFunc(s.tokens, func(_ string, c *credential) bool { return c.install == i })
}

// SelectRepos adds a repository to those that an installation is for, or with false removes it.
func (s *Sim) SelectRepos(i *Installation, repo *Repo, selected bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.repos == nil {
		s.fatal("the installation is for all repositories")
	}
	if selected {
		i.repos[repo.id] = true
		s.emitInstallationRepos(i, "added", repo)
	} else {
		s.emitInstallationRepos(i, "removed", repo)
		delete(i.repos, repo.id)
	}
}

// ExpireTokens ends the life of all tokens of an installation before their time.
func (s *Sim) ExpireTokens(i *Installation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.tokens, func(_ string, c *credential) bool { return c.install == i })
}

// InstallationToken returns a token of the installation without asking the API for it. A nil repo means all.
func (s *Sim) InstallationToken(i *Installation) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := s.mintToken(i, i.perms, nil)
	return token
}

// mintToken makes an installation token and says until when it is good.
func (s *Sim) mintToken(i *Installation, p Permissions, repos map[int64]bool) (string, time.Time) {
	token, expires := newSecret("ghs_"), now().Add(s.opts.TokenTTL)
	s.tokens[token] = &credential{expires: expires, actor: actor{
		account: s.bot(i.App), app: i.App, install: i, perms: maps.Clone(p), repos: repos, limitKey: i.limitKey(),
	}}
	return token, expires
}

func (i *Installation) limitKey() string { return fmt.Sprintf("installation %d", i.ID) }

func (i *Installation) covers(repo *Repo) bool {
	return !i.deleted && repo.owner == i.account && (i.repos == nil || i.repos[repo.id])
}

func (i *Installation) selection() string {
	if i.repos == nil {
		return "all"
	}
	return "selected"
}

func (s *Sim) installationsOf(app *App) []*Installation {
	var own []*Installation
	for _, i := range s.installations {
		if i.App == app {
			own = append(own, i)
		}
	}
	return own
}

// reposOf returns the repositories that an installation, narrowed by a token, is for, in the order of their creation.
func (s *Sim) reposOf(covers func(*Repo) bool) []*Repo {
	var list []*Repo
	for _, r := range s.repos {
		if covers(r) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Repo) int { return int(a.id - b.id) })
	return list
}

func (i *Installation) json(s *Sim) obj {
	out := obj{
		"id": i.ID, "node_id": nodeID("Installation", i.ID), "account": i.account.json(s), "repository_selection": i.selection(),
		"access_tokens_url": s.api("/app/installations/%d/access_tokens", i.ID), "repositories_url": s.api("/installation/repositories"),
		"html_url": s.html("/organizations/%s/settings/installations/%d", i.account.login, i.ID),
		"app_id":   i.App.ID, "client_id": i.App.ClientID, "app_slug": i.App.Slug, "target_id": i.account.id, "target_type": i.account.kind,
		"permissions": i.perms.json(), "events": texts(i.events), "created_at": stamp(i.created), "updated_at": stamp(i.created),
		"single_file_name": nil, "has_multiple_single_files": false, "single_file_paths": []string{}, "suspended_by": nil, "suspended_at": nil,
	}
	if i.suspended {
		out["suspended_at"], out["suspended_by"] = stamp(i.suspendAt), i.account.json(s)
	}
	return out
}

func listInstallations(r *request) (reply, error) {
	return paged(r, r.sim.installationsOf(r.actor.app), func(i *Installation) any { return i.json(r.sim) })
}

// installation finds the installation that the path names, among those of the App that asks.
func (r *request) installation() (*Installation, error) {
	id, err := r.number("installation_id")
	if err != nil {
		return nil, err
	}
	for _, i := range r.sim.installationsOf(r.actor.app) {
		if i.ID == id {
			return i, nil
		}
	}
	return nil, notFound()
}

func getInstallation(r *request) (reply, error) {
	i, err := r.installation()
	if err != nil {
		return reply{}, err
	}
	return ok(i.json(r.sim))
}

func getAccountInstallation(r *request) (reply, error) {
	login := r.params["org"] + r.params["username"]
	for _, i := range r.sim.installationsOf(r.actor.app) {
		if strings.EqualFold(i.account.login, login) {
			return ok(i.json(r.sim))
		}
	}
	return reply{}, notFound()
}

func getRepoInstallation(r *request) (reply, error) {
	repo := r.sim.repos[fold(r.params["owner"]+"/"+r.params["repo"])]
	for _, i := range r.sim.installationsOf(r.actor.app) {
		if repo != nil && i.covers(repo) {
			return ok(i.json(r.sim))
		}
	}
	return reply{}, notFound()
}

func createAccessToken(r *request) (reply, error) {
	i, err := r.installation()
	if err != nil {
		return reply{}, err
	}
	if i.suspended {
		return reply{}, forbidden("This installation has been suspended")
	}
	var in struct {
		Repositories  []string    `json:"repositories"`
		RepositoryIDs []int64     `json:"repository_ids"`
		Permissions   Permissions `json:"permissions"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	perms := i.perms
	if in.Permissions != nil {
		perms = in.Permissions
		for name, level := range perms {
			if !i.perms.holds(grant{name, level}) {
				return reply{}, unprocessable("The permissions requested are not granted to this installation.")
			}
		}
	}
	selected, err := r.sim.selectRepos(i, in.Repositories, in.RepositoryIDs)
	if err != nil {
		return reply{}, err
	}
	token, expires := r.sim.mintToken(i, perms, selected)
	out := obj{"token": token, "expires_at": stamp(expires), "permissions": perms.json(), "repository_selection": i.selection()}
	if selected != nil {
		out["repository_selection"], out["repositories"] = "selected", r.sim.repoList(selected)
	}
	return reply{status: http.StatusCreated, body: out}, nil
}

// selectRepos narrows an installation to the repositories named; nil where none are.
func (s *Sim) selectRepos(i *Installation, names []string, ids []int64) (map[int64]bool, error) {
	if len(names)+len(ids) == 0 {
		return nil, nil
	}
	selected := map[int64]bool{}
	for _, r := range s.reposOf(i.covers) {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, r.Name) }) || slices.Contains(ids, r.id) {
			selected[r.id] = true
		}
	}
	if len(selected) < len(names)+len(ids) {
		return nil, unprocessable("There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return selected, nil
}

func (s *Sim) repoList(selected map[int64]bool) []any {
	var list []any
	for _, r := range s.reposOf(func(r *Repo) bool { return selected[r.id] }) {
		list = append(list, r.json())
	}
	return list
}

func listInstallationRepos(r *request) (reply, error) {
	list := r.sim.reposOf(r.actor.covers)
	return counted(r, "repositories", list, func(repo *Repo) any { return repo.json() })
}

func revokeInstallationToken(r *request) (reply, error) {
	_, token, _ := strings.Cut(r.http.Header.Get("Authorization"), " ")
	delete(r.sim.tokens, token)
	return noContent()
}
