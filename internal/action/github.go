package action

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/paging"
)

// requestTimeout bounds a request to GitHub.
const requestTimeout = 30 * time.Second

// newClient returns a client for the API at a base address, "" for that of github.com.
func newClient(baseURL, token string) (*github.Client, error) {
	client := github.NewClient(&http.Client{Timeout: requestTimeout}).WithAuthToken(token)
	if baseURL == "" || baseURL == "https://api.github.com" {
		return client, nil
	}
	return client.WithEnterpriseURLs(baseURL, baseURL)
}

// filesListed is how many files of a pull request GitHub lists.
const filesListed = 3000

// changedFiles lists the paths that a pull request touches, both sides of a rename. It returns nil where there are more
// than GitHub lists.
func changedFiles(p *checkrun.Publisher, ev Event) remoteChanges {
	return func(ctx context.Context) ([]string, error) {
		if ev.Number == 0 {
			return nil, errors.New("the event names no pull request")
		}
		paths := []string{}
		files := 0
		for f, err := range paging.Items(func(o *github.ListOptions) (page []*github.CommitFile, resp *github.Response, err error) {
			err = p.Try(ctx, func() (err error) {
				page, resp, err = p.Client.PullRequests.ListFiles(ctx, ev.Owner, ev.Repository, ev.Number, o)
				return err
			})
			return page, resp, err
		}) {
			if err != nil {
				return nil, err
			}
			if files++; files == filesListed {
				return nil, nil
			}
			paths = append(paths, f.GetFilename())
			if previous := f.GetPreviousFilename(); previous != "" {
				paths = append(paths, previous)
			}
		}
		return paths, nil
	}
}
