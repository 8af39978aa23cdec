package githubsim

import (
	"encoding/json"
	"fmt"
	"time"
)

// emitInstallation tells an App of its installation, to which every App listens.
func (s *Sim) emitInstallation(i *Installation, action string) {
	payload := obj{"action": action, "installation": i.json(s), "requester": nil, "sender": i.account.json(s)}
	if action != "suspend" && action != "unsuspend" {
		payload["repositories"] = s.installedRepos(i)
	}
	s.postToApp(i, event{name: "installation", action: action}, payload)
}

func (s *Sim) emitInstallationRepos(i *Installation, action string, repo *Repo) {
	payload := obj{
		"action": action, "installation": i.json(s), "requester": nil, "sender": i.account.json(s), "repository_selection": i.selection(),
		"repositories_added": []any{}, "repositories_removed": []any{},
	}
	payload["repositories_"+action] = []any{repo.installed()}
	s.postToApp(i, event{name: "installation_repositories", action: action}, payload)
}

func (s *Sim) postToApp(i *Installation, e event, payload obj) {
	if i.App.hook.url == "" {
		return
	}
	body, err := json.Marshal(payload)
	s.must(err)
	v := s.newDelivery(i.App, e, body)
	v.Installation = i.ID
	s.hooks.enqueue(v)
}

func (s *Sim) installedRepos(i *Installation) []any {
	list := []any{}
	for _, r := range s.reposOf(i.covers) {
		list = append(list, r.installed())
	}
	return list
}

// installed renders a repository as installation webhooks list it.
func (r *Repo) installed() obj {
	return obj{"id": r.id, "node_id": nodeID("Repository", r.id), "name": r.Name, "full_name": r.FullName(), "private": r.private}
}

// Ping tells an App that its webhook is set up.
func (s *Sim) Ping(app *App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := json.Marshal(obj{
		"zen": "Speak like a human.", "hook_id": app.hook.id,
		"hook": obj{
			"type": "App", "id": app.hook.id, "name": "web", "active": true, "events": texts(app.events), "config": hookConfig(app),
			"created_at": stamp(app.created), "updated_at": stamp(app.created), "app_id": app.ID,
		},
	})
	s.must(err)
	s.hooks.enqueue(s.newDelivery(app, event{name: "ping"}, body))
}

// EnterMergeQueue puts the pull request into the merge queue: a branch with its merge is made, and checks of that commit
// are asked for. It returns the commit.
func (p *PR) EnterMergeQueue(login string) string {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	base := p.baseTip()
	tree, clean, err := p.Repo.objects.merge.merge(base, p.head.sha)
	s.must(err)
	if !clean {
		s.fatal("%s conflicts with its base", p)
	}
	who := s.account(login)
	sha, err := s.signedCommit(p.Repo, commitData{
		tree: tree, parents: []string{base, p.head.sha}, author: signature(who, time.Now()), message: fmt.Sprintf("Merge pull request #%d", p.Number),
	})
	s.must(err)
	branch := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", p.base.ref, p.Number, base)
	p.Repo.stagePush(branch, sha, who)
	s.emit(event{name: "merge_group", action: "checks_requested", repo: p.Repo, sender: who, payload: func() (obj, error) {
		return obj{"merge_group": obj{
			"head_sha": sha, "head_ref": "refs/heads/" + branch, "base_sha": base, "base_ref": "refs/heads/" + p.base.ref, "head_commit": p.Repo.simpleCommit(sha),
		}}, nil
	}})
	return sha
}
