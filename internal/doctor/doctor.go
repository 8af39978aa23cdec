// Package doctor looks whether a repository has what the Action and the bot need, and names the mend of each fault.
//
// It only reads, by GitHub's API: as the bot's App where its key is given, as whoever a token belongs to otherwise. The App
// sees most: what it was granted, and which rules it may bypass.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/source"
)

// Options says what is looked at, and by whom.
type Options struct {
	Owner, Name string
	GitHub      string // address of the server; github.com where empty
	Token       string // of a person or a workflow; not used where the App can look
	AppID       int64  // of the bot's App; 0 where it is not known
	AppKey      []byte // PEM of its private key; nil where there is none
}

// State is how it is with one thing.
type State int

// The states.
const (
	Good    State = iota
	Note          // worth knowing; nothing to mend
	Unknown       // it could not be looked at
	Fault         // to be mended
)

var marks = [...]string{Good: "✓", Note: "·", Unknown: "?", Fault: "✗"}

// Result is what was found about one thing.
type Result struct {
	State State
	Says  string // a sentence
	Mend  string // what to do about it; "" where nothing is
}

// Report is what was found about a repository.
type Report struct {
	Repository, Branch string
	As                 string // who looked
	Results            []Result
}

// Count returns how many results have a state.
func (r *Report) Count(s State) int {
	n := 0
	for _, one := range r.Results {
		if one.State == s {
			n++
		}
	}
	return n
}

// Write prints a report for people.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, branch %s, as seen by %s\n\n", r.Repository, source.Visible(r.Branch), r.As)
	for _, one := range r.Results {
		fmt.Fprintf(&b, "%s %s\n", marks[one.State], source.Visible(one.Says))
		if one.Mend != "" {
			fmt.Fprintf(&b, "    → %s\n", source.Visible(one.Mend))
		}
	}
	switch faults, unknown := r.Count(Fault), r.Count(Unknown); {
	case faults+unknown == 0:
		b.WriteString("\nAll is well.\n")
	case unknown == 0:
		fmt.Fprintf(&b, "\n%d to mend.\n", faults)
	default:
		fmt.Fprintf(&b, "\n%d to mend, %d that could not be looked at.\n", faults, unknown)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// examination is one look at a repository.
type examination struct {
	Options
	Report
	api    *url.URL
	http   http.RoundTripper
	client *github.Client // reads the repository
	asApp  bool           // whether client is the App's

	repo   repository
	branch branch
	config *config.Config
}

// repository and branch are what matters of GitHub's answers of that kind.
type repository struct {
	DefaultBranch string `json:"default_branch"`
	Archived      bool
	AllowMerge    *bool `json:"allow_merge_commit"`
	AllowSquash   *bool `json:"allow_squash_merge"`
	AllowRebase   *bool `json:"allow_rebase_merge"`
}

// Examine looks at a repository. The error means that it could not be looked at at all.
func Examine(ctx context.Context, o Options) (*Report, error) {
	e := &examination{Options: o, http: githubapp.Locating(http.DefaultTransport), Report: Report{Repository: o.Owner + "/" + o.Name}}
	var err error
	if e.api, err = githubapp.API(o.GitHub); err != nil {
		return nil, err
	}
	for _, look := range []func(context.Context) error{
		e.lookAtApp, e.lookAtRepository, e.lookAtConfig, e.lookAtWorkflows, e.lookAtProtection,
	} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	return &e.Report, nil
}

func (e *examination) add(s State, says, mend string) {
	e.Results = append(e.Results, Result{s, says, mend})
}

// requestTimeout bounds a request to GitHub.
const requestTimeout = 30 * time.Second

func (e *examination) newClient(t http.RoundTripper) *github.Client {
	c := github.NewClient(&http.Client{Transport: t, Timeout: requestTimeout})
	c.BaseURL, c.UserAgent = e.api, "azphalt-submissions"
	return c
}

// appClient speaks for the App itself or, with an installation, for that.
func (e *examination) appClient(installation int64) (*github.Client, error) {
	base := strings.TrimSuffix(e.api.String(), "/")
	app, err := ghinstallation.NewAppsTransport(e.http, e.AppID, e.AppKey)
	if err != nil {
		return nil, errors.New("the App's private key can't be read: it is the PEM file that GitHub made") // the cause may hold a part of it
	}
	app.BaseURL = base
	if installation == 0 {
		return e.newClient(app), nil
	}
	t := ghinstallation.NewFromAppsTransport(app, installation)
	t.BaseURL = base
	return e.newClient(t), nil
}

// get reads what a path below the repository's names. Paths are escaped by [escape].
func (e *examination) get(ctx context.Context, below string, into any) error {
	return get(ctx, e.client, "repos/"+url.PathEscape(e.Owner)+"/"+url.PathEscape(e.Name)+below, into)
}

func get(ctx context.Context, c *github.Client, path string, into any) error {
	req, err := c.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, req, into)
	return err
}

// escape makes a name, such as that of a branch, part of a path. Slashes stay.
func escape(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// status is the HTTP status with which GitHub refused, 0 where the error is another one.
func status(err error) int {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}

// message is what GitHub said when it refused.
func message(err error) string {
	if refused, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return refused.Message
	}
	return ""
}

// hidden reports whether an error only means that something is not there, or not for these eyes.
func hidden(err error) bool {
	switch status(err) {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusNotImplemented:
		return true
	}
	return false
}

// lookAtRepository finds the branch that submissions are merged into: the default branch.
func (e *examination) lookAtRepository(ctx context.Context) error {
	if e.client == nil {
		e.client = e.newClient(e.http)
		if e.Token != "" {
			e.client = e.client.WithAuthToken(e.Token)
		}
	}
	err := e.get(ctx, "", &e.repo)
	if err != nil {
		return fmt.Errorf("the repository can't be read: %w", err)
	}
	e.Branch = e.repo.DefaultBranch
	if e.repo.Archived {
		e.add(Fault, "The repository is archived: nothing can be merged.", "Unarchive it: Settings → General → Danger zone.")
	}
	err = e.get(ctx, "/branches/"+escape(e.Branch), &e.branch)
	if err != nil && !hidden(err) {
		return fmt.Errorf("the branch %s can't be read: %w", e.Branch, err)
	}
	return nil
}

// lookAtConfig reads the bot's configuration. Without one, or with a fault in it, the defaults count, which never merge.
func (e *examination) lookAtConfig(ctx context.Context) error {
	e.config = config.Default()
	data, err := e.file(ctx, config.Path)
	switch {
	case status(err) == http.StatusNotFound:
		e.add(Note, "There is no "+config.Path+": the defaults count, and the bot merges nothing.", "To have it merge, add the file with `merge: { enabled: true }`.")
		return nil
	case hidden(err):
		e.add(Unknown, config.Path+" could not be read.", "Let whoever looks read the repository's contents.")
		return nil
	case err != nil:
		return err
	}
	return e.judgeConfig(data)
}

// maxFile bounds a file of the repository that is looked at.
const maxFile = 1 << 20

// file reads a file of the branch.
func (e *examination) file(ctx context.Context, name string) ([]byte, error) {
	var c github.RepositoryContent
	if err := e.get(ctx, "/contents/"+escape(name)+"?ref="+url.QueryEscape(e.Branch), &c); err != nil {
		return nil, err
	}
	text, err := c.GetContent()
	if err != nil || len(text) > maxFile {
		return nil, fmt.Errorf("%s can't be read as a file of at most %d bytes", path.Base(name), maxFile)
	}
	return []byte(text), nil
}
