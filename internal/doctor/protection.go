package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubapp"
)

// branch is what matters of a branch.
type branch struct {
	Protected  bool
	Protection struct {
		Enabled *bool // of classic protection; nil where GitHub does not tell
	}
}

// requiredCheck is a check that has to pass, with the only App that may give it. Classic protection and rulesets have
// different words for that App.
type requiredCheck struct {
	Context     string
	AppID       *int64 `json:"app_id"`
	Integration *int64 `json:"integration_id"`
}

func (c requiredCheck) app() int64 {
	app := cmp.Or(c.AppID, c.Integration)
	if app == nil || *app < 0 { // -1 lets any App give it
		return 0
	}
	return *app
}

// classic is the classic protection of a branch. What is not asked for is left out.
type classic struct {
	Checks *struct {
		Checks   []requiredCheck
		Contexts []string
	} `json:"required_status_checks"`
	Reviews *struct {
		Bypass struct{ Apps []app } `json:"bypass_pull_request_allowances"`
	} `json:"required_pull_request_reviews"`
	Restrictions *struct{ Apps []app }
	Linear       enabled `json:"required_linear_history"`
	Signatures   enabled `json:"required_signatures"`
	Locked       enabled `json:"lock_branch"`
}

type enabled struct{ Enabled bool }

// rule is a rule of a ruleset that is in force for a branch. The library's own type refuses rules that it does not know.
type rule struct {
	Type       string
	Ruleset    int64 `json:"ruleset_id"`
	Parameters struct {
		Checks  []requiredCheck `json:"required_status_checks"`
		Methods []string        `json:"allowed_merge_methods"`
	}
}

// harmless are rules that stand in the way of nothing that the bot does. A rule that is not known may.
var harmless = []string{"creation", "deletion", "non_fast_forward", "branch_name_pattern", "tag_name_pattern", "copilot_code_review"}

// ruleNames are rules in words.
var ruleNames = map[string]string{
	"creation": "creations are restricted", "pull_request": "changes need a pull request", "required_status_checks": "checks are required", "update": "updates are restricted",
	"required_linear_history": "merge commits are refused", "required_signatures": "commits need signatures", "merge_queue": "merges go by a queue",
	"workflows": "workflows are required", "required_deployments": "deployments are required", "code_scanning": "code scanning is required",
}

// lookAtProtection looks whether the bot's check is required, and whether the bot can write what it has to.
func (e *examination) lookAtProtection(ctx context.Context) error {
	before := e.Count(Unknown)
	old, err := e.classicProtection(ctx)
	if err != nil {
		return err
	}
	rules, err := e.rules(ctx, e.Branch)
	if err != nil {
		return err
	}
	unread := e.Count(Unknown) > before
	e.judgeRequired(old, rules, unread)
	if !e.config.Merge.Enabled {
		return nil
	}
	before = e.Count(Fault) + e.Count(Unknown)
	if e.config.Merge.Strategy == config.StrategyAPI {
		err = e.judgeEndpoint(ctx, old, rules)
	} else {
		e.judgeClassicPush(old)
		err = e.judgeRulesets(ctx, e.Branch, rules)
	}
	if err == nil && !unread && e.Count(Fault)+e.Count(Unknown) == before {
		e.add(Good, "Nothing refuses what the bot does to merge.", "")
	}
	return err
}

// classicProtection returns the classic protection of the branch, nil where there is none.
func (e *examination) classicProtection(ctx context.Context) (*classic, error) {
	if on := e.branch.Protection.Enabled; on != nil && !*on {
		return nil, nil
	}
	var p classic
	err := e.get(ctx, "/branches/"+escape(e.Branch)+"/protection", &p)
	switch {
	case err == nil:
		return &p, nil
	case !hidden(err):
		return nil, fmt.Errorf("the branch's protection can't be read: %w", err)
	case message(err) == "Branch not protected", !e.branch.Protected:
		return nil, nil
	}
	e.add(Unknown, "The classic protection of the branch could not be read.", "Let the App read administration, or use the token of an administrator.")
	return nil, nil
}

// rules returns the rules of rulesets that are in force for a branch.
func (e *examination) rules(ctx context.Context, branch string) ([]rule, error) {
	var all []rule
	for page := 1; ; page++ {
		var some []json.RawMessage
		err := e.get(ctx, fmt.Sprintf("/rules/branches/%s?per_page=100&page=%d", escape(branch), page), &some)
		if hidden(err) {
			e.add(Unknown, "The rules for the branch "+branch+" could not be read.", "Let whoever looks read the repository's metadata.")
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the rules for the branch %s can't be read: %w", branch, err)
		}
		for _, text := range some {
			var r rule
			if err := json.Unmarshal(text, &r); err != nil && r.Type == "" { // other rules have parameters of other types
				return nil, fmt.Errorf("the rules for the branch %s can't be read: %w", branch, err)
			}
			all = append(all, r)
		}
		if len(some) < 100 {
			return all, nil
		}
	}
}

