package bot

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/paging"
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
		Open: p.GetState() == "open", Merged: p.GetMerged() || p.MergedAt != nil, Draft: p.GetDraft(),
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
	for p, err := range paging.Items(func(o *github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.api.PullRequests.List(ctx, c.Owner, c.Name, &github.PullRequestListOptions{State: "open", ListOptions: *o})
	}) {
		if err != nil {
			return all, err
		}
		all = append(all, pullOf(p))
	}
	return all, nil
}

func (c *repoClient) Tree(ctx context.Context, id string) (*Tree, error) {
	if t, known := c.app.Cache.knownTree(c.objectKey(id)); known {
		return t, nil
	}
	t := &Tree{ID: id, Files: map[string]Entry{}}
	if err := c.walk(ctx, t, id, "", true); err != nil {
		return nil, err
	}
	c.app.Cache.addTree(c.objectKey(id), t)
	return t, nil
}

// TreeOf asks by the commit's own id, which GitHub takes for its tree's; that one is worked out from what is in the tree. The
// commit is asked for where a server does not do so, or has nothing to show.
func (c *repoClient) TreeOf(ctx context.Context, commit string) (*Tree, error) {
	key := c.objectKey(commit)
	if t, known := c.app.Cache.knownTree(key); known {
		return t, nil
	}
	if _, known := c.app.Cache.knownCommit(key); !known {
		t := &Tree{Files: map[string]Entry{}}
		err := c.walk(ctx, t, commit, "", true)
		if err != nil && !absent(err) && Status(err) != http.StatusUnprocessableEntity {
			return nil, err
		}
		if id, told := treeID(t.Files); err == nil && told && len(t.Files) > 0 {
			t.ID = id
			c.app.Cache.addTree(key, t)
			c.app.Cache.addTree(c.objectKey(id), t)
			return t, nil
		}
	}
	k, err := c.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	return c.Tree(ctx, k.Tree)
}

// TreeWithout takes the files out and compares ids: a tree that has the id is the one, whoever named the files.
func (c *repoClient) TreeWithout(ctx context.Context, id string, other *Tree, paths []string) (*Tree, error) {
	if _, known := c.app.Cache.knownTree(c.objectKey(id)); !known && len(paths) > 0 {
		out := make([]NewEntry, len(paths))
		for i, p := range paths {
			out[i].Path = p
		}
		if t, ok := other.with(out); ok && t.ID == id {
			c.app.Cache.addTree(c.objectKey(id), t)
			return t, nil
		}
	}
	return c.Tree(ctx, id)
}

func (c *repoClient) objectKey(id string) string { return c.FullName() + " " + id }

// walk enters a tree below a prefix: with one request where GitHub gives all of it, else folder by folder.
func (c *repoClient) walk(ctx context.Context, into *Tree, id, prefix string, recursive bool) error {
	t, _, err := c.api.Git.GetTree(ctx, c.Owner, c.Name, id, recursive)
	if err != nil {
		return fmt.Errorf("reading a tree: %w", err)
	}
	if t.GetTruncated() {
		if !recursive {
			return fmt.Errorf("%w: a folder has more files than GitHub shows", errUnfit)
		}
		return c.walk(ctx, into, id, prefix, false)
	}
	deep := deepFolders(t.Entries)
	for _, e := range t.Entries {
		name := prefix + e.GetPath()
		switch {
		case e.GetType() != "tree":
			into.Files[name] = entryOf(e)
		case !recursive || !deep[e.GetPath()]:
			if err := c.walk(ctx, into, e.GetSHA(), name+"/", true); err != nil {
				return err
			}
		}
		if len(into.Files) > maxTreeFiles {
			return fmt.Errorf("%w: the repository has more than %d files", errUnfit, maxTreeFiles)
		}
	}
	return nil
}

func entryOf(e *github.TreeEntry) Entry {
	if e.Size == nil && e.GetType() == "blob" {
		return Entry{ID: e.GetSHA(), Mode: e.GetMode(), Size: -1}
	}
	return Entry{ID: e.GetSHA(), Mode: e.GetMode(), Size: int64(e.GetSize())}
}

