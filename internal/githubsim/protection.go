package githubsim

import (
	"path"
	"slices"
	"strings"
)

// Protection is the classic protection of a branch. Whatever it does not allow is refused when the branch is changed or
// a pull request merged, with the words of GitHub.
type Protection struct {
	Branch        string           // name, or a pattern in which * stands for a part without a slash
	Checks        []RequiredCheck  // that must have passed
	Strict        bool             // a pull request must also be up to date with its base
	Reviews       *RequiredReviews // nil: changes may be pushed without a pull request
	Restrict      *Pushers         // who may push; nil: whoever may write
	EnforceAdmins bool             // administrators are bound too
	LinearHistory bool             // no merge commits
	ForcePushes   bool             // allowed
	Deletions     bool             // allowed
	Signatures    bool             // every commit must be signed
	Conversations bool             // every conversation of the pull request must be resolved
	Locked        bool             // nobody may push
}

// RequiredCheck names a status or check run, and with App the only App that may give it.
type RequiredCheck struct {
	Context string
	App     int64
}

// RequiredReviews asks for pull requests with approvals by people who can write.
type RequiredReviews struct {
	Approvals    int
	DismissStale bool    // a push takes approvals back
	LastPush     bool    // one must be from somebody other than who pushed last
	Bypass       Pushers // who may do without
}

// Pushers are people and Apps.
type Pushers struct {
	Users []string
	Apps  []*App
}

func (p Pushers) include(a actor) bool {
	if a.install != nil {
		return slices.Contains(p.Apps, a.app)
	}
	return a.account != nil && slices.ContainsFunc(p.Users, func(u string) bool { return strings.EqualFold(u, a.account.login) })
}

// Ruleset is a set of rules for branches, the newer form of protection.
type Ruleset struct {
	Name           string
	Enforcement    string   // "active" unless set; "evaluate" and "disabled" change nothing
	Include        []string // "~DEFAULT_BRANCH" unless set; "~ALL", or patterns such as "refs/heads/*"
	Exclude        []string
	Bypass         []BypassActor
	Checks         []RequiredCheck
	Strict         bool
	Reviews        *RequiredReviews // its Bypass is not used
	LinearHistory  bool
	NoForcePush    bool
	NoDeletion     bool
	NoCreation     bool
	NoUpdate       bool // only those who bypass may push
	Signatures     bool
	Conversations  bool // with Reviews
	AllowedMethods []string

	id   int64
	repo *Repo
}

// BypassActor may do without a ruleset: an App, or whoever has a role.
type BypassActor struct {
	App             *App
	Role            Role
	PullRequestOnly bool // by merging a pull request, not by pushing
}

// Protect protects a branch, instead of earlier protection of the same pattern.
func (r *Repo) Protect(p Protection) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.unprotect(p.Branch)
	r.protections = append(r.protections, p)
}

// Unprotect takes the classic protection of a pattern away.
func (r *Repo) Unprotect(branch string) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.unprotect(branch)
}

func (r *Repo) unprotect(branch string) {
	r.protections = slices.DeleteFunc(r.protections, func(p Protection) bool { return p.Branch == branch })
}

// AddRuleset adds a ruleset and returns its id.
func (r *Repo) AddRuleset(rs Ruleset) int64 {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	setDefault(&rs.Name, "rules")
	setDefault(&rs.Enforcement, "active")
	if rs.Include == nil {
		rs.Include = []string{"~DEFAULT_BRANCH"}
	}
	rs.id, rs.repo = r.sim.id(), r
	r.rulesets = append(r.rulesets, &rs)
	return rs.id
}

// RemoveRuleset removes a ruleset.
func (r *Repo) RemoveRuleset(id int64) {
	r.sim.mu.Lock()
	defer r.sim.mu.Unlock()
	r.rulesets = slices.DeleteFunc(r.rulesets, func(rs *Ruleset) bool { return rs.id == id })
}

// protection is the classic protection of a branch; nil for none. A name goes before a pattern.
func (r *Repo) protection(branch string) *Protection {
	var found *Protection
	for i, p := range r.protections {
		if p.Branch == branch {
			return &r.protections[i]
		}
		if matched, err := path.Match(p.Branch, branch); err == nil && matched && found == nil {
			found = &r.protections[i]
		}
	}
	return found
}

// covers reports whether a ruleset is in force for a ref.
func (rs *Ruleset) covers(ref string) bool {
	fits := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			switch pattern {
			case "~ALL":
				return true
			case "~DEFAULT_BRANCH":
				return ref == "refs/heads/"+rs.repo.defaultBranch
			}
			matched, err := path.Match(pattern, ref)
			return err == nil && matched
		})
	}
	return rs.Enforcement == "active" && strings.HasPrefix(ref, "refs/heads/") && fits(rs.Include) && !fits(rs.Exclude)
}

// demand is what one source, classic protection or a ruleset, asks of changes to a branch.
type demand struct {
	ruleset       bool
	checks        []RequiredCheck
	strict        bool
	reviews       *RequiredReviews
	linear        bool
	noForce       bool
	noDelete      bool
	noCreate      bool
	noPush        bool // but for those who bypass or are listed
	signatures    bool
	conversations bool
	locked        bool
	methods       []string
	exempt        func(a actor, byPull bool) bool
	mayPush       func(a actor) bool
}

// demands are all that is asked of changes to a branch.
type demands []demand

// rulesFor gathers what is asked of changes to a ref.
func (r *Repo) rulesFor(ref string) demands {
	var list demands
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch {
		return nil
	}
	if p := r.protection(branch); p != nil {
		list = append(list, p.demand(r))
	}
	for _, rs := range r.rulesets {
		if rs.covers(ref) {
			list = append(list, rs.demand())
		}
	}
	return list
}

func (p *Protection) demand(r *Repo) demand {
	return demand{
		checks: p.Checks, strict: p.Strict, reviews: p.Reviews, linear: p.LinearHistory, noForce: !p.ForcePushes, noDelete: !p.Deletions,
		signatures: p.Signatures, conversations: p.Conversations, locked: p.Locked,
		exempt: func(a actor, _ bool) bool {
			return !p.EnforceAdmins && a.install == nil && r.role(a.account).atLeast(Admin)
		},
		mayPush: func(a actor) bool { return p.Restrict == nil || p.Restrict.include(a) },
	}
}

func (rs *Ruleset) demand() demand {
	d := demand{
		ruleset: true, checks: rs.Checks, strict: rs.Strict, reviews: rs.Reviews, linear: rs.LinearHistory, noForce: rs.NoForcePush,
		noDelete: rs.NoDeletion, noCreate: rs.NoCreation, noPush: rs.NoUpdate, signatures: rs.Signatures, conversations: rs.Conversations,
		methods: rs.AllowedMethods, exempt: rs.bypassedBy,
	}
	if rs.Reviews != nil {
		reviews := *rs.Reviews
		reviews.Bypass = Pushers{}
		d.reviews = &reviews
	}
	d.mayPush = func(actor) bool { return !rs.NoUpdate }
	return d
}

func (rs *Ruleset) bypassedBy(a actor, byPull bool) bool {
	return slices.ContainsFunc(rs.Bypass, func(b BypassActor) bool {
		if b.PullRequestOnly && !byPull {
			return false
		}
		if a.install != nil {
			return b.App != nil && b.App == a.app
		}
		return b.Role != "" && rs.repo.role(a.account).atLeast(b.Role)
	})
}

func (d demands) strictChecks() bool {
	return slices.ContainsFunc(d, func(one demand) bool { return one.strict && len(one.checks) > 0 })
}
