package githubsim

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func mergeRoutes() []*route {
	return []*route{
		{method: "POST", path: "/repos/{owner}/{repo}/merges", access: writes(Write, "contents"), handle: mergeBranch},
	}
}

// mergeOrder is what the merge endpoint is asked for.
type mergeOrder struct {
	SHA           string
	CommitTitle   string `json:"commit_title"`
	CommitMessage string `json:"commit_message"`
	Method        string `json:"merge_method"`
}

const notMergeable = "Pull Request is not mergeable"

func mergePull(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	order := mergeOrder{Method: "merge"}
	if err := r.decode(&order); err != nil {
		return reply{}, err
	}
	if err := r.mayMerge(p, order); err != nil {
		return reply{}, err
	}
	base := p.baseTip()
	tree, clean, err := r.repo.objects.merge.merge(base, p.head.sha)
	if err != nil {
		return reply{}, err
	}
	if !clean {
		return reply{}, notAllowed(notMergeable)
	}
	sha, err := r.sim.mergeCommit(p, order, r.actor.account, base, tree)
	if err != nil {
		return reply{}, err
	}
	if err := r.sim.push(r.repo, refUpdate{name: "refs/heads/" + p.base.ref, sha: sha, actor: r.actor, merges: p}); err != nil {
		refused, isRefusal := errors.AsType[*apiError](err)
		if isRefusal && refused.status == http.StatusUnprocessableEntity {
			refused.status = http.StatusMethodNotAllowed
		}
		return reply{}, err
	}
	return ok(obj{"sha": sha, "merged": true, "message": "Pull Request successfully merged"})
}

// mayMerge refuses a merge for the reasons that GitHub has, in its order.
func (r *request) mayMerge(p *PR, order mergeOrder) error {
	switch {
	case !slices.Contains([]string{"merge", "squash", "rebase"}, order.Method):
		return invalid("PullRequest", "merge_method", "invalid", "")
	case !p.open:
		return notAllowed(notMergeable)
	case order.SHA != "" && order.SHA != p.head.sha:
		return conflict("Head branch was modified. Review and try the merge again.")
	case p.draft:
		return notAllowed("Pull Request is still a draft")
	}
	allowed := map[string]bool{"merge": r.repo.methods.Merge, "squash": r.repo.methods.Squash, "rebase": r.repo.methods.Rebase}
	if !allowed[order.Method] {
		names := map[string]string{"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}
		return notAllowed("%s are not allowed on this repository.", names[order.Method])
	}
	for _, d := range r.repo.rulesFor("refs/heads/" + p.base.ref) {
		if d.exempt(r.actor, true) {
			continue
		}
		problems, err := r.mergeProblems(p, d, order)
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			return notAllowed("%s", d.refusal(problems).message)
		}
	}
	return nil
}

func (r *request) mergeProblems(p *PR, d demand, order mergeOrder) ([]string, error) {
	if d.reviews != nil && d.reviews.Bypass.include(r.actor) {
		d.reviews = nil
	}
	problems := d.unmetBy(p)
	if len(d.methods) > 0 && !slices.Contains(d.methods, order.Method) {
		problems = append(problems, fmt.Sprintf("Merge method %s is not allowed.", order.Method))
	}
	if !d.strict || len(d.checks) == 0 {
		return problems, nil
	}
	current, err := r.repo.objects.graph.contains(p.head.sha, p.baseTip())
	if !current {
		problems = append(problems, fmt.Sprintf("%d of %d required status checks are expected.", len(d.checks), len(d.checks)))
	}
	return problems, err
}

// mergeCommit makes the commit that a merge button moves the base to.
func (s *Sim) mergeCommit(p *PR, order mergeOrder, who *account, base, tree string) (string, error) {
	if order.Method == "rebase" {
		return s.rebase(p, who, base)
	}
	title := fmt.Sprintf("Merge pull request #%d from %s/%s", p.Number, p.head.owner.login, p.head.ref)
	message, parents := p.title, []string{base, p.head.sha}
	if order.Method == "squash" {
		title, message, parents = fmt.Sprintf("%s (#%d)", p.title, p.Number), p.body, []string{base}
	}
	text := strings.TrimSpace(cmp.Or(order.CommitTitle, title) + "\n\n" + cmp.Or(order.CommitMessage, message))
	return s.signedCommit(p.Repo, commitData{tree: tree, parents: parents, message: text, author: signature(who, time.Now())})
}