// judgeRequired looks whether the bot's check is required, from the bot alone. Unread says that there may be more protection
// than could be read.
func (e *examination) judgeRequired(old *classic, rules []rule, unread bool) {
	var apps []int64
	if old != nil && old.Checks != nil {
		apps = appsOf(old.Checks.Checks, apps)
		if len(apps) == 0 && slices.Contains(old.Checks.Contexts, githubapp.CheckName) {
			apps = append(apps, 0)
		}
	}
	for _, r := range rules {
		apps = appsOf(r.Parameters.Checks, apps)
	}
	const where = "Settings → Rules → the ruleset of the branch → Require status checks to pass"
	switch {
	case len(apps) == 0 && unread: // said already
	case len(apps) == 0 && e.AppID == 0 && !e.config.Merge.Enabled:
		e.add(Note, fmt.Sprintf("The check run “%s” is not required; without a bot there is none.", githubapp.CheckName), "")
	case len(apps) == 0:
		e.add(Fault, fmt.Sprintf("The check run “%s” is not required: people can merge what the bot refuses.", githubapp.CheckName), where+": add it, with the bot's App as its source.")
	case !slices.ContainsFunc(apps, func(a int64) bool { return a != 0 }):
		e.add(Fault, fmt.Sprintf("The check run “%s” is required, but from any source: whoever can write statuses can give it.", githubapp.CheckName), where+": choose the bot's App as its source.")
	case e.AppID != 0 && !slices.Contains(apps, e.AppID):
		e.add(Fault, fmt.Sprintf("The check run “%s” is required from another App (%d) than the bot's (%d): it stays pending for ever.", githubapp.CheckName, apps[0], e.AppID), where+": choose the bot's App as its source.")
	default:
		e.add(Good, fmt.Sprintf("The check run “%s” is required, from one App alone.", githubapp.CheckName), "")
	}
}

func appsOf(checks []requiredCheck, apps []int64) []int64 {
	for _, c := range checks {
		if c.Context == githubapp.CheckName {
			apps = append(apps, c.app())
		}
	}
	return apps
}

func (e *examination) isBot(a app) bool { return e.AppID != 0 && a.ID == e.AppID }

// judgeClassicPush looks whether classic protection lets the App move the branch to a merge commit of its own. Checks that
// are required there are required of that very commit, and no App can be exempt from them.
func (e *examination) judgeClassicPush(p *classic) {
	if p == nil {
		return
	}
	const where = "Settings → Branches → the rule of the branch: "
	const ruleset = "Settings → Branches: put a ruleset (Settings → Rules) with the App on its bypass list in the place of the branch's rule."
	refuse := func(refuses bool, says, mend string) {
		if refuses {
			e.add(Fault, "Branch protection refuses the bot's merge: "+says+".", mend)
		}
	}
	refuse(p.Locked.Enabled, "the branch is locked", where+"unlock it.")
	refuse(p.Checks != nil && len(p.Checks.Checks)+len(p.Checks.Contexts) > 0, "it asks for checks on the merge commit itself, which has none yet", ruleset)
	refuse(p.Reviews != nil && !slices.ContainsFunc(p.Reviews.Bypass.Apps, e.isBot), "changes need a pull request", where+"let the App bypass required pull requests.")
	refuse(p.Restrictions != nil && !slices.ContainsFunc(p.Restrictions.Apps, e.isBot), "the App is not among those who may push", where+"let the App push to matching branches.")
	refuse(p.Linear.Enabled, "merge commits are refused", where+"don't require a linear history, or use `merge.strategy: api`.")
	refuse(p.Signatures.Enabled, "commits need signatures, those of authors too", ruleset)
}

// judgeRulesets looks whether the App bypasses each ruleset that would refuse what it writes to a branch.
func (e *examination) judgeRulesets(ctx context.Context, branch string, rules []rule) error {
	var order []int64
	refusals := map[int64][]string{}
	for _, r := range rules {
		creates := r.Type == "creation" && branch != e.Branch // as the bot does with the registry's branch
		if slices.Contains(harmless, r.Type) && !creates {
			continue
		}
		if refusals[r.Ruleset] == nil {
			order = append(order, r.Ruleset)
		}
		words := cmp.Or(ruleNames[r.Type], "the rule "+r.Type)
		if !slices.Contains(refusals[r.Ruleset], words) {
			refusals[r.Ruleset] = append(refusals[r.Ruleset], words)
		}
	}
	for _, id := range order {
		if err := e.judgeRuleset(ctx, branch, id, strings.Join(refusals[id], ", ")); err != nil {
			return err
		}
	}
	return nil
}

