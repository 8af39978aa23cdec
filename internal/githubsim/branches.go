package githubsim

import (
	"net/http"
	"strings"
)

func branchRoutes() []*route {
	const repo = "/repos/{owner}/{repo}"
	return []*route{
		{method: "GET", path: repo + "/branches", access: reads("contents"), handle: listBranches},
		{method: "GET", path: repo + "/branches/{branch}/protection", access: readsSecret(Admin, "administration"), handle: getProtection},
		{method: "GET", path: repo + "/branches/{branch}", access: reads("contents"), handle: getBranch},
		{method: "GET", path: repo + "/rules/branches/{branch}", access: reads("metadata"), handle: listBranchRules},
		{method: "GET", path: repo + "/rulesets", access: reads("metadata"), handle: listRulesets},
		{method: "GET", path: repo + "/rulesets/{ruleset_id}", access: reads("metadata"), handle: getRuleset},
	}
}

func (r *Repo) branchJSON(name, sha string) obj {
	p := r.protection(name)
	protected := p != nil || len(r.rulesFor("refs/heads/"+name)) > 0
	checks := obj{"enforcement_level": "off", "contexts": []string{}, "checks": []any{}}
	if p != nil {
		checks = obj{"enforcement_level": "non_admins", "contexts": contexts(p.Checks), "checks": checksJSON(p.Checks)}
		if p.EnforceAdmins {
			checks["enforcement_level"] = "everyone"
		}
	}
	return obj{
		"name": name, "commit": obj{"sha": sha, "url": r.api("/commits/%s", sha)}, "protected": protected,
		"protection": obj{"enabled": p != nil, "required_status_checks": checks}, "protection_url": r.api("/branches/%s/protection", escapePath(name)),
	}
}

func listBranches(r *request) (reply, error) {
	return paged(r, r.repo.refsUnder("refs/heads/"), func(ref namedRef) any {
		return r.repo.branchJSON(strings.TrimPrefix(ref.name, "refs/heads/"), ref.sha)
	})
}

// branch finds the branch that the path names.
func (r *request) branch() (name, sha string, err error) {
	name = r.params["branch"]
	if sha = r.repo.readRef("refs/heads/"+name, r.stale); sha == "" {
		return "", "", &apiError{status: http.StatusNotFound, message: "Branch not found"}
	}
	return name, sha, nil
}

func getBranch(r *request) (reply, error) {
	name, sha, err := r.branch()
	if err != nil {
		return reply{}, err
	}
	self := r.repo.api("/branches/%s", escapePath(name))
	return ok(with(r.repo.branchJSON(name, sha), obj{
		"commit": r.repo.commitBySHA(sha), "_links": obj{"self": self, "html": r.repo.html("/tree/%s", escapePath(name))},
	}))
}

// getProtection serves classic protection alone: a branch that only a ruleset protects answers 404.
func getProtection(r *request) (reply, error) {
	name, _, err := r.branch()
	if err != nil {
		return reply{}, err
	}
	p := r.repo.protection(name)
	if p == nil {
		return reply{}, &apiError{status: http.StatusNotFound, message: "Branch not protected"}
	}
	return ok(p.json(r.repo, name))
}

func contexts(checks []RequiredCheck) []string {
	list := []string{}
	for _, c := range checks {
		list = append(list, c.Context)
	}
	return list
}

func checksJSON(checks []RequiredCheck) []any {
	list := []any{}
	for _, c := range checks {
		var app any
		if c.App != 0 {
			app = c.App
		}
		list = append(list, obj{"context": c.Context, "app_id": app})
	}
	return list
}

// json renders protection. What is not asked for is left out rather than null.
func (p *Protection) json(r *Repo, branch string) obj {
	self := r.api("/branches/%s/protection", escapePath(branch))
	enabled := func(yes bool) obj { return obj{"enabled": yes} }
	out := obj{
		"url": self, "required_signatures": obj{"url": self + "/required_signatures", "enabled": p.Signatures},
		"enforce_admins":          obj{"url": self + "/enforce_admins", "enabled": p.EnforceAdmins},
		"required_linear_history": enabled(p.LinearHistory), "allow_force_pushes": enabled(p.ForcePushes), "allow_deletions": enabled(p.Deletions),
		"block_creations": enabled(false), "required_conversation_resolution": enabled(p.Conversations), "lock_branch": enabled(p.Locked),
		"allow_fork_syncing": enabled(false),
	}
	if len(p.Checks) > 0 || p.Strict {
		checks := self + "/required_status_checks"
		out["required_status_checks"] = obj{
			"url": checks, "strict": p.Strict, "contexts": contexts(p.Checks), "contexts_url": checks + "/contexts", "checks": checksJSON(p.Checks),
		}
	}
	if p.Reviews != nil {
		out["required_pull_request_reviews"] = obj{
			"url": self + "/required_pull_request_reviews", "dismiss_stale_reviews": p.Reviews.DismissStale, "require_code_owner_reviews": false,
			"required_approving_review_count": p.Reviews.Approvals, "require_last_push_approval": p.Reviews.LastPush,
			"bypass_pull_request_allowances": p.Reviews.Bypass.json(r.sim),
		}
	}
	if p.Restrict != nil {
		at := self + "/restrictions"
		out["restrictions"] = with(p.Restrict.json(r.sim), obj{"url": at, "users_url": at + "/users", "teams_url": at + "/teams", "apps_url": at + "/apps"})
	}
	return out
}

