package githubsim

import "time"

// simpleJSON renders the pull request as lists do.
func (p *PR) simpleJSON() obj {
	r := p.Repo
	self, issue := r.api("/pulls/%d", p.Number), r.api("/issues/%d", p.Number)
	statuses := r.api("/statuses/%s", p.head.sha)
	out := obj{
		"id": p.pullID, "node_id": nodeID("PullRequest", p.pullID), "number": p.Number, "state": p.state(), "locked": false, "title": p.title,
		"user": p.author.json(r.sim), "body": orNull(p.body), "labels": p.labelsJSON(), "milestone": nil, "active_lock_reason": nil,
		"created_at": stamp(p.created), "updated_at": stamp(p.updated), "closed_at": stamp(p.closed), "merged_at": stamp(p.mergedAt),
		"merge_commit_sha": p.mergeCommitSHA(), "assignee": nil, "assignees": []any{}, "requested_reviewers": []any{}, "requested_teams": []any{},
		"draft": p.draft, "author_association": r.association(p.author), "auto_merge": nil,
		"url": self, "html_url": p.URL(), "diff_url": p.URL() + ".diff", "patch_url": p.URL() + ".patch", "issue_url": issue,
		"commits_url": self + "/commits", "review_comments_url": self + "/comments", "review_comment_url": r.api("/pulls/comments{/number}"),
		"comments_url": issue + "/comments", "statuses_url": statuses, "head": p.head.json(r.sim), "base": p.base.json(r.sim),
	}
	links := obj{}
	for name, href := range map[string]string{
		"self": self, "html": p.URL(), "issue": issue, "comments": issue + "/comments", "review_comments": self + "/comments",
		"review_comment": r.api("/pulls/comments{/number}"), "commits": self + "/commits", "statuses": statuses,
	} {
		links[name] = obj{"href": href}
	}
	out["_links"] = links
	return out
}

// json renders one end. The repository of a deleted fork is null.
func (e end) json(s *Sim) obj {
	out := obj{"label": e.owner.login + ":" + e.ref, "ref": e.ref, "sha": e.sha, "user": e.owner.json(s), "repo": nil}
	if e.repo != nil {
		out["repo"] = e.repo.json()
	}
	return out
}

// mergeCommitSHA is the commit of the merge or, before, of the test merge.
func (p *PR) mergeCommitSHA() any {
	if p.merged {
		return p.mergeCommit
	}
	return orNull(p.testMerge.commit)
}

// json renders the pull request in full. Mergeability that is not known is null.
func (p *PR) json(m mergeability) (obj, error) {
	rel, err := p.relation()
	if err != nil {
		return nil, err
	}
	changes, err := p.changes()
	if err != nil {
		return nil, err
	}
	added, deleted := countLines(changes)
	out := with(p.simpleJSON(), obj{
		"merged": p.merged, "mergeable": nil, "rebaseable": nil, "mergeable_state": m.state, "merged_by": p.mergedBy.json(p.sim()),
		"comments": len(p.comments), "review_comments": len(p.reviewComments), "maintainer_can_modify": false,
		"commits": len(rel.ahead), "additions": added, "deletions": deleted, "changed_files": len(changes),
	})
	if m.state != unknownState {
		out["mergeable"], out["rebaseable"] = m.clean, m.clean
	}
	return out, nil
}

// asOf returns the pull request as it was before the last push, for a reader that lags behind.
func (p *PR) asOf(stale bool) *PR {
	if !stale || p.previous == nil {
		return p
	}
	issue := *p.Issue
	old := *p
	old.Issue = &issue
	old.head, old.base, old.open, old.merged = p.previous.head, p.previous.base, p.previous.open, p.previous.merged
	if old.open {
		old.mergeCommit, old.mergedBy = "", nil
		old.mergedAt, old.closed = time.Time{}, time.Time{}
	}
	return &old
}
