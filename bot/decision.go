package bot

import "fmt"

// Action is what a decision comes to.
type Action int

// The actions, in the order in which one overrules those before it.
const (
	Merge   Action = iota // everything is in place
	Retry                 // something has to be looked at again by itself
	Hold                  // a person has to act
	NoMerge               // the pull request has to change
	Ignore                // there is nothing to do
)

var actionNames = [...]string{Merge: "merge", Retry: "retry", Hold: "hold", NoMerge: "no-merge", Ignore: "ignore"}

// String returns the action's name.
func (a Action) String() string {
	if int(a) < len(actionNames) && a >= 0 {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", int(a))
}

// Code names a reason; it is stable, for metrics and tests.
type Code string

// The reasons.
const (
	CodeClosed           Code = "closed"
	CodeNoSubmission     Code = "no-submission"
	CodeDisabled         Code = "merging-disabled"
	CodeConfig           Code = "configuration"
	CodeNotJudged        Code = "not-verified"
	CodeHeadMoved        Code = "head-moved"
	CodeRetargeted       Code = "retargeted"
	CodeErrors           Code = "errors"
	CodeDraft            Code = "draft"
	CodeHoldLabel        Code = "hold-label"
	CodeHeld             Code = "held"
	CodeOutside          Code = "outside-paths"
	CodeLinks            Code = "links"
	CodeRemoved          Code = "removes-submission"
	CodeSeveral          Code = "several-submissions"
	CodeNoPackage        Code = "no-package"
	CodePublishers       Code = "several-publishers"
	CodeUnsigned         Code = "unsigned"
	CodePublished        Code = "published"
	CodePublishedOther   Code = "published-other-bytes"
	CodePublisherChange  Code = "publisher-change"
	CodeForeignID        Code = "foreign-id"
	CodeNewPublisher     Code = "new-publisher"
	CodeStaleApproval    Code = "stale-approval"
	CodeApprovals        Code = "approvals"
	CodeChangesRequested Code = "changes-requested"
	CodeRequiredCheck    Code = "required-check"
	CodeHistorySecret    Code = "history-secret"
	CodeConflict         Code = "conflict"
	CodeMergeUnknown     Code = "mergeability-unknown"
	CodeMergeState       Code = "merge-state"
	CodeProtection       Code = "protection"
	CodeUnknown          Code = "unknown"
	CodeSignKey          Code = "registry-key"
	CodeUnsignable       Code = "can-not-be-signed"
	CodeUnwritable       Code = "can-not-write"
)

// Point is one condition of a merge: met, or not met with the action that follows.
type Point struct {
	Code     Code
	Met      bool
	Action   Action // where it is not met
	Sentence string // what is so, for someone who has never heard of the bot; may quote strangers' text
	Next     string // what happens next, or who has to do what; "" where it is met
}

// Decision is what becomes of a pull request, and why.
type Decision struct {
	Action Action
	Points []Point
}

// Reasons are the conditions that are not met.
func (d Decision) Reasons() []Point {
	var out []Point
	for _, p := range d.Points {
		if !p.Met {
			out = append(out, p)
		}
	}
	return out
}

// Has reports whether a reason of that code stands in the way.
func (d Decision) Has(code Code) bool {
	for _, p := range d.Reasons() {
		if p.Code == code {
			return true
		}
	}
	return false
}

// NeedsPerson reports whether somebody has to act before anything can go on.
func (d Decision) NeedsPerson() bool { return d.Action == Hold || d.Action == NoMerge }

// With returns the decision with one more reason.
func (d Decision) With(p Point) Decision {
	d.Points = append(append([]Point(nil), d.Points...), p)
	d.Action = max(d.Action, p.Action)
	return d
}