// signedCommit makes a commit as GitHub does, committed and signed by itself.
func (s *Sim) signedCommit(r *Repo, d commitData) (string, error) {
	d.committer = signature(s.account("web-flow"), time.Now())
	sha, err := r.objects.writeCommit(d)
	if err == nil {
		s.webSigned[sha] = true
	}
	return sha, err
}

// rebase replays the commits of a pull request on top of the base.
func (s *Sim) rebase(p *PR, who *account, base string) (string, error) {
	o := p.Repo.objects
	rel, err := o.graph.relate(base, p.head.sha)
	if err != nil {
		return "", err
	}
	for _, sha := range rel.ahead {
		c, err := o.commit(sha)
		if err != nil {
			return "", err
		}
		if c.NumParents() != 1 {
			return "", notAllowed("This branch can't be rebased")
		}
		// Seen from a commit with the new base's tree and the old parent, merging is the same as replaying.
		ours, err := o.treeOf(base)
		if err != nil {
			return "", err
		}
		stand := commitData{tree: ours, parents: []string{c.ParentHashes[0].String()}, message: "stand-in", author: c.Author, committer: c.Author}
		standIn, err := o.writeCommit(stand)
		if err != nil {
			return "", err
		}
		tree, clean, err := o.merge.merge(standIn, sha)
		if err != nil {
			return "", err
		}
		if !clean {
			return "", notAllowed("This branch can't be rebased due to conflicts")
		}
		base, err = o.writeCommit(commitData{tree: tree, parents: []string{base}, message: c.Message, author: c.Author, committer: signature(who, time.Now())})
		if err != nil {
			return "", err
		}
	}
	return base, nil
}

// mergeBranch merges one branch, or commit, into another branch.
func mergeBranch(r *request) (reply, error) {
	var in struct {
		Base, Head    string
		CommitMessage string `json:"commit_message"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	base := r.repo.ref("refs/heads/" + in.Base)
	if base == "" {
		return reply{}, &apiError{status: http.StatusNotFound, message: "Base does not exist"}
	}
	head, err := r.repo.resolve(in.Head, false)
	if err != nil {
		return reply{}, &apiError{status: http.StatusNotFound, message: "Head does not exist"}
	}
	sha, err := r.mergeInto(base, head, cmp.Or(in.CommitMessage, fmt.Sprintf("Merge %s into %s", in.Head, in.Base)))
	if err != nil {
		return reply{}, err
	}
	if sha == "" {
		return noContent()
	}
	if err := r.sim.push(r.repo, refUpdate{name: "refs/heads/" + in.Base, sha: sha, actor: r.actor}); err != nil {
		return reply{}, err
	}
	return created(r.repo.commitBySHA(sha))
}

// mergeInto makes a merge commit, or none where the head is in the base already.
func (r *request) mergeInto(base, head, message string) (string, error) {
	if there, err := r.repo.objects.graph.contains(base, head); err != nil || there {
		return "", err
	}
	tree, clean, err := r.repo.objects.merge.merge(base, head)
	if err != nil {
		return "", err
	}
	if !clean {
		return "", conflict("Merge conflict")
	}
	return r.sim.signedCommit(r.repo, commitData{tree: tree, parents: []string{base, head}, message: message, author: signature(r.actor.account, time.Now())})
}

// updateBranch merges the base into the head branch, in the background.
func updateBranch(r *request) (reply, error) {
	p, err := r.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		Expected string `json:"expected_head_sha"`
	}
	if err := r.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case in.Expected != "" && in.Expected != p.head.sha:
		return reply{}, unprocessable("expected head sha didn’t match current head ref.")
	case !p.open || p.head.repo == nil || !r.actor.mayWrite(p.head.repo, "contents"):
		return reply{}, forbidden(resourceNotAccessible)
	}
	sha, err := r.mergeInto(p.head.sha, p.baseTip(), fmt.Sprintf("Merge branch '%s' into %s", p.base.ref, p.head.ref))
	if err != nil {
		return reply{}, err
	}
	if sha == "" {
		return reply{}, unprocessable("There are no new commits on the base branch.")
	}
	if err := r.sim.push(p.head.repo, refUpdate{name: "refs/heads/" + p.head.ref, sha: sha, actor: r.actor}); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted, body: obj{"message": "Updating pull request branch.", "url": p.URL()}}, nil
}
