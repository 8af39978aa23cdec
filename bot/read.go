package bot

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"
)

// repoClient is GitHub by way of its REST API.
type repoClient struct {
	Repository
	app *App
	api *github.Client
}

func (c *repoClient) Pull(ctx context.Context, number int) (Pull, error) {
	p, _, err := c.api.PullRequests.Get(ctx, c.Owner, c.Name, number)
	if err != nil {
		return Pull{}, fmt.Errorf("reading the pull request: %w", err)
	}
	return pullOf(p), nil
}

func pullOf(p *github.PullRequest) Pull {
	out := Pull{
		Number: p.GetNumber(), Title: p.GetTitle(), Author: p.GetUser().GetLogin(), AuthorID: p.GetUser().GetID(),
		Open: p.GetState() == "open", Merged: p.GetMerged(), Draft: p.GetDraft(),
		HeadSHA: p.GetHead().GetSHA(), HeadRef: p.GetHead().GetRef(), HeadRepo: p.GetHead().GetRepo().GetFullName(),
		BaseRef: p.GetBase().GetRef(), BaseRepo: p.GetBase().GetRepo().GetFullName(),
		Mergeable: p.Mergeable, MergeState: p.GetMergeableState(),
	}
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}

func (c *repoClient) OpenPulls(ctx context.Context) ([]Pull, error) {
	var all []Pull
	err := pages(func(o *github.ListOptions) (*github.Response, error) {
		list, resp, err := c.api.PullRequests.List(ctx, c.Owner, c.Name, &github.PullRequestListOptions{State: "open", ListOptions: *o})
		for _, p := range list {
			all = append(all, pullOf(p))
		}
		return resp, err
	})
	return all, err
}

// maxCommits is how many commits of a pull request are looked at.
const maxCommits = 250

func (c *repoClient) Compare(ctx context.Context, base, head string) (Comparison, error) {
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, c.Owner, c.Name, base, head, &github.ListOptions{PerPage: maxCommits})
	if err != nil {
		return Comparison{}, fmt.Errorf("comparing with the base: %w", err)
	}
	out := Comparison{Base: commitOf(cmp.BaseCommit), MergeBase: commitOf(cmp.MergeBaseCommit), Complete: len(cmp.Commits) == cmp.GetTotalCommits()}
	for _, k := range cmp.Commits {
		out.Commits = append(out.Commits, commitOf(k))
	}
	if out.Base.Tree == "" || out.MergeBase.Tree == "" {
		return Comparison{}, errors.New("comparing with the base: GitHub names no merge base")
	}
	return out, nil
}

func commitOf(c *github.RepositoryCommit) Commit {
	return Commit{SHA: c.GetSHA(), Tree: c.GetCommit().GetTree().GetSHA()}
}

func (c *repoClient) Tree(ctx context.Context, id string) (*Tree, error) {
	if t, known := c.app.Cache.knownTree(c.treeKey(id)); known {
		return t, nil
	}
	t := &Tree{ID: id, Files: map[string]Entry{}}
	if err := c.walk(ctx, t, id, "", true); err != nil {
		return nil, err
	}
	c.app.Cache.addTree(c.treeKey(id), t)
	return t, nil
}

func (c *repoClient) treeKey(id string) string { return c.FullName() + " " + id }

// walk enters a tree below a prefix: with one request where GitHub gives all of it, else folder by folder.
func (c *repoClient) walk(ctx context.Context, into *Tree, id, prefix string, recursive bool) error {
	t, _, err := c.api.Git.GetTree(ctx, c.Owner, c.Name, id, recursive)
	if err != nil {
		return fmt.Errorf("reading a tree: %w", err)
	}
	if t.GetTruncated() {
		if !recursive {
			return errors.New("a folder has more files than GitHub shows")
		}
		return c.walk(ctx, into, id, prefix, false)
	}
	for _, e := range t.Entries {
		path := prefix + e.GetPath()
		switch {
		case e.GetType() != "tree":
			into.Files[path] = Entry{ID: e.GetSHA(), Mode: e.GetMode(), Size: int64(e.GetSize())}
		case !recursive:
			if err := c.walk(ctx, into, e.GetSHA(), path+"/", true); err != nil {
				return err
			}
		}
		if len(into.Files) > maxTreeFiles {
			return fmt.Errorf("the repository has more than %d files", maxTreeFiles)
		}
	}
	return nil
}

