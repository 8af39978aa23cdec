// Package config reads a repository's settings from .github/azphalt.yml.
//
// The file is read strictly and fails closed: every fault is a finding with its place, and a file with a fault counts for
// nothing at all, so that a slip of the pen can neither open nor loosen anything.
package config

import (
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
)

// Path is where the file is kept in a repository.
const Path = ".github/azphalt.yml"

// Config is what a repository has decided.
type Config struct {
	Submissions string                      // the folder of the packages, from the repository's root; clean, with forward slashes
	Rules       map[string]finding.Severity // severities that differ from the rules' own, by rule id
	Waivers     []Waiver                    // in the order of the file
	Trust       []azp.TrustedKey            // keys whose packages are trusted
	Deny        Deny
	Merge       Merge
	Registry    Registry
}

// Deny names what is never accepted. It goes before all trust.
type Deny struct {
	Digests []string // of packages, in the form of azp.Digest
	Keys    []string // public keys, in the form of azp.PublicKey
}

// Merge says whether and how the bot merges.
type Merge struct {
	Enabled        bool
	Strategy       Strategy
	Method         Method // of StrategyAPI; MethodMerge for the other
	Unsigned       Unsigned
	NewPublisher   NewPublisher
	Approvals      int      // approving reviews that every submission needs
	RequiredChecks []string // names of checks that must have passed
	HoldLabel      string   // a pull request with this label is not merged
	DeleteBranch   bool     // delete the branch after the merge, where it is one of the repository itself
}

// Strategy is the way in which a submission gets into the base branch.
type Strategy string

// The strategies.
const (
	StrategyCountersigned Strategy = "countersigned" // one merge commit that carries the counter-signed package
	StrategyAPI           Strategy = "api"           // GitHub's merge endpoint; counter-signed bytes go to a branch of their own
)

// RegistryBranch is where StrategyAPI keeps the registry's files.
const RegistryBranch = "registry"

// Method is what GitHub's merge endpoint does.
type Method string

// The methods.
const (
	MethodMerge  Method = "merge"
	MethodSquash Method = "squash"
	MethodRebase Method = "rebase"
)

// Unsigned is what becomes of a submission without a signature.
type Unsigned string

// The treatments of unsigned submissions.
const (
	UnsignedReject Unsigned = "reject"
	UnsignedSign   Unsigned = "sign" // with the registry's key
)

// NewPublisher is what the first submission by a key has to wait for.
type NewPublisher string

// The treatments of new publishers.
const (
	NewPublisherApproval NewPublisher = "approval" // an approving review by someone who can write to the repository
	NewPublisherAuto     NewPublisher = "auto"     // nothing
)

// Registry describes what is published.
type Registry struct {
	Name string // for people; empty stands for the repository's name
	Path string // the folder of the index, from the repository's root; clean, with forward slashes
	URL  string // where the folder is served, without a slash at the end; empty where it is not
}

// Default returns the settings of a repository without the file. They never merge: that is for a repository to ask for.
func Default() *Config {
	return &Config{
		Submissions: "submissions",
		Merge: Merge{
			Strategy:     StrategyCountersigned,
			Method:       MethodMerge,
			Unsigned:     UnsignedReject,
			NewPublisher: NewPublisherApproval,
			HoldLabel:    "hold",
		},
		Registry: Registry{Path: "registry"},
	}
}

// Severity returns what a finding of the rule counts for: a reference rule is always an error.
func (c *Config) Severity(rule finding.Rule) finding.Severity {
	if s, ok := c.Rules[rule.ID]; ok && !rule.Reference {
		return s
	}
	return rule.Severity
}