// ruleset is what matters of a ruleset. Who may bypass it is shown to those who could change it, and to each whether they
// may themselves.
type ruleset struct {
	Name   string
	Own    string `json:"current_user_can_bypass"`
	Bypass []struct {
		ID   *int64 `json:"actor_id"`
		Type string `json:"actor_type"`
		Mode string `json:"bypass_mode"`
	} `json:"bypass_actors"`
}

func (e *examination) judgeRuleset(ctx context.Context, branch string, id int64, refuses string) error {
	var rs ruleset
	err := e.get(ctx, fmt.Sprintf("/rulesets/%d", id), &rs)
	if err != nil && !hidden(err) {
		return fmt.Errorf("a ruleset can't be read: %w", err)
	}
	says := fmt.Sprintf("The ruleset “%s” refuses what the bot writes to %s: %s", rs.Name, branch, refuses)
	mend := "Settings → Rules → Rulesets → " + rs.Name + " → Bypass list: add the App, with the mode Always (“For pull requests only” does not do)."
	switch {
	case err != nil || e.asApp && rs.Own == "" || !e.asApp && (e.AppID == 0 || rs.Bypass == nil):
		e.add(Unknown, says+", unless the App may bypass it, which could not be looked at.", "Set AZP_GITHUB_APP_ID and AZP_GITHUB_PRIVATE_KEY. "+mend)
	case e.asApp && !always(rs.Own), !e.asApp && !rs.bypassedBy(e.AppID):
		e.add(Fault, says+".", mend)
	}
	return nil
}

func always(mode string) bool { return mode == "always" || mode == "exempt" }

func (rs ruleset) bypassedBy(app int64) bool {
	for _, b := range rs.Bypass {
		if b.Type == "Integration" && b.ID != nil && *b.ID == app && always(b.Mode) {
			return true
		}
	}
	return false
}

// judgeEndpoint looks whether GitHub's merge endpoint can do what the strategy api asks of it, and whether the App can write
// the registry's branch.
func (e *examination) judgeEndpoint(ctx context.Context, old *classic, rules []rule) error {
	method := cmp.Or(e.config.Merge.Method, config.MethodMerge)
	refuse := func(refuses bool, says, mend string) {
		if refuses {
			e.add(Fault, fmt.Sprintf("The bot can't merge by the method %s: %s.", method, says), mend)
		}
	}
	allowed := map[config.Method]*bool{config.MethodMerge: e.repo.AllowMerge, config.MethodSquash: e.repo.AllowSquash, config.MethodRebase: e.repo.AllowRebase}[method]
	const choose = "Allow it there, or choose another `merge.method` in " + config.Path + "."
	refuse(allowed != nil && !*allowed, "the repository does not allow it (Settings → General → Pull requests)", choose)
	linear := old != nil && old.Linear.Enabled
	for _, r := range rules {
		linear = linear || r.Type == "required_linear_history"
		refuse(r.Type == "pull_request" && r.Parameters.Methods != nil && !slices.Contains(r.Parameters.Methods, string(method)), "a ruleset does not allow it", choose)
		refuse(r.Type == "merge_queue", "merges go by a queue", "Take the merge queue off the branch, or use `merge.strategy: countersigned` with the App on the ruleset's bypass list.")
	}
	refuse(linear && method == config.MethodMerge, "merge commits are refused", choose)
	refuse(old != nil && old.Locked.Enabled, "the branch is locked", "Settings → Branches → the rule of the branch: unlock it.")
	refuse(old != nil && old.Restrictions != nil && !slices.ContainsFunc(old.Restrictions.Apps, e.isBot), "the App is not among those who may push", "Settings → Branches → the rule of the branch: let the App push to matching branches.")
	registry, err := e.rules(ctx, config.RegistryBranch)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(registry, func(r rule) bool { return r.Type == "update" }) {
		e.add(Note, "The branch "+config.RegistryBranch+", to which counter-signed packages and records go, is open to whoever can write.", "Restrict updates of it in a ruleset, with the App alone on the bypass list.")
	}
	return e.judgeRulesets(ctx, config.RegistryBranch, registry)
}