func (c *repoClient) Blob(ctx context.Context, e Entry) (Blob, error) {
	return c.app.Cache.blob(ctx, c.FullName(), e, func(ctx context.Context, w io.Writer) error {
		req, err := c.api.NewRequest("GET", fmt.Sprintf("repos/%s/%s/git/blobs/%s", c.Owner, c.Name, e.ID), nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "application/vnd.github.raw+json")
		resp, err := c.api.BareDo(ctx, req)
		if err != nil {
			return fmt.Errorf("reading a blob: %w", err)
		}
		defer resp.Body.Close()
		if err := copyBlob(w, resp); err != nil {
			return fmt.Errorf("reading a blob: %w", err)
		}
		return nil
	})
}

// copyBlob writes a blob as it comes: raw, or as JSON with base64 where a server does not know the raw form.
func copyBlob(w io.Writer, resp *github.Response) error {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		_, err := io.Copy(w, resp.Body)
		return err
	}
	return copyJSONBlob(w, resp.Body)
}

// copyJSONBlob finds the content in the JSON form of a blob.
func copyJSONBlob(w io.Writer, body io.Reader) error {
	var blob github.Blob
	data, err := io.ReadAll(io.LimitReader(body, maxJSONBlob))
	if err != nil {
		return err
	}
	if err := decodeJSON(data, &blob); err != nil || blob.Content == nil {
		_, err := w.Write(data) // a raw file that is JSON itself
		return err
	}
	if blob.GetEncoding() != "base64" {
		_, err := io.WriteString(w, blob.GetContent())
		return err
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(blob.GetContent(), "\n", ""))
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func (c *repoClient) Branch(ctx context.Context, name string) (string, error) {
	ref, _, err := c.api.Git.GetRef(ctx, c.Owner, c.Name, "heads/"+name)
	if err != nil {
		return "", fmt.Errorf("reading a branch: %w", err)
	}
	return ref.GetObject().GetSHA(), nil
}

// Reviews returns the last word of each person: a comment takes nothing back, a dismissal does.
func (c *repoClient) Reviews(ctx context.Context, number int) ([]Review, error) {
	last := map[string]Review{}
	var order []string
	err := pages(func(o *github.ListOptions) (*github.Response, error) {
		list, resp, err := c.api.PullRequests.ListReviews(ctx, c.Owner, c.Name, number, o)
		for _, r := range list {
			login := r.GetUser().GetLogin()
			if login == "" || !slices.Contains([]string{"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}, r.GetState()) {
				continue
			}
			if _, known := last[login]; !known {
				order = append(order, login)
			}
			last[login] = Review{Login: login, State: r.GetState(), CommitID: r.GetCommitID()}
		}
		return resp, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading reviews: %w", err)
	}
	var out []Review
	for _, login := range order {
		out = append(out, last[login])
	}
	return out, nil
}

func (c *repoClient) CanWrite(ctx context.Context, login string) (bool, error) {
	level, resp, err := c.api.Repositories.GetPermissionLevel(ctx, c.Owner, c.Name, login)
	if err != nil {
		if resp != nil && resp.StatusCode == http.StatusNotFound {
			return false, nil // no such collaborator
		}
		return false, fmt.Errorf("asking for a permission: %w", err)
	}
	return slices.Contains([]string{"admin", "maintain", "write"}, level.GetPermission()), nil
}

func (c *repoClient) CheckResults(ctx context.Context, sha string) ([]CheckResult, error) {
	var out []CheckResult
	err := pages(func(o *github.ListOptions) (*github.Response, error) {
		list, resp, err := c.api.Checks.ListCheckRunsForRef(ctx, c.Owner, c.Name, sha, &github.ListCheckRunsOptions{ListOptions: *o})
		if err != nil {
			return resp, err
		}
		for _, r := range list.CheckRuns {
			out = append(out, CheckResult{Name: r.GetName(), App: r.GetApp().GetID(), HeadSHA: r.GetHeadSHA(), Conclusion: r.GetConclusion()})
		}
		return resp, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading check runs: %w", err)
	}
	return out, nil
}
