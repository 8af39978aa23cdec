package githubsim

import (
	"fmt"
	"strings"
)

// The kinds of account.
const (
	user         = "User"
	organization = "Organization"
	bot          = "Bot"
)

// account is a person, an organization or the bot that acts for an App.
type account struct {
	id      int64
	login   string
	kind    string
	members map[string]bool // of an organization: lower-case logins
}

// account returns the account of this login, which becomes a person's if it is new.
func (s *Sim) account(login string) *account {
	if login == "" {
		s.fatal("a login is needed")
	}
	if a := s.accounts[fold(login)]; a != nil {
		return a
	}
	kind := user
	if strings.HasSuffix(login, "[bot]") {
		kind = bot
	}
	a := &account{id: s.id(), login: login, kind: kind, members: map[string]bool{}}
	s.accounts[fold(login)] = a
	return a
}

// AddUser makes sure that there is a person of this login and returns the numeric id. Every login that staging mentions
// becomes a person by itself; this is for those who only appear later.
func (s *Sim) AddUser(login string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account(login).id
}

// AddOrg makes the login an organization's, with these members.
func (s *Sim) AddOrg(login string, members ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	org := s.account(login)
	org.kind = organization
	for _, m := range members {
		org.members[fold(s.account(m).login)] = true
	}
}

// Token returns a personal access token of this person. It may do whatever the person may.
func (s *Sim) Token(login string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.account(login)
	token := newSecret("ghp_")
	s.tokens[token] = &credential{actor: actor{account: a, limitKey: fmt.Sprintf("user %d", a.id)}}
	return token
}

// json renders the account as it appears within other objects; no account as null.
func (a *account) json(s *Sim) obj {
	if a == nil {
		return nil
	}
	self := s.api("/users/%s", a.login)
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID(a.kind, a.id), "gravatar_id": "", "type": a.kind, "site_admin": false,
		"avatar_url":          s.html("/avatars/u/%d", a.id),
		"url":                 self,
		"html_url":            s.html("/%s", strings.TrimSuffix(a.login, "[bot]")),
		"followers_url":       self + "/followers",
		"following_url":       self + "/following{/other_user}",
		"gists_url":           self + "/gists{/gist_id}",
		"starred_url":         self + "/starred{/owner}{/repo}",
		"subscriptions_url":   self + "/subscriptions",
		"organizations_url":   self + "/orgs",
		"repos_url":           self + "/repos",
		"events_url":          self + "/events{/privacy}",
		"received_events_url": self + "/received_events",
		"user_view_type":      "public",
	}
}

// profile renders the account as the endpoints on users do.
func (a *account) profile(s *Sim) obj {
	return with(a.json(s), obj{
		"name": nil, "company": nil, "blog": "", "location": nil, "email": nil, "hireable": nil, "bio": nil,
		"twitter_username": nil, "public_repos": 0, "public_gists": 0, "followers": 0, "following": 0,
		"created_at": stamp(epoch), "updated_at": stamp(epoch),
	})
}

// orgJSON renders an organization as webhooks carry it.
func (a *account) orgJSON(s *Sim) obj {
	self := s.api("/orgs/%s", a.login)
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID(a.kind, a.id), "url": self, "description": "",
		"repos_url": self + "/repos", "events_url": self + "/events", "hooks_url": self + "/hooks", "issues_url": self + "/issues",
		"members_url": self + "/members{/member}", "public_members_url": self + "/public_members{/member}",
		"avatar_url": s.html("/avatars/u/%d", a.id),
	}
}

func userRoutes() []*route {
	return []*route{
		{method: "GET", path: "/user", access: signedIn, handle: getAuthenticatedUser},
		{method: "GET", path: "/users/{username}", access: anyone, handle: getUser},
		{method: "GET", path: "/rate_limit", access: anyone, handle: getRateLimit, uncounted: true},
	}
}

func getAuthenticatedUser(r *request) (reply, error) { return ok(r.actor.account.profile(r.sim)) }

func getUser(r *request) (reply, error) {
	a := r.sim.accounts[fold(r.params["username"])]
	if a == nil {
		return reply{}, notFound()
	}
	return ok(a.profile(r.sim))
}
