package githubsim

import (
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Status is a commit status, as a test sees or stages it.
type Status struct {
	State       string // "error", "failure", "pending" or "success"
	Context     string // "default" unless set
	Description string
	TargetURL   string
}

type status struct {
	Status
	id      int64
	sha     string
	creator *account
	app     *App // nil of a person's
	created time.Time
}

// maxStatuses is how many statuses of one context a commit takes.
const maxStatuses = 1000

func statusRoutes() []*route {
	const repo = "/repos/{owner}/{repo}"
	return []*route{
		{method: "POST", path: repo + "/statuses/{sha}", access: writes(Write, "statuses"), handle: createStatus, content: true},
		{method: "GET", path: repo + "/commits/{ref}/status", access: reads("statuses"), handle: getCombinedStatus},
		{method: "GET", path: repo + "/commits/{ref}/statuses", access: reads("statuses"), handle: listStatuses},
	}
}

// AddStatus gives a commit a status in the name of somebody.
func (r *Repo) AddStatus(login, sha string, st Status) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.addStatus(sha, st, actor{account: r.sim.account(login)})
}

// Statuses returns the statuses of a commit, oldest first.
func (r *Repo) Statuses(sha string) []Status {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	var list []Status
	for _, st := range r.statuses[sha] {
		list = append(list, st.Status)
	}
	return list
}

func (r *Repo) addStatus(sha string, st Status, by actor) *status {
	setDefault(&st.Context, "default")
	added := &status{Status: st, id: r.sim.id(), sha: sha, creator: by.account, app: by.app, created: now()}
	r.statuses[sha] = append(r.statuses[sha], added)
	r.sim.emitStatus(r, added)
	return added
}

// latestStatuses leaves of each context the last status, newest first.
func (r *Repo) latestStatuses(sha string) []*status {
	var list []*status
	for _, st := range slices.Backward(r.statuses[sha]) {
		if !slices.ContainsFunc(list, func(other *status) bool { return other.Context == st.Context }) {
			list = append(list, st)
		}
	}
	return list
}

func (st *status) json(r *Repo) obj {
	return obj{
		"url": r.api("/statuses/%s", st.sha), "id": st.id, "node_id": nodeID("Status", st.id), "state": st.State, "context": st.Context,
		"description": orNull(st.Description), "target_url": orNull(st.TargetURL), "created_at": stamp(st.created), "updated_at": stamp(st.created),
		"avatar_url": r.sim.html("/avatars/u/%d", st.creator.id), "creator": st.creator.json(r.sim),
	}
}

func createStatus(r *request) (reply, error) {
	var in struct {
		State, Context, Description string
		TargetURL                   string `json:"target_url"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	sha := r.params["sha"]
	switch {
	case !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State):
		return reply{}, invalid("Status", "state", "custom", "state is not included in the list")
	case len(in.Description) > 140:
		return reply{}, invalid("Status", "description", "custom", "description is too long (maximum is 140 characters)")
	case !r.repo.objects.has(plumbing.CommitObject, sha):
		return reply{}, unprocessable("No commit found for SHA: %s", sha)
	case len(r.repo.statuses[sha]) >= maxStatuses:
		return reply{}, invalid("Status", "base", "custom", "This SHA and context has reached the maximum number of statuses.")
	}
	st := r.repo.addStatus(sha, Status{State: in.State, Context: in.Context, Description: in.Description, TargetURL: in.TargetURL}, r.actor)
	return created(st.json(r.repo))
}

// getCombinedStatus serves the sum of a commit's statuses. Check runs are no part of it, and no status at all is "pending".
func getCombinedStatus(r *request) (reply, error) {
	sha, err := r.commitOf()
	if err != nil {
		return reply{}, notFound()
	}
	latest := r.repo.latestStatuses(sha)
	items, header := pageOf(r, latest, defaultPerPage, func(st *status) any { return st.json(r.repo) })
	return reply{status: 200, header: header, body: obj{
		"state": combined(latest), "statuses": items, "sha": sha, "total_count": len(latest), "repository": r.repo.json(),
		"commit_url": r.repo.api("/commits/%s", sha), "url": r.repo.api("/commits/%s/status", sha),
	}}, nil
}

func combined(latest []*status) string {
	sum := "success"
	for _, st := range latest {
		switch statusState(st.State) {
		case checkFailed:
			return "failure"
		case checkPending:
			sum = "pending"
		}
	}
	if len(latest) == 0 {
		return "pending"
	}
	return sum
}

func listStatuses(r *request) (reply, error) {
	sha, err := r.commitOf()
	if err != nil {
		return reply{}, notFound()
	}
	list := slices.Clone(r.repo.statuses[sha])
	slices.Reverse(list)
	return paged(r, list, func(st *status) any { return st.json(r.repo) })
}
