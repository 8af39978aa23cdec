package githubsim

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Repo is a repository.
type Repo struct {
	Owner, Name string

	sim     *Sim
	id      int64
	dir     string
	objects *objects
	refs    *filesystem.Storage
	created time.Time

	owner         *account
	parent        *Repo // of a fork
	private       bool
	defaultBranch string
	pushed        time.Time
	roles         map[string]Role   // by lower-case login
	previous      map[string]string // refs before the last push to them, for stale reads
	methods       MergeMethods

	lastNumber  int
	issues      map[int]*Issue
	pulls       []*PR // by number
	labels      []*label
	suites      []*suite
	runs        []*checkRun
	statuses    map[string][]*status // by commit, oldest first
	protections []Protection
	rulesets    []*Ruleset
}

// MergeMethods says which methods a repository allows for the merge of a pull request.
type MergeMethods struct{ Merge, Squash, Rebase bool }

// Files are the contents of files by their paths.
type Files map[string]string

// CreateRepo makes a public repository that belongs to an organization, with one commit of these files on the branch
// main. Without files it is empty.
func (s *Sim) CreateRepo(owner, name string, files Files) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[fold(owner)] == nil {
		s.account(owner).kind = organization
	}
	r := s.newRepo(owner, name, nil)
	if len(files) > 0 {
		r.stage("main", Change{Files: files, Message: "Initial commit"}, s.account("maintainer"))
	}
	return r
}

// Fork makes a fork of a repository, with its branches, that belongs to another account.
func (s *Sim) Fork(parent *Repo, owner string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.newRepo(owner, parent.Name, parent)
	r.private = parent.private
	for _, ref := range parent.refsUnder("refs/heads/") {
		s.must(r.setRef(ref.name, ref.sha))
	}
	return r
}

func (s *Sim) newRepo(owner, name string, parent *Repo) *Repo {
	full := fold(owner + "/" + name)
	if s.repos[full] != nil {
		s.fatal("there is a repository %s already", full)
	}
	r := &Repo{
		Owner: owner, Name: name, sim: s, id: s.id(), created: now(), pushed: now(), owner: s.account(owner), parent: parent,
		defaultBranch: "main", roles: map[string]Role{}, previous: map[string]string{}, issues: map[int]*Issue{},
		statuses: map[string][]*status{}, methods: MergeMethods{true, true, true},
	}
	r.dir = filepath.Join(s.dir, fmt.Sprintf("%d-%s.git", r.id, filepath.Base(name)))
	root := ""
	if parent != nil {
		root, r.defaultBranch = parent.objects.dir, parent.defaultBranch
	}
	s.must(initBare(r.dir, r.defaultBranch, root))
	if parent != nil {
		r.objects = parent.objects
	} else {
		r.objects = openObjects(r.dir)
	}
	r.refs = filesystem.NewStorage(osfs.New(r.dir), cache.NewObjectLRU(cacheSize))
	s.repos[full] = r
	return r
}

// DeleteRepo deletes a fork. Pull requests from it stay open, with a head that belongs to an unknown repository.
func (s *Sim) DeleteRepo(r *Repo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.parent == nil {
		s.fatal("only forks can be deleted: others hold the objects of their forks")
	}
	delete(s.repos, fold(r.FullName()))
	s.must(os.RemoveAll(r.dir))
	for _, other := range s.repos {
		for _, p := range other.pulls {
			if p.head.repo == r {
				p.head.repo = nil
			}
		}
	}
}

// FullName is the owner's login, a slash and the name.
func (r *Repo) FullName() string { return r.Owner + "/" + r.Name }

// GitDir is the directory of the bare repository, for the git program.
func (r *Repo) GitDir() string { return r.dir }

// ID is the numeric id.
func (r *Repo) ID() int64 { return r.id }

// SetPrivate makes the repository private or public.
func (r *Repo) SetPrivate(private bool) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.private = private
}

// AllowMerges sets the methods that pull requests may be merged by.
func (r *Repo) AllowMerges(m MergeMethods) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.methods = m
}

// SetPermission gives a person a role in the repository.
func (r *Repo) SetPermission(login string, role Role) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.sim.account(login)
	r.roles[fold(login)] = role
}

