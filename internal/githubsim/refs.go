package githubsim

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// namedRef is a ref and what it points at.
type namedRef struct{ name, sha string }

// ref returns what a ref, named in full, points at; empty where there is none.
func (r *Repo) ref(name string) string {
	ref, err := r.refs.Reference(plumbing.ReferenceName(name))
	if err != nil {
		return ""
	}
	return ref.Hash().String()
}

// setRef makes a ref point at an object, or with an empty id removes it.
func (r *Repo) setRef(name, sha string) error {
	if sha == "" {
		return r.refs.RemoveReference(plumbing.ReferenceName(name))
	}
	return r.refs.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), plumbing.NewHash(sha)))
}

// refsUnder lists the refs whose names start so, by name.
func (r *Repo) refsUnder(prefix string) []namedRef {
	iter, err := r.refs.IterReferences()
	r.sim.must(err)
	var list []namedRef
	r.sim.must(iter.ForEach(func(ref *plumbing.Reference) error {
		if name := ref.Name().String(); ref.Type() == plumbing.HashReference && strings.HasPrefix(name, prefix) {
			list = append(list, namedRef{name, ref.Hash().String()})
		}
		return nil
	}))
	slices.SortFunc(list, func(a, b namedRef) int { return cmp.Compare(a.name, b.name) })
	return list
}

// Ref returns the commit that a branch ("main") or ref ("refs/pull/1/head") points at; empty where there is none.
func (r *Repo) Ref(name string) string {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	return r.ref(fullRef(name))
}

func fullRef(name string) string {
	if strings.HasPrefix(name, "refs/") {
		return name
	}
	return "refs/heads/" + name
}

// errNoCommit says that a name stands for no commit.
var errNoCommit = errors.New("no such commit")

// resolve finds the commit that a branch, tag, ref or id stands for. A stale request sees refs as they were before the
// last push to them.
func (r *Repo) resolve(name string, stale bool) (string, error) {
	if isSHA(name) {
		if r.objects.has(plumbing.CommitObject, name) {
			return name, nil
		}
		return "", errNoCommit
	}
	for _, full := range []string{"refs/heads/" + name, "refs/tags/" + name, "refs/" + name, name} {
		if sha := r.readRef(full, stale); sha != "" {
			return sha, nil
		}
	}
	return "", errNoCommit
}

// readRef is ref for readers that may be behind.
func (r *Repo) readRef(full string, stale bool) string {
	if before, moved := r.previous[full]; moved && stale {
		return before
	}
	return r.ref(full)
}

// validRefName applies the rules of git-check-ref-format.
func validRefName(name string) bool {
	return plumbing.ReferenceName(name).Validate() == nil && !strings.ContainsAny(name, " ~^:?*[\\\x7f")
}

func refRoutes() []*route {
	return []*route{
		{method: "GET", path: "/repos/{owner}/{repo}/git/ref/{ref}", access: reads("contents"), handle: getRef},
		{method: "GET", path: "/repos/{owner}/{repo}/git/matching-refs/{ref}", access: reads("contents"), handle: listMatchingRefs},
		{method: "POST", path: "/repos/{owner}/{repo}/git/refs", access: writes(Write, "contents"), handle: createRef},
		{method: "PATCH", path: "/repos/{owner}/{repo}/git/refs/{ref}", access: writes(Write, "contents"), handle: updateRef},
		{method: "DELETE", path: "/repos/{owner}/{repo}/git/refs/{ref}", access: writes(Write, "contents"), handle: deleteRef},
	}
}

func (r *Repo) refJSON(name, sha string) obj {
	kind := "commit"
	if !r.objects.has(plumbing.CommitObject, sha) {
		kind = "tag"
	}
	return obj{
		"ref": name, "node_id": nodeID("Ref", name), "url": r.api("/git/%s", name),
		"object": obj{"type": kind, "sha": sha, "url": r.api("/git/%ss/%s", kind, sha)},
	}
}

func getRef(r *request) (reply, error) {
	name := "refs/" + strings.TrimPrefix(r.params["ref"], "refs/")
	sha := r.repo.readRef(name, r.stale)
	if sha == "" {
		return reply{}, notFound()
	}
	return ok(r.repo.refJSON(name, sha))
}

func listMatchingRefs(r *request) (reply, error) {
	list := r.repo.refsUnder("refs/" + r.params["ref"])
	return paged(r, list, func(ref namedRef) any { return r.repo.refJSON(ref.name, ref.sha) })
}

func createRef(r *request) (reply, error) {
	var in struct{ Ref, SHA string }
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case !strings.HasPrefix(in.Ref, "refs/") || strings.Count(in.Ref, "/") < 2:
		return reply{}, unprocessable("Reference name must contain at least three slash-separated components.")
	case !validRefName(in.Ref):
		return reply{}, unprocessable("%s is not a valid ref name.", in.Ref)
	case r.repo.ref(in.Ref) != "":
		return reply{}, unprocessable("Reference already exists")
	}
	if err := r.repo.checkTarget(in.Ref, in.SHA); err != nil {
		return reply{}, err
	}
	if err := r.sim.push(r.repo, refUpdate{name: in.Ref, sha: in.SHA, actor: r.actor}); err != nil {
		return reply{}, err
	}
	out, err := created(r.repo.refJSON(in.Ref, in.SHA))
	out.header = map[string][]string{"Location": {r.repo.api("/git/%s", in.Ref)}}
	return out, err
}

// checkTarget refuses to let a ref point at what is not there or what it may not point at.
func (r *Repo) checkTarget(name, sha string) error {
	switch {
	case !isSHA(sha):
		return unprocessable("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
	case r.objects.has(plumbing.CommitObject, sha):
		return nil
	case !r.objects.has(plumbing.AnyObject, sha):
		return unprocessable("Object does not exist")
	case strings.HasPrefix(name, "refs/heads/"):
		return unprocessable("Reference update failed")
	}
	return nil
}

func updateRef(r *request) (reply, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	name := "refs/" + strings.TrimPrefix(r.params["ref"], "refs/")
	old := r.repo.ref(name)
	if old == "" {
		return reply{}, unprocessable("Reference does not exist")
	}
	if err := r.repo.checkTarget(name, in.SHA); err != nil {
		return reply{}, err
	}
	forward, err := r.repo.objects.graph.contains(in.SHA, old)
	if err != nil {
		return reply{}, err
	}
	if !forward && !in.Force {
		return reply{}, unprocessable("Update is not a fast forward")
	}
	if err := r.sim.push(r.repo, refUpdate{name: name, sha: in.SHA, actor: r.actor, forced: !forward}); err != nil {
		return reply{}, err
	}
	return ok(r.repo.refJSON(name, in.SHA))
}

func deleteRef(r *request) (reply, error) {
	name := "refs/" + strings.TrimPrefix(r.params["ref"], "refs/")
	if r.repo.ref(name) == "" {
		return reply{}, unprocessable("Reference does not exist")
	}
	if err := r.sim.push(r.repo, refUpdate{name: name, actor: r.actor}); err != nil {
		return reply{}, err
	}
	return noContent()
}
