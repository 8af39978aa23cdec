package action

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/checkrun"
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

// Files of a pull request that GitHub lists: so many on a page, and so many in all.
const (
	filesPerPage = 100
	filesListed  = 3000
)

// changedFiles lists the paths that a pull request touches, both sides of a rename. It returns nil where there are more
// than GitHub lists.
func changedFiles(p *checkrun.Publisher, ev Event) remoteChanges {
	return func(ctx context.Context) ([]string, error) {
		if ev.Number == 0 {
			return nil, errors.New("the event names no pull request")
		}
		paths := []string{}
		files := 0
		opt := &github.ListOptions{PerPage: filesPerPage}
		for {
			var page []*github.CommitFile
			var answer *github.Response
			err := p.Try(ctx, func() (err error) {
				page, answer, err = p.Client.PullRequests.ListFiles(ctx, ev.Owner, ev.Repository, ev.Number, opt)
				return err
			})
			if err != nil {
				return nil, err
			}
			for _, f := range page {
				files++
				paths = append(paths, f.GetFilename())
				if previous := f.GetPreviousFilename(); previous != "" {
					paths = append(paths, previous)
				}
			}
			if files >= filesListed {
				return nil, nil
			}
			if answer.NextPage == 0 {
				return paths, nil
			}
			opt.Page = answer.NextPage
		}
	}
}
