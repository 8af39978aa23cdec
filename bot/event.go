package bot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"
)

// Kind says what an event asks for.
type Kind string

// The kinds.
const (
	KindPull    Kind = "pull"    // look at a pull request
	KindHead    Kind = "head"    // look at all pull requests with a head that GitHub is asked for
	KindCheck   Kind = "check"   // somebody else's check of a head ended: look at those who wait for one
	KindBase    Kind = "base"    // a base branch moved: look at the pull requests for it
	KindGroup   Kind = "group"   // judge a commit of the merge queue
	KindCommand Kind = "command" // a person asked for something
	KindSweep   Kind = "sweep"   // look for what no webhook told
)

// Notice is what a webhook told, as far as it matters. It is what is stored before GitHub is answered.
type Notice struct {
	Kind    Kind       `json:"kind"`
	Repo    Repository `json:"repo"`
	Number  int        `json:"number,omitempty"`
	Head    string     `json:"head,omitempty"`
	Base    string     `json:"base,omitempty"` // branch, of a merge group commit
	Command Command    `json:"command,omitempty"`
	Login   string     `json:"login,omitempty"`
	Rerun   bool       `json:"rerun,omitempty"` // somebody asked for it by name
}

// Command is what people can ask for, as the first line of a comment.
type Command string

// The commands.
const (
	Recheck          Command = "/azp recheck"
	HoldCommand      Command = "/azp hold"
	ReleaseCommand   Command = "/azp release"
	ApprovePublisher Command = "/azp approve-publisher"
)

// commandOf returns the command of a comment: its first line, exactly.
func commandOf(body string) Command {
	line, _, _ := strings.Cut(body, "\n")
	c := Command(strings.TrimRight(line, " \t\r"))
	if slices.Contains([]Command{Recheck, HoldCommand, ReleaseCommand, ApprovePublisher}, c) {
		return c
	}
	return ""
}

// ParseNotice translates a delivery. Ok is false where it is of no concern, which costs nothing more. The error means that
// the payload is not what GitHub sends.
func ParseNotice(event string, payload []byte, app int64) (n Notice, ok bool, err error) {
	if !slices.Contains(heard, event) {
		return n, false, nil
	}
	parsed, err := github.ParseWebHook(event, payload)
	if err != nil {
		return n, false, fmt.Errorf("the payload can't be read: %w", err)
	}
	var common struct {
		Installation struct {
			ID int64 `json:"id"`
		} `json:"installation"`
		Repository struct {
			ID    int64  `json:"id"`
			Name  string `json:"name"`
			Owner struct {
				Login string `json:"login"`
			} `json:"owner"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(payload, &common); err != nil {
		return n, false, fmt.Errorf("the payload can't be read: %w", err)
	}
	r := common.Repository
	n.Repo = Repository{Installation: common.Installation.ID, ID: r.ID, Owner: r.Owner.Login, Name: r.Name}
	if n.Repo.Installation == 0 || event != "installation" && event != "installation_repositories" && (r.ID == 0 || r.Name == "" || r.Owner.Login == "") {
		return n, false, nil // not by way of an App's installation
	}
	n, ok = translate(n, parsed, app)
	return n, ok, nil
}

// heard are the events that can be of concern.
var heard = []string{"pull_request", "pull_request_review", "check_run", "check_suite", "issue_comment", "merge_group", "push", "installation", "installation_repositories"}

func translate(n Notice, parsed any, app int64) (Notice, bool) {
	switch ev := parsed.(type) {
	case *github.PullRequestEvent:
		n.Kind, n.Number = KindPull, ev.GetNumber()
		return n, n.Number > 0 && pullMatters(ev)
	case *github.PullRequestReviewEvent:
		n.Kind, n.Number = KindPull, ev.GetPullRequest().GetNumber()
		spoken := ev.GetAction() == "submitted" && !strings.EqualFold(ev.GetReview().GetState(), "commented")
		return n, n.Number > 0 && (spoken || ev.GetAction() == "dismissed")
	case *github.CheckRunEvent:
		n.Head = ev.GetCheckRun().GetHeadSHA()
		return checkNotice(n, ev.GetAction(), ev.GetCheckRun().GetApp().GetID() == app)
	case *github.CheckSuiteEvent:
		n.Head = ev.GetCheckSuite().GetHeadSHA()
		return checkNotice(n, ev.GetAction(), ev.GetCheckSuite().GetApp().GetID() == app)
	case *github.IssueCommentEvent:
		n.Kind, n.Number, n.Login, n.Command = KindCommand, ev.GetIssue().GetNumber(), ev.GetComment().GetUser().GetLogin(), commandOf(ev.GetComment().GetBody())
		person := ev.GetComment().GetUser().GetType() != "Bot" && n.Login != ""
		return n, ev.GetAction() == "created" && ev.GetIssue().IsPullRequest() && n.Number > 0 && person && n.Command != ""
	case *github.MergeGroupEvent:
		n.Kind, n.Head, n.Base = KindGroup, ev.GetMergeGroup().GetHeadSHA(), ev.GetMergeGroup().GetBaseSHA()
		return n, ev.GetAction() == "checks_requested" && n.Head != "" && n.Base != ""
	case *github.PushEvent:
		branch, isBranch := strings.CutPrefix(ev.GetRef(), "refs/heads/")
		n.Kind, n.Base = KindBase, branch
		return n, isBranch && !ev.GetDeleted()
	case *github.InstallationEvent:
		n.Kind = KindSweep
		return n, slices.Contains([]string{"created", "unsuspend", "new_permissions_accepted"}, ev.GetAction())
	case *github.InstallationRepositoriesEvent:
		n.Kind = KindSweep
		return n, ev.GetAction() == "added"
	default:
		return n, false
	}
}

// pullMatters reports whether an event changes anything that a decision rests on. A new title does not, a new base does.
func pullMatters(ev *github.PullRequestEvent) bool {
	switch ev.GetAction() {
	case "opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "labeled", "unlabeled", "closed":
		return true
	case "edited":
		return ev.GetChanges().GetBase() != nil
	default:
		return false
	}
}

// checkNotice hears of checks: the bot's own when somebody wants them again, those of others when they are done.
func checkNotice(n Notice, action string, own bool) (Notice, bool) {
	switch {
	case n.Head == "":
		return n, false
	case own && action == "rerequested":
		n.Kind, n.Rerun = KindHead, true
		return n, true
	case !own && action == "completed":
		n.Kind = KindCheck
		return n, true
	default:
		return n, false
	}
}
