package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/azphalt/submissions/internal/lazyregexp"
)

// Event is what the runner says about why the step runs.
type Event struct {
	Name       string // pull_request, merge_group, push …
	Owner      string
	Repository string // without its owner
	Number     int    // of the pull request
	Account    int64  // numeric id of who opened the pull request
	BaseSHA    string
	HeadSHA    string
	CheckedOut string // GITHUB_SHA: for a pull request the commit that merges it, not its head
}

// maxPayload bounds the event's payload, in bytes; GitHub's own bound is 25 MB.
const maxPayload = 32 << 20

// shaPattern is an object id of git.
var shaPattern = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// noCommit is the id that GitHub gives where there is no commit: before a branch was made.
const noCommit = "0000000000000000000000000000000000000000"

// payload holds the fields of all events that are of interest.
type payload struct {
	Number      int `json:"number"`
	PullRequest struct {
		Number int `json:"number"`
		Head   ref `json:"head"`
		Base   ref `json:"base"`
		User   struct {
			ID int64 `json:"id"`
		} `json:"user"`
	} `json:"pull_request"`
	MergeGroup struct {
		HeadSHA string `json:"head_sha"`
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type ref struct {
	SHA string `json:"sha"`
}

// ReadEvent reads the event from the runner's environment. Of the payload only numbers and object ids are taken.
func ReadEvent(getenv func(string) string, readFile func(string) ([]byte, error)) (Event, error) {
	ev := Event{Name: getenv("GITHUB_EVENT_NAME"), CheckedOut: getenv("GITHUB_SHA")}
	ev.Owner, ev.Repository, _ = strings.Cut(getenv("GITHUB_REPOSITORY"), "/")
	file := getenv("GITHUB_EVENT_PATH")
	if file == "" {
		return ev, nil
	}
	data, err := readFile(file)
	if err != nil {
		return ev, fmt.Errorf("reading the event: %w", err)
	}
	if len(data) > maxPayload {
		return ev, fmt.Errorf("the event has %d bytes; the limit is %d", len(data), maxPayload)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return ev, fmt.Errorf("the event is not what GitHub sends: %w", err)
	}
	switch ev.Name {
	case "pull_request", "pull_request_target":
		ev.Number, ev.BaseSHA, ev.HeadSHA = max(p.Number, p.PullRequest.Number), p.PullRequest.Base.SHA, p.PullRequest.Head.SHA
		ev.Account = p.PullRequest.User.ID
	case "merge_group":
		ev.BaseSHA, ev.HeadSHA = p.MergeGroup.BaseSHA, p.MergeGroup.HeadSHA
	case "push":
		ev.BaseSHA, ev.HeadSHA = p.Before, p.After
	}
	for _, sha := range []*string{&ev.BaseSHA, &ev.HeadSHA, &ev.CheckedOut} {
		if *sha != "" && !shaPattern().MatchString(*sha) {
			return ev, errors.New("the event names a commit by something that is no object id")
		}
		if *sha == noCommit {
			*sha = ""
		}
	}
	return ev, nil
}

// isPullRequest reports whether the event is about a pull request.
func (e Event) isPullRequest() bool {
	return e.Name == "pull_request" || e.Name == "pull_request_target"
}

// changes reports whether the event is about a change, of which only what it touches is judged.
func (e Event) changes() bool {
	return e.isPullRequest() || e.Name == "merge_group" || e.Name == "push"
}
