package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const aboutProtection = "https://docs.github.com/articles/about-protected-branches"

// guard refuses a push that protection forbids. For a merge button, unmet has spoken before.
func (s *Sim) guard(r *Repo, u refUpdate) error {
	if strings.HasPrefix(u.name, "refs/pull/") {
		return unprocessable("Reference update failed")
	}
	if err := s.guardWorkflows(r, u); err != nil {
		return err
	}
	for _, d := range r.rulesFor(u.name) {
		if d.exempt(u.actor, u.merges != nil) {
			continue
		}
		problems, err := d.objections(r, u)
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			return d.refusal(problems)
		}
	}
	return nil
}

// refusal words the answer to a change that is forbidden.
func (d demand) refusal(problems []string) *apiError {
	message := strings.Join(problems, " ")
	if d.ruleset {
		message = "Repository rule violations found\n\n" + strings.Join(problems, "\n\n") + "\n\n"
	}
	return &apiError{status: http.StatusUnprocessableEntity, message: message, docs: aboutProtection}
}

// objections lists what a demand has against a push.
func (d demand) objections(r *Repo, u refUpdate) ([]string, error) {
	old := r.ref(u.name)
	var list []string
	object := func(broken bool, text string) {
		if broken {
			list = append(list, text)
		}
	}
	object(u.sha == "" && d.noDelete, "Cannot delete this branch")
	object(old == "" && d.noCreate, "Cannot create ref due to creations being restricted.")
	object(u.forced && d.noForce, "Cannot force-push to this branch")
	object(d.locked, "Cannot change this locked branch")
	if !d.mayPush(u.actor) {
		if d.ruleset {
			object(old != "", "Cannot update this protected ref.")
		} else {
			object(true, "You're not authorized to push to this branch. Visit "+aboutProtection+"/ for more information.")
		}
	}
	if u.sha == "" || old == "" {
		return list, nil
	}
	if u.merges == nil {
		object(d.reviews != nil && !d.reviews.Bypass.include(u.actor), "Changes must be made through a pull request.")
		list = append(list, r.missingChecks(d.checks, u.sha)...)
	}
	onCommits, err := d.commitObjections(r, old, u.sha)
	return append(list, onCommits...), err
}

// commitObjections looks at each commit that a push brings.
func (d demand) commitObjections(r *Repo, old, tip string) ([]string, error) {
	if !d.linear && !d.signatures {
		return nil, nil
	}
	rel, err := r.objects.graph.relate(old, tip)
	if err != nil {
		return nil, err
	}
	merges, unsigned := false, false
	for _, sha := range rel.ahead {
		c, err := r.objects.commit(sha)
		if err != nil {
			return nil, err
		}
		merges = merges || c.NumParents() > 1
		unsigned = unsigned || !r.sim.webSigned[sha]
	}
	var list []string
	if d.linear && merges {
		list = append(list, "This branch must not contain merge commits.")
	}
	if d.signatures && unsigned {
		list = append(list, "Commits must have verified signatures.")
	}
	return list, nil
}

// missingChecks words which required checks of a commit have not passed.
func (r *Repo) missingChecks(required []RequiredCheck, sha string) []string {
	var expected, failing []string
	for _, c := range required {
		switch r.checkState(sha, c) {
		case checkMissing, checkPending:
			expected = append(expected, c.Context)
		case checkFailed:
			failing = append(failing, c.Context)
		}
	}
	switch total := len(expected) + len(failing); {
	case total == 0:
		return nil
	case total > 1 && len(failing) == 0:
		return []string{fmt.Sprintf("%d of %d required status checks are expected.", total, len(required))}
	case total > 1:
		return []string{fmt.Sprintf("%d of %d required status checks have not succeeded: %d expected and %d failing.", total, len(required), len(expected), len(failing))}
	case len(failing) == 1:
		return []string{fmt.Sprintf("Required status check %q is failing.", failing[0])}
	}
	return []string{fmt.Sprintf("Required status check %q is expected.", expected[0])}
}

// guardWorkflows keeps an App that may not change workflows from doing so.
func (s *Sim) guardWorkflows(r *Repo, u refUpdate) error {
	if u.actor.install == nil || u.actor.perms.holds(grant{"workflows", "write"}) || u.sha == "" {
		return nil
	}
	old := r.ref(u.name)
	if old == "" {
		old = r.ref("refs/heads/" + r.defaultBranch)
	}
	if old == "" {
		return nil
	}
	changes, err := r.objects.changes(old, u.sha)
	if err != nil {
		return nil //nolint:nilerr // an annotated tag, not a commit
	}
	at := slices.IndexFunc(changes, func(c fileChange) bool {
		return strings.HasPrefix(c.path, ".github/workflows/") || strings.HasPrefix(c.previous, ".github/workflows/")
	})
	if at < 0 {
		return nil
	}
	return forbidden("Refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission", changes[at].path)
}

// unmet lists what still stands between a pull request and its merge, whoever merges.
func (p *PR) unmet(list demands) []string {
	var problems []string
	for _, d := range list {
		problems = append(problems, d.unmetBy(p)...)
	}
	return problems
}

func (d demand) unmetBy(p *PR) []string {
	problems := p.Repo.missingChecks(d.checks, p.head.sha)
	if d.locked {
		problems = append(problems, "Cannot change this locked branch")
	}
	if d.reviews != nil {
		problems = append(problems, p.missingReviews(*d.reviews)...)
	}
	if d.conversations && slices.ContainsFunc(p.reviewComments, func(c *reviewComment) bool { return !c.Resolved && c.ReplyTo == 0 }) {
		problems = append(problems, "All comments must be resolved.")
	}
	return problems
}

// missingReviews words which approvals a pull request lacks.
func (p *PR) missingReviews(want RequiredReviews) []string {
	approvals, others, objections := 0, 0, 0
	for _, v := range p.latestReviews() {
		switch {
		case !p.Repo.countsAsReviewer(v.author):
		case v.State == Approved:
			approvals++
			if v.author != p.pusher {
				others++
			}
		case v.State == ChangesRequested:
			objections++
		}
	}
	var problems []string
	if objections > 0 {
		problems = append(problems, fmt.Sprintf("%d review requesting changes by reviewers with write access.", objections))
	}
	if approvals < want.Approvals {
		problems = append(problems, fmt.Sprintf("At least %d approving review is required by reviewers with write access.", want.Approvals))
	}
	if want.LastPush && want.Approvals > 0 && others == 0 {
		problems = append(problems, "New changes require approval from someone other than the last pusher.")
	}
	return problems
}
