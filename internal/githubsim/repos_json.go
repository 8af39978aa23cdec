package githubsim

import (
	"fmt"
	"time"
)

// epoch is when everything began that has no time of its own.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// templates are the addresses within a repository that its JSON lists.
var templates = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams", "trees_url": "/git/trees{/sha}",
}

// api is the address of something within the repository.
func (r *Repo) api(format string, args ...any) string {
	return r.sim.url + "/api/v3/repos/" + r.FullName() + fmt.Sprintf(format, args...)
}

// html is the address of a page of the repository.
func (r *Repo) html(format string, args ...any) string {
	return r.sim.url + "/" + r.FullName() + fmt.Sprintf(format, args...)
}

// json renders the repository as it appears within other objects and in webhooks.
func (r *Repo) json() obj {
	visibility := "public"
	if r.private {
		visibility = "private"
	}
	open := 0
	for _, i := range r.issues {
		if i.open {
			open++
		}
	}
	out := obj{
		"id": r.id, "node_id": nodeID("Repository", r.id), "name": r.Name, "full_name": r.FullName(), "private": r.private,
		"owner": r.owner.json(r.sim), "html_url": r.html(""), "description": nil, "fork": r.parent != nil, "url": r.api(""),
		"created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
		"git_url": "git://" + r.html("")[len("http://"):] + ".git", "ssh_url": "git@" + r.html("")[len("http://"):] + ".git",
		"clone_url": r.html(".git"), "svn_url": r.html(""), "homepage": nil, "size": 0, "stargazers_count": 0, "watchers_count": 0,
		"language": nil, "has_issues": true, "has_projects": true, "has_downloads": true, "has_wiki": true, "has_pages": false,
		"has_discussions": false, "forks_count": 0, "mirror_url": nil, "archived": false, "disabled": false, "open_issues_count": open,
		"license": nil, "forks": 0, "open_issues": open, "watchers": 0, "default_branch": r.defaultBranch, "is_template": false,
		"topics": []string{}, "visibility": visibility, "web_commit_signoff_required": false, "allow_forking": true, "custom_properties": obj{},
	}
	for name, template := range templates {
		out[name] = r.api("") + template
	}
	return out
}

// brief renders the repository as check runs and installations list it.
func (r *Repo) brief() obj { return obj{"id": r.id, "url": r.api(""), "name": r.Name} }