// deepFolders returns the folders of a list that has something below them, which a server that lists one level has not.
func deepFolders(entries []*github.TreeEntry) map[string]bool {
	deep := map[string]bool{}
	for _, e := range entries {
		for dir := path.Dir(e.GetPath()); dir != "." && !deep[dir]; dir = path.Dir(dir) {
			deep[dir] = true
		}
	}
	return deep
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
		if err := copyBlob(w, resp, e); err != nil {
			return fmt.Errorf("reading a blob: %w", err)
		}
		return nil
	})
}

// copyBlob writes a blob as it comes: raw, or as JSON with base64 where a server does not know the raw form.
func copyBlob(w io.Writer, resp *github.Response, e Entry) error {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		_, err := io.Copy(w, resp.Body)
		return err
	}
	return copyJSONBlob(w, resp.Body, e)
}

// copyJSONBlob finds the content in the JSON form of a blob.
func copyJSONBlob(w io.Writer, body io.Reader, e Entry) error {
	var blob github.Blob
	data, err := io.ReadAll(io.LimitReader(body, maxJSONBlob))
	if err != nil {
		return err
	}
	if objectID("blob", data) == e.ID {
		_, err := w.Write(data) // a raw file that is JSON itself
		return err
	}
	if err := decodeJSON(data, &blob); err != nil {
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

func (c *repoClient) Home(ctx context.Context) (branch string, private bool, err error) {
	r, _, err := c.api.Repositories.Get(ctx, c.Owner, c.Name)
	if err != nil {
		return "", false, fmt.Errorf("reading the repository: %w", err)
	}
	return r.GetDefaultBranch(), r.GetPrivate(), nil
}

// Reviews returns the last word of each person: a comment takes nothing back, a dismissal does.
func (c *repoClient) Reviews(ctx context.Context, number int) ([]Review, error) {
	last := map[string]Review{}
	var order []string
	for r, err := range paging.Items(func(o *github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
		return c.api.PullRequests.ListReviews(ctx, c.Owner, c.Name, number, o)
	}) {
		if err != nil {
			return nil, fmt.Errorf("reading reviews: %w", err)
		}
		login, state := r.GetUser().GetLogin(), strings.ToUpper(r.GetState())
		if login == "" || !slices.Contains([]string{"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}, state) {
			continue
		}
		if _, known := last[login]; !known {
			order = append(order, login)
		}
		last[login] = Review{Login: login, State: state, CommitID: r.GetCommitID(), OwnsRepo: r.GetAuthorAssociation() == "OWNER"}
	}
	var out []Review
	for _, login := range order {
		out = append(out, last[login])
	}
	return out, nil
}

func (c *repoClient) CanWrite(ctx context.Context, login string) (bool, error) {
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, c.Owner, c.Name, login)
	if err != nil {
		return false, fmt.Errorf("asking for a permission: %w", err)
	}
	return slices.Contains([]string{"admin", "maintain", "write"}, level.GetPermission()), nil
}

func (c *repoClient) CheckResults(ctx context.Context, sha string) ([]CheckResult, error) {
	var out []CheckResult
	for r, err := range c.checkRuns(ctx, sha, github.ListCheckRunsOptions{}) {
		if err != nil {
			return nil, fmt.Errorf("reading check runs: %w", err)
		}
		out = append(out, CheckResult{Name: r.GetName(), App: r.GetApp().GetID(), HeadSHA: r.GetHeadSHA(), Conclusion: r.GetConclusion()})
	}
	return out, nil
}

// checkRuns lists those check runs of a commit that the options name.
func (c *repoClient) checkRuns(ctx context.Context, sha string, which github.ListCheckRunsOptions) iter.Seq2[*github.CheckRun, error] {
	return paging.Items(func(o *github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		which.ListOptions = *o
		list, resp, err := c.api.Checks.ListCheckRunsForRef(ctx, c.Owner, c.Name, sha, &which)
		if err != nil {
			return nil, resp, err
		}
		return list.CheckRuns, resp, nil
	})
}
