package bot

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/githubapp"
	"github.com/azphalt/submissions/internal/paging"
)

// maxJSONBlob bounds a blob in its JSON form, which has to be held in memory.
const maxJSONBlob = 64 << 20

// decodeJSON reads an answer of GitHub's.
func decodeJSON(data []byte, into any) error {
	return json.NewDecoder(bytes.NewReader(data)).Decode(into)
}

func (c *repoClient) checks() *checkrun.Publisher { return &checkrun.Publisher{Client: c.api} }

func (c *repoClient) FindCheck(ctx context.Context, sha, externalID string) (int64, int, error) {
	name, latest, app := githubapp.CheckName, "all", c.app.ID
	for r, err := range c.checkRuns(ctx, sha, github.ListCheckRunsOptions{CheckName: &name, Filter: &latest, AppID: &app}) {
		if err != nil {
			return 0, 0, fmt.Errorf("looking for the check run: %w", err)
		}
		if r.GetExternalID() == externalID && r.GetApp().GetID() == c.app.ID {
			return r.GetID(), r.GetOutput().GetAnnotationsCount(), nil
		}
	}
	return 0, 0, nil
}

func (c *repoClient) StartCheck(ctx context.Context, r checkrun.Run) (int64, error) {
	r.Owner, r.Repo = c.Owner, c.Name
	return c.checks().Start(ctx, r)
}

func (c *repoClient) CompleteCheck(ctx context.Context, id int64, r checkrun.Run) error {
	r.Owner, r.Repo = c.Owner, c.Name
	return c.checks().Complete(ctx, id, r)
}

func (c *repoClient) FindComment(ctx context.Context, number int, marker string) (int64, error) {
	own := c.app.Slug(ctx)
	for k, err := range paging.Items(func(o *github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
		return c.api.Issues.ListComments(ctx, c.Owner, c.Name, number, &github.IssueListCommentsOptions{ListOptions: *o})
	}) {
		if err != nil {
			return 0, err
		}
		by := k.GetUser()
		if strings.Contains(k.GetBody(), marker) && by.GetType() == "Bot" && (own == "" || by.GetLogin() == own+"[bot]") {
			return k.GetID(), nil
		}
	}
	return 0, nil
}

func (c *repoClient) Comment(ctx context.Context, number int, body string) (int64, error) {
	k, _, err := c.api.Issues.CreateComment(ctx, c.Owner, c.Name, number, &github.IssueComment{Body: &body})
	return k.GetID(), err
}

func (c *repoClient) EditComment(ctx context.Context, id int64, body string) error {
	_, _, err := c.api.Issues.EditComment(ctx, c.Owner, c.Name, id, &github.IssueComment{Body: &body})
	return err
}

func (c *repoClient) Suggest(ctx context.Context, number int, commit, body string, suggestions []Suggestion) error {
	review := &github.PullRequestReviewRequest{CommitID: &commit, Event: github.String("COMMENT"), Body: &body}
	for _, s := range suggestions {
		k := &github.DraftReviewComment{Path: &s.Path, Body: &s.Body, Line: &s.LastLine, Side: github.String("RIGHT")}
		if s.Line < s.LastLine {
			k.StartLine, k.StartSide = &s.Line, github.String("RIGHT")
		}
		review.Comments = append(review.Comments, k)
	}
	_, _, err := c.api.PullRequests.CreateReview(ctx, c.Owner, c.Name, number, review)
	return err
}

func (c *repoClient) FileComment(ctx context.Context, number int, commit, path, body string) (int64, error) {
	k, _, err := c.api.PullRequests.CreateComment(ctx, c.Owner, c.Name, number,
		&github.PullRequestComment{CommitID: &commit, Path: &path, Body: &body, SubjectType: github.String("file")})
	return k.GetID(), err
}

func (c *repoClient) EditFileComment(ctx context.Context, id int64, body string) error {
	_, _, err := c.api.PullRequests.EditComment(ctx, c.Owner, c.Name, id, &github.PullRequestComment{Body: &body})
	return err
}

