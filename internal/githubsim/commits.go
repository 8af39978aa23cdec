package githubsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

func commitRoutes() []*route {
	return []*route{
		{method: "GET", path: "/repos/{owner}/{repo}/commits", access: reads("contents"), handle: listCommits},
		{method: "GET", path: "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", access: reads("pull_requests"), handle: listCommitPulls},
		{method: "GET", path: "/repos/{owner}/{repo}/compare/{basehead}", access: reads("contents"), handle: compareCommits},
		{method: "GET", path: "/repos/{owner}/{repo}/contents/{path}", access: reads("contents"), handle: getContents},
	}
}

// listCommits serves the history of a branch or commit, newest first.
func listCommits(r *request) (reply, error) {
	start, err := r.repo.resolve(cmp.Or(r.query().Get("sha"), r.repo.defaultBranch), r.stale)
	if err != nil {
		return reply{}, notFound()
	}
	list, err := r.repo.objects.graph.history(start)
	if err != nil {
		return reply{}, err
	}
	return paged(r, list, r.repo.commitBySHA)
}

// commitBySHA renders a commit that is known to be there.
func (r *Repo) commitBySHA(sha string) any {
	c, err := r.objects.commit(sha)
	r.sim.must(err)
	return r.commitJSON(c)
}

// maxCommitFiles is how many files a commit or comparison lists.
const maxCommitFiles = 300

func getCommit(r *request) (reply, error) {
	sha, err := r.repo.resolve(r.params["ref"], r.stale)
	if err != nil {
		return reply{}, unprocessable("No commit found for SHA: %s", r.params["ref"])
	}
	o := r.repo.objects
	c, err := o.commit(sha)
	if err != nil {
		return reply{}, err
	}
	before := emptyTree
	if c.NumParents() > 0 {
		if before, err = o.treeOf(c.ParentHashes[0].String()); err != nil {
			return reply{}, err
		}
	}
	changes, err := o.diffs.between(before, c.TreeHash.String())
	if err != nil {
		return reply{}, err
	}
	added, deleted := countLines(changes)
	return ok(with(r.repo.commitJSON(c), obj{
		"stats": obj{"additions": added, "deletions": deleted, "total": added + deleted},
		"files": r.repo.changesJSON(changes[:min(len(changes), maxCommitFiles)], sha),
	}))
}

func countLines(changes []fileChange) (added, deleted int) {
	for _, c := range changes {
		added, deleted = added+c.added, deleted+c.deleted
	}
	return added, deleted
}

// maxPatch is the size above which GitHub leaves a file's patch out.
const maxPatch = 20_000

func (r *Repo) changeJSON(c fileChange, commit string) obj {
	out := obj{
		"sha": c.sha, "filename": c.path, "status": c.status, "additions": c.added, "deletions": c.deleted, "changes": c.added + c.deleted,
		"blob_url": r.html("/blob/%s/%s", commit, escapePath(c.path)), "raw_url": r.html("/raw/%s/%s", commit, escapePath(c.path)),
		"contents_url": r.api("/contents/%s?ref=%s", escapePath(c.path), commit),
	}
	if c.previous != "" {
		out["previous_filename"] = c.previous
	}
	if c.patch != "" && len(c.patch) <= maxPatch {
		out["patch"] = c.patch
	}
	return out
}

func (r *Repo) changesJSON(changes []fileChange, commit string) []any {
	list := make([]any, 0, len(changes))
	for _, c := range changes {
		list = append(list, r.changeJSON(c, commit))
	}
	return list
}

// listCommitPulls serves the pull requests that a commit belongs to: the open ones that have it, and those that brought
// it to the default branch.
func listCommitPulls(r *request) (reply, error) {
	sha, err := r.repo.resolve(r.params["commit_sha"], r.stale)
	if err != nil {
		return reply{}, unprocessable("No commit found for SHA: %s", r.params["commit_sha"])
	}
	var list []*PR
	for _, p := range r.repo.pulls {
		rel, err := r.repo.objects.graph.relate(p.base.sha, p.head.sha)
		if err != nil {
			return reply{}, err
		}
		if (p.open || p.merged) && slices.Contains(rel.ahead, sha) || p.merged && p.mergeCommit == sha {
			list = append(list, p)
		}
	}
	return paged(r, list, func(p *PR) any { return p.simpleJSON() })
}

// endOf finds the commit of one end of a comparison: "branch", a commit, or "owner:branch" of another in the network.
func (r *request) endOf(name string) (string, error) {
	repo := r.repo
	if owner, branch, cross := strings.Cut(name, ":"); cross {
		name, repo = branch, nil
		for _, other := range r.sim.network(r.repo) {
			if strings.EqualFold(other.Owner, owner) && r.actor.sees(other) {
				repo = other
			}
		}
		if repo == nil {
			return "", notFound()
		}
	}
	sha, err := repo.resolve(name, r.stale)
	if err != nil {
		return "", notFound()
	}
	return sha, nil
}

// comparePage is how many commits of a comparison are listed where no page is asked for.
const comparePage = 250

func compareCommits(r *request) (reply, error) {
	baseName, headName, found := strings.Cut(r.params["basehead"], "...")
	if !found {
		return reply{}, notFound()
	}
	base, err := r.endOf(baseName)
	if err != nil {
		return reply{}, err
	}
	head, err := r.endOf(headName)
	if err != nil {
		return reply{}, err
	}
	rel, err := r.repo.objects.graph.relate(base, head)
	if err != nil {
		return reply{}, err
	}
	if rel.mergeBase == "" {
		return reply{}, &apiError{status: http.StatusNotFound, message: "No common ancestor between " + baseName + " and " + headName + "."}
	}
	commits, header := pageOf(r, rel.ahead, comparePage, r.repo.commitBySHA)
	out := r.comparison(rel, base, head)
	out["commits"] = commits
	if r.page(comparePage).number == 1 {
		changes, err := r.repo.objects.changes(rel.mergeBase, head)
		if err != nil {
			return reply{}, err
		}
		out["files"] = r.repo.changesJSON(changes[:min(len(changes), maxCommitFiles)], head)
	}
	return reply{status: http.StatusOK, body: out, header: header}, nil
}

func (r *request) comparison(rel relation, base, head string) obj {
	status := "diverged"
	switch {
	case base == head:
		status = "identical"
	case rel.behind == 0:
		status = "ahead"
	case len(rel.ahead) == 0:
		status = "behind"
	}
	page := r.repo.html("/compare/%s...%s", base, head)
	return obj{
		"url": r.repo.api("/compare/%s...%s", base, head), "html_url": page, "permalink_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch",
		"base_commit": r.repo.commitBySHA(base), "merge_base_commit": r.repo.commitBySHA(rel.mergeBase),
		"status": status, "ahead_by": len(rel.ahead), "behind_by": rel.behind, "total_commits": len(rel.ahead), "files": []any{},
	}
}

// changes lists what differs between the trees of two commits.
func (o *objects) changes(from, to string) ([]fileChange, error) {
	fromTree, err := o.treeOf(from)
	if err != nil {
		return nil, err
	}
	toTree, err := o.treeOf(to)
	if err != nil {
		return nil, err
	}
	return o.diffs.between(fromTree, toTree)
}