func (p Pushers) json(s *Sim) obj {
	users, apps := []any{}, []any{}
	for _, login := range p.Users {
		users = append(users, s.account(login).json(s))
	}
	for _, app := range p.Apps {
		apps = append(apps, app.json(s))
	}
	return obj{"users": users, "teams": []any{}, "apps": apps}
}

func listBranchRules(r *request) (reply, error) {
	var list []obj
	for _, rs := range r.repo.rulesets {
		if !rs.covers("refs/heads/" + r.params["branch"]) {
			continue
		}
		for _, rule := range rs.rulesJSON() {
			list = append(list, with(rule, obj{"ruleset_source_type": "Repository", "ruleset_source": r.repo.FullName(), "ruleset_id": rs.id}))
		}
	}
	return paged(r, list, func(rule obj) any { return rule })
}

// rulesJSON renders a ruleset as the rules that it consists of.
func (rs *Ruleset) rulesJSON() []obj {
	list := []obj{}
	for _, plain := range []struct {
		on   bool
		kind string
	}{
		{rs.NoDeletion, "deletion"}, {rs.NoForcePush, "non_fast_forward"}, {rs.NoCreation, "creation"}, {rs.LinearHistory, "required_linear_history"},
		{rs.Signatures, "required_signatures"},
	} {
		if plain.on {
			list = append(list, obj{"type": plain.kind})
		}
	}
	if rs.NoUpdate {
		list = append(list, obj{"type": "update", "parameters": obj{"update_allows_fetch_and_merge": false}})
	}
	if rs.Reviews != nil {
		methods := rs.AllowedMethods
		if methods == nil {
			methods = []string{"merge", "squash", "rebase"}
		}
		list = append(list, obj{"type": "pull_request", "parameters": obj{
			"required_approving_review_count": rs.Reviews.Approvals, "dismiss_stale_reviews_on_push": rs.Reviews.DismissStale,
			"require_code_owner_review": false, "require_last_push_approval": rs.Reviews.LastPush,
			"required_review_thread_resolution": rs.Conversations, "allowed_merge_methods": methods,
		}})
	}
	if len(rs.Checks) > 0 {
		checks := []any{}
		for _, c := range rs.Checks {
			check := obj{"context": c.Context}
			if c.App != 0 {
				check["integration_id"] = c.App
			}
			checks = append(checks, check)
		}
		list = append(list, obj{"type": "required_status_checks", "parameters": obj{
			"required_status_checks": checks, "strict_required_status_checks_policy": rs.Strict,
		}})
	}
	return list
}

func (rs *Ruleset) json() obj {
	r := rs.repo
	return obj{
		"id": rs.id, "name": rs.Name, "target": "branch", "source_type": "Repository", "source": r.FullName(), "enforcement": rs.Enforcement,
		"node_id": nodeID("RepositoryRuleset", rs.id), "created_at": stamp(r.created), "updated_at": stamp(r.created),
		"_links": obj{"self": obj{"href": r.api("/rulesets/%d", rs.id)}, "html": obj{"href": r.html("/rules/%d", rs.id)}},
	}
}

func listRulesets(r *request) (reply, error) {
	return paged(r, r.repo.rulesets, func(rs *Ruleset) any { return rs.json() })
}

// getRuleset serves a ruleset. Only who may change it sees who may bypass it.
func getRuleset(r *request) (reply, error) {
	id, err := r.number("ruleset_id")
	if err != nil {
		return reply{}, err
	}
	for _, rs := range r.repo.rulesets {
		if rs.id != id {
			continue
		}
		out := with(rs.json(), obj{
			"conditions": obj{"ref_name": obj{"include": texts(rs.Include), "exclude": texts(rs.Exclude)}}, "rules": rs.rulesJSON(),
			"current_user_can_bypass": rs.bypassMode(r.actor),
		})
		if r.actor.mayUse(r.repo, readsSecret(Admin, "administration")) {
			out["bypass_actors"] = rs.bypassJSON()
		}
		return ok(out)
	}
	return reply{}, notFound()
}

func (rs *Ruleset) bypassMode(a actor) string {
	switch {
	case rs.bypassedBy(a, false):
		return "always"
	case rs.bypassedBy(a, true):
		return "pull_requests_only"
	}
	return "never"
}

// roleIDs are the ids of the built-in roles.
var roleIDs = map[Role]int{Maintain: 2, Write: 4, Admin: 5}

func (rs *Ruleset) bypassJSON() []any {
	list := []any{}
	for _, b := range rs.Bypass {
		one := obj{"bypass_mode": "always", "actor_type": "RepositoryRole", "actor_id": roleIDs[b.Role]}
		if b.App != nil {
			one["actor_type"], one["actor_id"] = "Integration", b.App.ID
		}
		if b.PullRequestOnly {
			one["bypass_mode"] = "pull_request"
		}
		list = append(list, one)
	}
	return list
}
