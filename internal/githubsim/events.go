package githubsim

import (
	"encoding/json"
	"slices"
	"strings"
)

// event is something that Apps are told of.
type event struct {
	name, action string
	repo         *Repo
	sender       *account
	only         *App // that is told; nil: all that listen
	payload      func() (obj, error)
}

// eventPermission is the permission without which an App can't listen to an event.
var eventPermission = map[string]string{
	"pull_request": "pull_requests", "pull_request_review": "pull_requests", "pull_request_review_comment": "pull_requests",
	"issues": "issues", "issue_comment": "issues", "push": "contents", "status": "statuses", "check_run": "checks", "check_suite": "checks",
	"merge_group": "merge_queues",
}

// listens reports whether an installation is told of an event. Those of checks come unasked to an App that may write them.
func (i *Installation) listens(e event) bool {
	if i.suspended || !i.covers(e.repo) || e.only != nil && i.App != e.only || !i.perms.holds(grant{eventPermission[e.name], "read"}) {
		return false
	}
	unasked := eventPermission[e.name] == "checks" && i.perms.holds(grant{"checks", "write"})
	return unasked || slices.Contains(i.events, e.name)
}

// emit tells every installation that listens.
func (s *Sim) emit(e event) {
	var payload obj
	for _, i := range s.installations {
		if i.App.hook.url == "" || !i.listens(e) {
			continue
		}
		if payload == nil {
			var err error
			payload, err = e.payload()
			s.must(err)
			payload = s.envelope(e, payload)
		}
		s.post(i, e, payload)
	}
}

// envelope adds what every event on a repository carries.
func (s *Sim) envelope(e event, payload obj) obj {
	payload["sender"] = e.sender.json(s)
	if e.action != "" {
		payload["action"] = e.action
	}
	if payload["repository"] == nil {
		payload["repository"] = e.repo.json()
	}
	if e.repo.owner.kind == organization {
		payload["organization"] = e.repo.owner.orgJSON(s)
	}
	return payload
}

// post queues a delivery to an installation.
func (s *Sim) post(i *Installation, e event, payload obj) {
	body, err := json.Marshal(with(payload, obj{"installation": obj{"id": i.ID, "node_id": nodeID("Installation", i.ID)}}))
	s.must(err)
	v := s.newDelivery(i.App, e, body)
	v.Installation = i.ID
	s.hooks.enqueue(v)
}

func (s *Sim) newDelivery(app *App, e event, body []byte) *Delivery {
	v := &Delivery{
		ID: s.id(), GUID: newGUID(s.id()), Event: e.name, Action: e.action, Payload: body, app: app.ID, url: app.hook.url, secret: app.hook.secret, hookID: app.hook.id,
	}
	if e.repo != nil {
		v.Repository = e.repo.id
	}
	return v
}

func (s *Sim) emitPull(p *PR, action string, who *account, extra obj) {
	s.emit(event{name: "pull_request", action: action, repo: p.Repo, sender: who, payload: func() (obj, error) {
		body, err := p.json(mergeability{state: unknownState})
		return with(obj{"number": p.Number, "pull_request": body}, extra), err
	}})
}

func (s *Sim) emitIssue(i *Issue, action string, who *account, extra obj) {
	s.emit(event{name: "issues", action: action, repo: i.Repo, sender: who, payload: func() (obj, error) {
		return with(obj{"issue": i.json()}, extra), nil
	}})
}

// emitLabel tells of a label on an issue or pull request.
func (s *Sim) emitLabel(i *Issue, action string, l *label, who *account) {
	extra := obj{"label": l.json(i.Repo)}
	if i.pull != nil {
		s.emitPull(i.pull, action, who, extra)
	} else {
		s.emitIssue(i, action, who, extra)
	}
}

func (s *Sim) emitComment(c *comment, action string, who *account, extra obj) {
	s.emit(event{name: "issue_comment", action: action, repo: c.issue.Repo, sender: who, payload: func() (obj, error) {
		return with(obj{"issue": c.issue.json(), "comment": c.json()}, extra), nil
	}})
}

// emitReview tells of a review. In webhooks its state is in lower case.
func (s *Sim) emitReview(v *review, action string, who *account) {
	s.emit(event{name: "pull_request_review", action: action, repo: v.pr.Repo, sender: who, payload: func() (obj, error) {
		body := with(v.json(), obj{"state": strings.ToLower(v.State), "body": orNull(v.Body)})
		return obj{"review": body, "pull_request": v.pr.simpleJSON()}, nil
	}})
}

func (s *Sim) emitReviewComment(c *reviewComment, action string, who *account, extra obj) {
	s.emit(event{name: "pull_request_review_comment", action: action, repo: c.review.pr.Repo, sender: who, payload: func() (obj, error) {
		return with(obj{"comment": c.json(), "pull_request": c.review.pr.simpleJSON()}, extra), nil
	}})
}

// ownersOnly are the actions on checks that only their App is told of.
var ownersOnly = []string{"rerequested", "requested_action", "requested"}

