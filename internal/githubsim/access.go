package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Permissions are what an App may do: "read", "write" or "admin" for each permission, such as "contents".
type Permissions map[string]string

// Role is what a person may do in a repository.
type Role string

// The roles, weakest first.
const (
	None     Role = "none"
	Read     Role = "read"
	Triage   Role = "triage"
	Write    Role = "write"
	Maintain Role = "maintain"
	Admin    Role = "admin"
)

var roleRank = map[Role]int{None: 0, Read: 1, Triage: 2, Write: 3, Maintain: 4, Admin: 5}

func (r Role) atLeast(other Role) bool { return roleRank[r] >= roleRank[other] }

// legacy is the role in the words of the older "permission" attribute.
func (r Role) legacy() Role {
	switch r {
	case Maintain:
		return Write
	case Triage:
		return Read
	}
	return r
}

// grant is one permission at a level.
type grant struct{ name, level string }

var levelRank = map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}

// holds reports whether the permissions include the grant. Every App may read metadata.
func (p Permissions) holds(g grant) bool {
	have := p[g.name]
	if g.name == "metadata" && have == "" {
		have = "read"
	}
	return levelRank[have] >= levelRank[g.level]
}

// access says who may use an endpoint. An installation needs one of the grants, a person the role.
type access struct {
	caller caller
	grants []grant
	role   Role
	secret bool // not open to the public, although it only reads
}

// caller says for which kind of credentials an endpoint is.
type caller int

const (
	onRepo         caller = iota // installations and people, for a repository
	byAnyone                     // no credentials needed
	byUser                       // a person
	byApp                        // an App's JWT
	byInstallation               // an installation token
)

var (
	anyone        = access{caller: byAnyone}
	signedIn      = access{caller: byUser}
	appItself     = access{caller: byApp}
	installations = access{caller: byInstallation}
)

// reads is the access to read what a permission covers; one of several is enough.
func reads(names ...string) access { return grants("read", Read, names) }

// writes is the access to change what a permission covers; role is what a person needs.
func writes(role Role, names ...string) access { return grants("write", role, names) }

// readsSecret is reads of what is not public even in a public repository.
func readsSecret(role Role, name string) access {
	a := grants("read", role, []string{name})
	a.secret = true
	return a
}

func grants(level string, role Role, names []string) access {
	a := access{role: role}
	for _, n := range names {
		a.grants = append(a.grants, grant{n, level})
	}
	return a
}

func (a access) onlyReads() bool { return a.grants[0].level == "read" && !a.secret }

// String is the value of X-Accepted-GitHub-Permissions.
func (a access) String() string {
	var alternatives []string
	for _, g := range a.grants {
		alternatives = append(alternatives, fmt.Sprintf("%s=%s", g.name, g.level))
	}
	return strings.Join(alternatives, "; ")
}

const resourceNotAccessible = "Resource not accessible by integration"

// authorize decides whether the actor may use the endpoint, and finds the repository.
func (s *Sim) authorize(r *request) error {
	switch r.route.access.caller {
	case byAnyone:
		return nil
	case byApp:
		if !r.actor.byJWT() {
			return errNoJWT
		}
		return nil
	case byUser:
		if r.actor.account == nil {
			return unauthorized("Requires authentication")
		}
		if r.actor.app != nil {
			return forbidden(resourceNotAccessible)
		}
		return nil
	case byInstallation:
		if r.actor.install == nil {
			return forbidden("You must authenticate with an installation access token in order to list repositories for an installation.")
		}
		return nil
	}
	return s.authorizeRepo(r)
}

func (s *Sim) authorizeRepo(r *request) error {
	if r.actor.byJWT() {
		return unauthorized("Bad credentials")
	}
	r.repo = s.repos[fold(r.params["owner"]+"/"+r.params["repo"])]
	if r.repo == nil || !r.actor.sees(r.repo) {
		return notFound()
	}
	if r.actor.mayUse(r.repo, r.route.access) {
		return nil
	}
	switch {
	case r.actor.anonymous():
		return unauthorized("Requires authentication")
	case r.actor.install != nil:
		return &apiError{status: http.StatusForbidden, message: resourceNotAccessible,
			header: http.Header{"X-Accepted-Github-Permissions": {r.route.access.String()}}}
	case r.route.access.role == Admin:
		return notFound()
	}
	return forbidden("Must have %s access to %s.", r.route.access.role, r.repo.FullName())
}

// sees reports whether a repository exists as far as the actor can tell.
func (a actor) sees(repo *Repo) bool {
	return !repo.private || a.covers(repo) || a.install == nil && repo.role(a.account).atLeast(Read)
}

// covers reports whether the token is for the repository.
func (a actor) covers(repo *Repo) bool {
	return a.install != nil && a.install.covers(repo) && (a.repos == nil || a.repos[repo.id])
}

// mayUse applies an endpoint's access to a repository that the actor sees.
//
// GitHub lets an installation read most of a public repository without the permission. Here the permission is asked for
// wherever the App is installed, since a registry may be private.
func (a actor) mayUse(repo *Repo, need access) bool {
	if a.install == nil {
		return repo.role(a.account).atLeast(need.role) && (a.account != nil || need.onlyReads())
	}
	if !a.covers(repo) {
		return need.onlyReads()
	}
	return slices.ContainsFunc(need.grants, a.perms.holds)
}

// mayWrite reports whether the actor may write what a permission covers, or a person has write access.
func (a actor) mayWrite(repo *Repo, permission string) bool {
	return a.mayUse(repo, writes(Write, permission))
}