// role is the highest role that an account has from any source.
func (r *Repo) role(a *account) Role {
	role := None
	if !r.private {
		role = Read
	}
	if a == nil {
		return role
	}
	if a == r.owner {
		return Admin
	}
	if r.owner.members[fold(a.login)] && !role.atLeast(Read) {
		role = Read
	}
	if own := r.roles[fold(a.login)]; own.atLeast(role) {
		role = own
	}
	return role
}

// association is what GitHub calls an author's relation to a repository.
func (r *Repo) association(a *account) string {
	switch {
	case a == nil:
		return "NONE"
	case a == r.owner:
		return "OWNER"
	case r.owner.members[fold(a.login)]:
		return "MEMBER"
	case r.roles[fold(a.login)].atLeast(Read) && r.roles[fold(a.login)] != "":
		return "COLLABORATOR"
	}
	for _, p := range r.pulls {
		if p.merged && p.author == a {
			return "CONTRIBUTOR"
		}
	}
	return "NONE"
}

func repoRoutes() []*route {
	return []*route{
		{method: "GET", path: "/repos/{owner}/{repo}", access: reads("metadata"), handle: getRepo},
		{method: "GET", path: "/repos/{owner}/{repo}/collaborators/{username}/permission", access: readsSecret(Write, "metadata"), handle: getPermission},
		{method: "GET", path: "/repos/{owner}/{repo}/collaborators/{username}", access: readsSecret(Write, "metadata"), handle: checkCollaborator},
		{method: "POST", path: "/repos/{owner}/{repo}/dispatches", access: writes(Write, "contents"), handle: createDispatch},
	}
}

func getRepo(r *request) (reply, error) {
	out := with(r.repo.json(), obj{
		"network_count": 0, "subscribers_count": 0, "allow_merge_commit": r.repo.methods.Merge, "allow_squash_merge": r.repo.methods.Squash,
		"allow_rebase_merge": r.repo.methods.Rebase, "allow_auto_merge": false, "delete_branch_on_merge": false,
		"permissions": r.permissionBits(),
	})
	if r.repo.parent != nil {
		out["parent"], out["source"] = r.repo.parent.json(), r.repo.parent.json()
	}
	if r.repo.owner.kind == organization {
		out["organization"] = r.repo.owner.json(r.sim)
	}
	return ok(out)
}

// permissionBits says what whoever asks may do.
func (r *request) permissionBits() obj {
	role := r.repo.role(r.actor.account)
	if r.actor.covers(r.repo) {
		role = Read
		if r.actor.perms.holds(grant{"contents", "write"}) {
			role = Write
		}
	}
	bits := obj{}
	for name, at := range map[string]Role{"admin": Admin, "maintain": Maintain, "push": Write, "triage": Triage, "pull": Read} {
		bits[name] = role.atLeast(at)
	}
	return bits
}

// getPermission serves the permission of a person. A bot is no person, which GitHub says with 404.
func getPermission(r *request) (reply, error) {
	a := r.sim.accounts[fold(r.params["username"])]
	if a == nil {
		return reply{}, notFound()
	}
	if a.kind != user {
		return reply{}, &apiError{status: 404, message: a.login + " is not a user"}
	}
	role := r.repo.role(a)
	who := with(a.json(r.sim), obj{"role_name": role, "permissions": obj{
		"admin": role.atLeast(Admin), "maintain": role.atLeast(Maintain), "push": role.atLeast(Write), "triage": role.atLeast(Triage), "pull": role.atLeast(Read),
	}})
	return ok(obj{"permission": role.legacy(), "role_name": role, "user": who})
}

func checkCollaborator(r *request) (reply, error) {
	if r.repo.roles[fold(r.params["username"])].atLeast(Read) {
		return noContent()
	}
	return reply{}, notFound()
}

func createDispatch(r *request) (reply, error) {
	var in struct {
		EventType string `json:"event_type"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	if in.EventType == "" || len(in.EventType) > 100 {
		return reply{}, unprocessable("Invalid request.\n\n\"event_type\" wasn't supplied.")
	}
	return noContent()
}