func (s *Sim) emitRun(run *checkRun, action string, who *account, extra obj) {
	e := event{name: "check_run", action: action, repo: run.suite.repo, sender: who, payload: func() (obj, error) {
		suite := run.suite.json(s)
		delete(suite, "repository")
		return with(obj{"check_run": with(run.json(s), obj{"check_suite": suite})}, extra), nil
	}}
	if slices.Contains(ownersOnly, action) {
		e.only = run.suite.app
	}
	s.emit(e)
}

func (s *Sim) emitSuite(u *suite, action string, who *account) {
	e := event{name: "check_suite", action: action, repo: u.repo, sender: who, payload: func() (obj, error) {
		suite := u.json(s)
		delete(suite, "repository")
		return obj{"check_suite": suite}, nil
	}}
	if slices.Contains(ownersOnly, action) {
		e.only = u.app
	}
	s.emit(e)
}

func (s *Sim) emitStatus(r *Repo, st *status) {
	s.emit(event{name: "status", repo: r, sender: st.creator, payload: func() (obj, error) {
		branches := []any{}
		for _, ref := range r.refsUnder("refs/heads/") {
			if ref.sha == st.sha {
				b := r.branchJSON(strings.TrimPrefix(ref.name, "refs/heads/"), ref.sha)
				branches = append(branches, obj{"name": b["name"], "commit": b["commit"], "protected": b["protected"]})
			}
		}
		return obj{
			"id": st.id, "sha": st.sha, "name": r.FullName(), "target_url": orNull(st.TargetURL), "avatar_url": r.sim.html("/avatars/u/%d", st.creator.id),
			"context": st.Context, "description": orNull(st.Description), "state": st.State, "commit": r.commitBySHA(st.sha), "branches": branches,
			"created_at": stamp(st.created), "updated_at": stamp(st.created),
		}, nil
	}})
}

const zeroSHA = "0000000000000000000000000000000000000000"

// maxPushCommits is how many commits the webhook of a push lists.
const maxPushCommits = 20

func (s *Sim) emitPush(r *Repo, u refUpdate, old string) {
	if !strings.HasPrefix(u.name, "refs/heads/") && !strings.HasPrefix(u.name, "refs/tags/") {
		return
	}
	s.emit(event{name: "push", repo: r, sender: u.actor.account, payload: func() (obj, error) {
		out := obj{
			"ref": u.name, "before": orText(old, zeroSHA), "after": orText(u.sha, zeroSHA), "created": old == "", "deleted": u.sha == "", "forced": u.forced,
			"base_ref": nil, "compare": r.html("/compare/%s...%s", orText(old, zeroSHA), u.sha), "commits": []any{}, "head_commit": nil,
			"repository": r.pushJSON(), "pusher": obj{"name": u.actor.account.login, "email": u.actor.account.email()},
		}
		if u.sha == "" {
			return out, nil
		}
		commits, err := r.pushCommits(old, u.sha)
		if err != nil {
			return nil, err
		}
		out["commits"] = commits
		out["head_commit"], err = r.pushCommit(u.sha)
		return out, err
	}})
}

// pushJSON renders the repository as pushes do: with times in seconds, and the owner's name.
func (r *Repo) pushJSON() obj {
	owner := with(r.owner.json(r.sim), obj{"name": r.owner.login, "email": nil})
	out := with(r.json(), obj{
		"created_at": r.created.Unix(), "pushed_at": r.pushed.Unix(), "master_branch": r.defaultBranch, "stargazers": 0, "owner": owner,
	})
	if r.owner.kind == organization {
		out["organization"] = r.owner.login
	}
	return out
}

func (r *Repo) pushCommits(old, tip string) ([]any, error) {
	list := []any{}
	if old == "" {
		return list, nil
	}
	rel, err := r.objects.graph.relate(old, tip)
	if err != nil {
		return nil, err
	}
	for _, sha := range rel.ahead[max(0, len(rel.ahead)-maxPushCommits):] {
		c, err := r.pushCommit(sha)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// pushCommit renders a commit with the files that it changes.
func (r *Repo) pushCommit(sha string) (obj, error) {
	c, err := r.objects.commit(sha)
	if err != nil {
		return nil, err
	}
	before := emptyTree
	if c.NumParents() > 0 {
		if before, err = r.objects.treeOf(c.ParentHashes[0].String()); err != nil {
			return nil, err
		}
	}
	changes, err := r.objects.diffs.between(before, c.TreeHash.String())
	if err != nil {
		return nil, err
	}
	lists := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	for _, f := range changes {
		switch f.status {
		case "renamed":
			lists["removed"] = append(lists["removed"], f.previous)
			lists["added"] = append(lists["added"], f.path)
		case "added", "removed":
			lists[f.status] = append(lists[f.status], f.path)
		default:
			lists["modified"] = append(lists["modified"], f.path)
		}
	}
	out := with(r.simpleCommit(sha), obj{
		"distinct": true, "url": r.html("/commit/%s", sha), "added": lists["added"], "removed": lists["removed"], "modified": lists["modified"],
		"author":    obj{"name": c.Author.Name, "email": c.Author.Email, "username": c.Author.Name},
		"committer": obj{"name": c.Committer.Name, "email": c.Committer.Email, "username": c.Committer.Name},
	})
	return out, nil
}
