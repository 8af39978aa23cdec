package roleblock

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// rule is one rule: its description and the check that finds it. A check is run once for what its group is about (a file,
// a block, a role) and reports through the pass.
type rule struct {
	description
	check func(*pass)
}

// groups are all rules, by what they are about.
var groups = [][]rule{
	fileRules, shapeRules, blockRules, vocabularyRules, deployableRules, serverRules, clientRules, adapterRules, estateRules,
	servicesRules, usersRules,
}

// Rules returns the rules of the lint, by what they are about.
func Rules() []finding.Rule {
	var out []finding.Rule
	for _, group := range groups {
		for _, r := range group {
			out = append(out, r.whole())
		}
	}
	return out
}

// fault is what a check has found.
type fault struct {
	place
	message string
	fix     string // how to mend it, in words
	edits   []finding.Edit
	about   string // the role or user, where one place can have several faults
	value   *node  // the value that was judged, so that later rules of the pass leave it alone
}

// pass is one run of a group of rules over what they are about. Which fields are set depends on the group.
type pass struct {
	lint     *lint
	rule     *rule
	role     *subject
	document *document
	block    *block
	judged   map[*node]bool // values that a rule of this pass has reported
}

// run applies the rules of a group.
func (p *pass) run(group []rule) {
	for i := range group {
		p.rule = &group[i]
		p.rule.check(p)
	}
}

// at is a place in the document.
func (p *pass) at(s span) place { return p.document.at(s) }

// report records a fault of the rule that is running.
func (p *pass) report(f fault) {
	if f.value != nil {
		p.judged[f.value] = true
	}
	p.lint.add(p.rule, f)
}

// oneOf lists words as alternatives.
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// allOf lists words as a sum.
func allOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
