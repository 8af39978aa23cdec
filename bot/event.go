package bot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	Head    string     `json:"head,omitempty"` // commit; of a pull request the one that it had then
	Base    string     `json:"base,omitempty"` // branch, of a merge group commit
	Command Command    `json:"command,omitempty"`
	Login   string     `json:"login,omitempty"`
	Owner   bool       `json:"owner,omitempty"`  // who speaks is the repository's owner
	Rerun   bool       `json:"rerun,omitempty"`  // somebody asked for it by name
	Merged  bool       `json:"merged,omitempty"` // the pull request was closed by being merged
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

// payload is the part of all deliveries that is looked at. It is read with a type of our own: a field that does not matter
// must not make a delivery unreadable.
type payload struct {
	Action       string
	Number       int
	Installation struct{ ID int64 }
	Repository   struct {
		ID       int64
		Name     string
		FullName string                             `json:"full_name"`
		Owner    struct{ Login, Name, Type string } // Name alone in some pushes
	}
	PullRequest struct {
		Number int
		Merged bool
		Head   struct{ SHA string }
	} `json:"pull_request"`
	Changes    struct{ Base *struct{} }
	Review     struct{ State string }
	CheckRun   checkPayload `json:"check_run"`
	CheckSuite checkPayload `json:"check_suite"`
	Issue      struct {
		Number      int
		PullRequest *struct{} `json:"pull_request"`
	}
	Comment struct {
		Body string
		User struct{ Login, Type string }

		Association string `json:"author_association"`
	}
	MergeGroup struct {
		Head string `json:"head_sha"`
		Base string `json:"base_sha"`
	} `json:"merge_group"`
	Ref     string
	Deleted bool
}

type checkPayload struct {
	Head string `json:"head_sha"`
	App  struct{ ID int64 }
}

// ParseNotice translates a delivery. Ok is false where it is of no concern, which costs nothing more. The error means that
// the payload is not what GitHub sends.
func ParseNotice(event string, body []byte, app int64) (n Notice, ok bool, err error) {
	if !slices.Contains(heard, event) {
		return n, false, nil
	}
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return n, false, fmt.Errorf("the payload can't be read: %w", err)
	}
	r := p.Repository
	owner, name, _ := strings.Cut(r.FullName, "/")
	n.Repo = Repository{Installation: p.Installation.ID, ID: r.ID, Owner: cmp.Or(r.Owner.Login, r.Owner.Name, owner), Name: cmp.Or(r.Name, name)}
	if strings.HasPrefix(event, "installation") {
		n.Kind = KindSweep
		return n, slices.Contains([]string{"created", "unsuspend", "new_permissions_accepted", "added"}, p.Action), nil
	}
	if n.Repo.Name == "" || n.Repo.Owner == "" {
		return n, false, nil
	}
	n, ok = translate(n, event, p, app)
	return n, ok, nil
}

// heard are the events that can be of concern.
var heard = []string{"pull_request", "pull_request_review", "check_run", "check_suite", "issue_comment", "merge_group", "push", "installation", "installation_repositories"}

func translate(n Notice, event string, p payload, app int64) (Notice, bool) {
	switch event {
	case "pull_request":
		n.Kind, n.Number, n.Merged = KindPull, cmp.Or(p.Number, p.PullRequest.Number), p.Action == "closed" && p.PullRequest.Merged
		if p.Action == "opened" || p.Action == "synchronize" || p.Action == "reopened" {
			n.Head = p.PullRequest.Head.SHA
		}
		return n, n.Number > 0 && p.pullMatters()
	case "pull_request_review":
		n.Kind, n.Number = KindPull, p.PullRequest.Number
		spoken := p.Action == "submitted" && !strings.EqualFold(p.Review.State, "commented")
		return n, n.Number > 0 && (spoken || p.Action == "dismissed")
	case "check_run":
		return checkNotice(n, p.Action, p.CheckRun, app)
	case "check_suite":
		return checkNotice(n, p.Action, p.CheckSuite, app)
	case "issue_comment":
		n.Kind, n.Number, n.Login, n.Command = KindCommand, p.Issue.Number, p.Comment.User.Login, commandOf(p.Comment.Body)
		n.Owner = p.Comment.Association == "OWNER"
		person := p.Comment.User.Type != "Bot" && n.Login != "" && !p.outsider()
		return n, p.Action == "created" && p.Issue.PullRequest != nil && n.Number > 0 && person && n.Command != ""
	case "merge_group":
		n.Kind, n.Head, n.Base = KindGroup, p.MergeGroup.Head, p.MergeGroup.Base
		return n, p.Action == "checks_requested" && n.Head != "" && n.Base != ""
	default:
		branch, isBranch := strings.CutPrefix(p.Ref, "refs/heads/")
		n.Kind, n.Base = KindBase, branch
		return n, event == "push" && isBranch && !p.Deleted
	}
}

// outsider reports whether who comments can't have the right to write, so that GitHub need not be asked. In a repository that
// belongs to a person, all who have it are the owner and collaborators, and are called so. In an organization's, its members
// may have it by a team or by the organization's own setting, and one who does not show the membership in public is called
// what a stranger is: there, the word says nothing, and the bot would be deaf to a maintainer's hold. It never speaks for
// anyone: that somebody can write is GitHub's to say, when it is asked.
func (p payload) outsider() bool {
	strange := slices.Contains([]string{"NONE", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"}, p.Comment.Association)
	return strange && p.Repository.Owner.Type != "Organization"
}

// pullMatters reports whether an event changes anything that a decision rests on. A new title does not, a new base does.
func (p payload) pullMatters() bool {
	switch p.Action {
	case "opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "labeled", "unlabeled", "closed":
		return true
	default:
		return p.Action == "edited" && p.Changes.Base != nil
	}
}

// checkNotice hears of checks: the bot's own when somebody wants them again, those of others when they are done.
func checkNotice(n Notice, action string, c checkPayload, app int64) (Notice, bool) {
	n.Head = c.Head
	switch own := c.App.ID == app; {
	case n.Head == "":
		return n, false
	case (own || c.App.ID == 0) && action == "rerequested": // which no App hears of another's
		n.Kind, n.Rerun = KindHead, true
		return n, true
	case !own && action == "completed":
		n.Kind = KindCheck
		return n, true
	default:
		return n, false
	}
}
