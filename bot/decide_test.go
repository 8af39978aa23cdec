package bot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubapp"
)

const (
	headA = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
	headB = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
	base0 = "0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e"
	ours  = 900001
)

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// ready are facts with which a pull request is merged: a first package, approved at its head.
func ready() bot.Facts {
	return bot.Facts{
		Merge: config.Merge{Enabled: true, Strategy: config.StrategyCountersigned, Unsigned: config.UnsignedReject, NewPublisher: config.NewPublisherApproval, HoldLabel: "hold"},
		Pull: bot.Pull{Number: 7, Author: "contributor", AuthorID: 42, Open: true, HeadSHA: headA, BaseRef: "main",
			Mergeable: yes(), MergeState: "clean"},
		OwnApp:   ours,
		Judged:   bot.Judged{Head: headA, BaseRef: "main", BaseTip: base0, Rules: "1"},
		Changes:  bot.Changes{Folders: []string{"submissions/com.example.demo"}},
		Packages: []bot.PackageFacts{{Path: "submissions/com.example.demo/com.example.demo-1.0.0.azp", ID: "com.example.demo", Version: "1.0.0", Signed: true, Signer: "Q"}},
		Reviews:  []bot.Review{{Login: "maintainer", State: "APPROVED", CommitID: headA, CanWrite: true}},
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*bot.Facts)
		want bot.Action
		code bot.Code // that must be among the reasons; "" for none
	}{
		{"all in place", func(*bot.Facts) {}, bot.Merge, ""},
		{"closed", func(f *bot.Facts) { f.Pull.Open = false }, bot.Ignore, bot.CodeClosed},
		{"no submission", func(f *bot.Facts) { f.Changes = bot.Changes{None: true} }, bot.Ignore, bot.CodeNoSubmission},
		{"merging disabled", func(f *bot.Facts) { f.Merge.Enabled = false }, bot.Hold, bot.CodeDisabled},
		{"no strategy", func(f *bot.Facts) { f.Merge.Strategy = "" }, bot.Hold, bot.CodeConfig},
		{"faulty configuration", func(f *bot.Facts) { f.ConfigFaults = 2 }, bot.Hold, bot.CodeConfig},
		{"errors", func(f *bot.Facts) { f.Judged.Errors = 1 }, bot.NoMerge, bot.CodeErrors},
		{"draft", func(f *bot.Facts) { f.Pull.Draft, f.Pull.MergeState = true, "draft" }, bot.NoMerge, bot.CodeDraft},
		{"hold label", func(f *bot.Facts) { f.Pull.Labels = []string{"Hold"} }, bot.Hold, bot.CodeHoldLabel},
		{"hold command", func(f *bot.Facts) { f.HeldBy = "maintainer" }, bot.Hold, bot.CodeHeld},
		{"outside paths", func(f *bot.Facts) { f.Changes.Outside = []string{".github/workflows/x.yml"} }, bot.Hold, bot.CodeOutside},
		{"links", func(f *bot.Facts) { f.Changes.Links = []string{"submissions/com.example.demo/link"} }, bot.Hold, bot.CodeLinks},
		{"several submissions", func(f *bot.Facts) { f.Changes.Folders = []string{"a", "b"} }, bot.Hold, bot.CodeSeveral},
		{"removes a submission", func(f *bot.Facts) { f.Changes.Removed = []string{"a"} }, bot.Hold, bot.CodeRemoved},
		{"no package", func(f *bot.Facts) { f.Packages = nil }, bot.Hold, bot.CodeNoPackage},
		{"two publishers", func(f *bot.Facts) {
			second := f.Packages[0]
			second.Signer = "R"
			f.Packages = append(f.Packages, second)
		}, bot.Hold, bot.CodePublishers},
		{"new publisher without approval", func(f *bot.Facts) { f.Reviews = nil }, bot.Hold, bot.CodeNewPublisher},
		{"new publisher, approval by a reader", func(f *bot.Facts) { f.Reviews[0].CanWrite = false }, bot.Hold, bot.CodeNewPublisher},
		{"new publisher, approval by the author", func(f *bot.Facts) { f.Reviews[0].Login = "contributor" }, bot.Hold, bot.CodeNewPublisher},
		{"new publisher, stale approval", func(f *bot.Facts) { f.Reviews[0].CommitID = headB }, bot.Hold, bot.CodeStaleApproval},
		{"new publisher, dismissed approval", func(f *bot.Facts) { f.Reviews[0].State = "DISMISSED" }, bot.Hold, bot.CodeNewPublisher},
		{"new publisher, approval of no commit", func(f *bot.Facts) { f.Reviews[0].CommitID = "" }, bot.Hold, bot.CodeNewPublisher},
		{"new publisher, admitted by itself", func(f *bot.Facts) { f.Reviews, f.Merge.NewPublisher = nil, config.NewPublisherAuto }, bot.Merge, ""},
		{"known in this namespace", func(f *bot.Facts) { f.Reviews, f.Packages[0].KnownHere = nil, true }, bot.Merge, ""},
		{"update by its publisher", func(f *bot.Facts) { f.Reviews, f.Packages[0].Owner = nil, &bot.Owner{Key: "Q"} }, bot.Merge, ""},
		{"publisher change", func(f *bot.Facts) { f.Packages[0].Owner = &bot.Owner{Key: "P"} }, bot.Hold, bot.CodePublisherChange},
		{"publisher change, vouched for", func(f *bot.Facts) { f.Packages[0].Owner, f.Packages[0].Chain = &bot.Owner{Key: "P"}, []string{"P"} }, bot.Merge, ""},
		{"publisher change, approved by name", func(f *bot.Facts) {
			f.Packages[0].Owner, f.Packages[0].ChangeApprovedBy = &bot.Owner{Key: "P"}, "maintainer"
		}, bot.Merge, ""},
		{"unsigned update of a signed id", func(f *bot.Facts) {
			f.Merge.Unsigned = config.UnsignedSign
			f.Packages[0].Owner, f.Packages[0].Signed = &bot.Owner{Key: "P"}, false
		}, bot.Hold, bot.CodePublisherChange},
		{"id of another account", func(f *bot.Facts) {
			f.Merge.Unsigned = config.UnsignedSign
			f.Packages[0].Owner, f.Packages[0].Signed = &bot.Owner{GitHubID: 41}, false
		}, bot.Hold, bot.CodeForeignID},
		{"id of nobody's account", func(f *bot.Facts) {
			f.Merge.Unsigned, f.Pull.AuthorID = config.UnsignedSign, 0
			f.Packages[0].Owner, f.Packages[0].Signed = &bot.Owner{}, false
		}, bot.Hold, bot.CodeForeignID},
		{"id of the own account", func(f *bot.Facts) {
			f.Merge.Unsigned, f.Reviews = config.UnsignedSign, nil
			f.Packages[0].Owner, f.Packages[0].Signed = &bot.Owner{GitHubID: 42}, false
		}, bot.Merge, ""},
		{"unsigned under reject", func(f *bot.Facts) { f.Packages[0].Signed = false }, bot.NoMerge, bot.CodeUnsigned},
		{"published with other bytes", func(f *bot.Facts) { f.Packages[0].Published = bot.PublishedOther }, bot.NoMerge, bot.CodePublishedOther},
		{"published with these bytes", func(f *bot.Facts) { f.Packages[0].Published = bot.PublishedSame }, bot.NoMerge, bot.CodePublished},
		{"too few approvals", func(f *bot.Facts) { f.Merge.Approvals = 2 }, bot.Hold, bot.CodeApprovals},
		{"changes requested", func(f *bot.Facts) {
			f.Reviews = append(f.Reviews, bot.Review{Login: "second", State: "CHANGES_REQUESTED", CanWrite: true})
		}, bot.NoMerge, bot.CodeChangesRequested},
		{"changes requested by a stranger", func(f *bot.Facts) {
			f.Reviews = append(f.Reviews, bot.Review{Login: "stranger", State: "CHANGES_REQUESTED"})
		}, bot.Merge, ""},
		{"required check missing", func(f *bot.Facts) { f.Merge.RequiredChecks = []string{"build"} }, bot.Hold, bot.CodeRequiredCheck},
		{"required check pending", func(f *bot.Facts) {
			f.Merge.RequiredChecks, f.Checks = []string{"build"}, []bot.CheckResult{{Name: "build", HeadSHA: headA}}
		}, bot.Hold, bot.CodeRequiredCheck},
		{"required check failed beside a passed one", func(f *bot.Facts) {
			f.Merge.RequiredChecks = []string{"build"}
			f.Checks = []bot.CheckResult{{Name: "build", HeadSHA: headA, Conclusion: "success"}, {Name: "build", HeadSHA: headA, Conclusion: "failure"}}
		}, bot.NoMerge, bot.CodeRequiredCheck},
		{"required check of another commit", func(f *bot.Facts) {
			f.Merge.RequiredChecks, f.Checks = []string{"build"}, []bot.CheckResult{{Name: "build", HeadSHA: headB, Conclusion: "success"}}
		}, bot.Hold, bot.CodeRequiredCheck},
		{"required check passed", func(f *bot.Facts) {
			f.Merge.RequiredChecks, f.Checks = []string{"build"}, []bot.CheckResult{{Name: "build", HeadSHA: headA, Conclusion: "success", App: 1}}
		}, bot.Merge, ""},
		{"own check's name from another App", func(f *bot.Facts) {
			f.Merge.RequiredChecks, f.Checks = []string{githubapp.CheckName}, []bot.CheckResult{{Name: githubapp.CheckName, HeadSHA: headA, Conclusion: "success", App: 15368}}
		}, bot.Hold, bot.CodeRequiredCheck},
		{"own check", func(f *bot.Facts) {
			f.Merge.RequiredChecks, f.Checks = []string{githubapp.CheckName}, []bot.CheckResult{{Name: githubapp.CheckName, HeadSHA: headA, Conclusion: "success", App: ours}}
		}, bot.Merge, ""},
		{"conflict by trees", func(f *bot.Facts) { f.Changes.Conflicts = []string{"submissions/com.example.demo/LICENSE"} }, bot.Hold, bot.CodeConflict},
		{"conflict by GitHub", func(f *bot.Facts) { f.Pull.Mergeable, f.Pull.MergeState = no(), "dirty" }, bot.Hold, bot.CodeConflict},
		{"mergeability unknown", func(f *bot.Facts) { f.Pull.Mergeable, f.Pull.MergeState = nil, "unknown" }, bot.Hold, bot.CodeMergeUnknown},
		{"behind", func(f *bot.Facts) { f.Pull.MergeState = "behind" }, bot.Hold, bot.CodeMergeState},
		{"blocked", func(f *bot.Facts) { f.Pull.MergeState = "blocked" }, bot.Hold, bot.CodeMergeState},
		{"a state of the future", func(f *bot.Facts) { f.Pull.MergeState = "quantum" }, bot.Hold, bot.CodeMergeState},
		{"no state, but mergeable", func(f *bot.Facts) { f.Pull.MergeState = "" }, bot.Merge, ""},
		{"no state, nothing known", func(f *bot.Facts) { f.Pull.Mergeable, f.Pull.MergeState = nil, "" }, bot.Hold, bot.CodeMergeUnknown},
		{"an approval whose author's permission is not known", func(f *bot.Facts) { f.Reviews[0].CanWrite, f.Reviews[0].Unlearnt = false, true }, bot.Hold, bot.CodeUnknown},
		{"changes asked for by somebody whose permission is not known", func(f *bot.Facts) {
			f.Reviews = append(f.Reviews, bot.Review{Login: "second", State: "CHANGES_REQUESTED", Unlearnt: true})
		}, bot.Hold, bot.CodeUnknown},
		{"a needless approval whose author's permission is not known", func(f *bot.Facts) {
			f.Reviews = append(f.Reviews, bot.Review{Login: "second", State: "APPROVED", CommitID: headA, Unlearnt: true})
		}, bot.Merge, ""},
		{"protection refused", func(f *bot.Facts) { f.Refused = "Protected branch" }, bot.Hold, bot.CodeProtection},
		{"base retargeted", func(f *bot.Facts) { f.Pull.BaseRef = "staging" }, bot.Retry, bot.CodeRetargeted},
		{"head moved", func(f *bot.Facts) { f.Pull.HeadSHA = headB; f.Reviews[0].CommitID = headB }, bot.Retry, bot.CodeHeadMoved},
		{"never verified", func(f *bot.Facts) { f.Judged = bot.Judged{} }, bot.Retry, bot.CodeNotJudged},
		{"secret in an earlier commit", func(f *bot.Facts) { f.HistorySecrets = []bot.HistorySecret{{Commit: headB, Path: "m"}} }, bot.Hold, bot.CodeHistorySecret},
		{"something not learnt", func(f *bot.Facts) { f.Unknown = []string{"The reviews could not be read."} }, bot.Hold, bot.CodeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := ready()
			c.edit(&f)
			d := bot.Decide(f)
			if d.Action != c.want {
				t.Errorf("%v, want %v: %+v", d.Action, c.want, d.Reasons())
			}
			if c.code != "" && !d.Has(c.code) || c.code == "" && len(d.Reasons()) > 0 {
				t.Errorf("reasons %+v, want %q", d.Reasons(), c.code)
			}
			for _, r := range d.Reasons() {
				if r.Sentence == "" || r.Next == "" || r.Action == bot.Merge {
					t.Errorf("a reason that explains nothing: %+v", r)
				}
			}
		})
	}
}

func TestTheZeroFactsAreNeverMerged(t *testing.T) {
	if d := bot.Decide(bot.Facts{}); d.Action != bot.Ignore {
		t.Errorf("%v", d.Action)
	}
	if d := bot.Decide(bot.Facts{Pull: bot.Pull{Open: true}}); d.Action == bot.Merge {
		t.Error("merged without any fact")
	}
}

func TestAllReasonsAreSaidAtOnce(t *testing.T) {
	f := ready()
	f.Pull.Draft, f.HeldBy, f.Judged.Errors, f.Changes.Outside = true, "maintainer", 3, []string{"README.md"}
	d := bot.Decide(f)
	var codes []string
	for _, r := range d.Reasons() {
		codes = append(codes, string(r.Code))
	}
	for _, want := range []bot.Code{bot.CodeDraft, bot.CodeHeld, bot.CodeErrors, bot.CodeOutside} {
		if !slices.Contains(codes, string(want)) {
			t.Errorf("%s is not among %s", want, strings.Join(codes, " "))
		}
	}
}