func (c *repoClient) CreateBlob(ctx context.Context, content []byte) (string, error) {
	b, _, err := c.api.Git.CreateBlob(ctx, c.Owner, c.Name, &github.Blob{Content: github.String(base64.StdEncoding.EncodeToString(content)), Encoding: github.String("base64")})
	if err != nil {
		return "", fmt.Errorf("writing a blob: %w", err)
	}
	return b.GetSHA(), nil
}

func (c *repoClient) CreateTree(ctx context.Context, base string, entries []NewEntry) (string, error) {
	var list []*github.TreeEntry
	for _, e := range entries {
		t := &github.TreeEntry{Path: &e.Path, Mode: &e.Mode, Type: github.String("blob"), Content: e.Content}
		if e.Blob != "" {
			t.SHA = &e.Blob
		}
		list = append(list, t)
	}
	t, _, err := c.api.Git.CreateTree(ctx, c.Owner, c.Name, base, list)
	if err != nil {
		return "", fmt.Errorf("writing a tree: %w", err)
	}
	c.keep(ctx, base, entries, t.GetSHA())
	return t.GetSHA(), nil
}

// keep puts a tree that was just written into the cache, with the texts that it brought, so that nobody asks for them. It
// does so only where git's rules give just this id to what was sent.
func (c *repoClient) keep(ctx context.Context, base string, entries []NewEntry, id string) {
	from := &Tree{Files: map[string]Entry{}}
	if base != "" {
		var known bool
		if from, known = c.app.Cache.knownTree(c.objectKey(base)); !known {
			return
		}
	}
	made, ok := from.with(entries)
	if !ok || made.ID != id {
		return
	}
	for _, e := range made.Files {
		if e.Size < 0 { // one and the same file must not have two sizes
			return
		}
	}
	c.app.Cache.addTree(c.objectKey(id), made)
	for _, n := range entries {
		if n.Content == nil {
			continue
		}
		blob, err := c.app.Cache.blob(ctx, c.FullName(), made.Files[n.Path], func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, *n.Content)
			return err
		})
		if err != nil {
			return // it will be read like any other
		}
		blob.Close()
	}
}

func (c *repoClient) CreateCommit(ctx context.Context, k NewCommit) (string, error) {
	commit := &github.Commit{Message: &k.Message, Tree: &github.Tree{SHA: &k.Tree}}
	for _, p := range k.Parents {
		commit.Parents = append(commit.Parents, &github.Commit{SHA: &p})
	}
	made, _, err := c.api.Git.CreateCommit(ctx, c.Owner, c.Name, commit, nil)
	if err != nil {
		return "", fmt.Errorf("writing a commit: %w", err)
	}
	c.app.Cache.addCommit(c.objectKey(made.GetSHA()), Commit{SHA: made.GetSHA(), Tree: k.Tree, Parents: k.Parents})
	return made.GetSHA(), nil
}

func reference(name, sha string) *github.Reference {
	return &github.Reference{Ref: github.String("refs/heads/" + name), Object: &github.GitObject{SHA: &sha}}
}

func (c *repoClient) CreateBranch(ctx context.Context, name, sha string) error {
	_, _, err := c.api.Git.CreateRef(ctx, c.Owner, c.Name, reference(name, sha))
	return err
}

func (c *repoClient) UpdateBranch(ctx context.Context, name, sha string) error {
	_, _, err := c.api.Git.UpdateRef(ctx, c.Owner, c.Name, reference(name, sha), false)
	return err
}

func (c *repoClient) DeleteBranch(ctx context.Context, name string) error {
	_, err := c.api.Git.DeleteRef(ctx, c.Owner, c.Name, "heads/"+name)
	return err
}

func (c *repoClient) MergePull(ctx context.Context, number int, head, method string) (string, error) {
	r, _, err := c.api.PullRequests.Merge(ctx, c.Owner, c.Name, number, "", &github.PullRequestOptions{SHA: head, MergeMethod: method})
	if err != nil {
		return "", err
	}
	return r.GetSHA(), nil
}
