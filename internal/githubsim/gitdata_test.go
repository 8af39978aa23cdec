package githubsim_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/azphalt/submissions/internal/githubsim"
)

func blobID(content string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
}

func TestBlobs(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	for what, content := range map[string]string{"empty": "", "text": "hello\n", "bytes": "\x00\xff\xfe\r\n", "long": strings.Repeat("0123456789", 50_000)} {
		made, _, err := w.api.Git.CreateBlob(ctx, owner, name, &github.Blob{
			Content: github.String(base64.StdEncoding.EncodeToString([]byte(content))), Encoding: github.String("base64"),
		})
		must(t, err)
		eq(t, what+": id", made.GetSHA(), blobID(content))
		raw, _, err := w.api.Git.GetBlobRaw(ctx, owner, name, made.GetSHA())
		must(t, err)
		eq(t, what+": raw", string(raw), content)
		got, _, err := w.api.Git.GetBlob(ctx, owner, name, made.GetSHA())
		must(t, err)
		eq(t, what+": size", got.GetSize(), len(content))
		decoded, err := base64.StdEncoding.DecodeString(got.GetContent()) // skips line feeds
		must(t, err)
		eq(t, what+": content", string(decoded), content)
		for l := range strings.SplitSeq(got.GetContent(), "\n") {
			if len(l) > 60 {
				t.Errorf("%s: a line of %d characters", what, len(l))
			}
		}
	}
	plain, _, err := w.api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("grün"), Encoding: github.String("utf-8")})
	must(t, err)
	eq(t, "utf-8", plain.GetSHA(), blobID("grün"))

	_, _, err = w.api.Git.GetBlob(ctx, owner, name, blobID("never stored"))
	refused(t, err, 404)
	_, _, err = w.api.Git.GetBlob(ctx, owner, name, w.repo.Ref("main"))
	refused(t, err, 404) // a commit is no blob
	_, _, err = w.api.Git.GetBlob(ctx, owner, name, "main")
	refused(t, err, 422)
	_, _, err = w.api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("!"), Encoding: github.String("base64")})
	refused(t, err, 422)
	_, _, err = w.api.Git.CreateBlob(ctx, owner, name, &github.Blob{Content: github.String("!"), Encoding: github.String("rot13")})
	refused(t, err, 422)
	w.ClearViolations()
}

func TestTreesAreReadByIDCommitAndBranch(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"a/b/c.txt": "c", "a/run": "#!", "link": "a/run"}, Modes: map[string]string{"a/run": "100755", "link": "120000"}})
	commit := w.repo.Ref("main")
	flat, _, err := w.api.Git.GetTree(ctx, owner, name, "main", false)
	must(t, err)
	byCommit, _, err := w.api.Git.GetTree(ctx, owner, name, commit, false)
	must(t, err)
	byID, _, err := w.api.Git.GetTree(ctx, owner, name, flat.GetSHA(), false)
	must(t, err)
	eq(t, "tree of the commit", byCommit.GetSHA(), flat.GetSHA())
	eq(t, "tree by its id", byID.GetSHA(), flat.GetSHA())
	eq(t, "tree as git has it", flat.GetSHA(), strings.TrimSpace(git(t, w.repo, "rev-parse", "main^{tree}")))

	var lines []string
	deep, _, err := w.api.Git.GetTree(ctx, owner, name, "main", true)
	must(t, err)
	for _, e := range deep.Entries {
		lines = append(lines, fmt.Sprintf("%s %s %s\t%s", e.GetMode(), e.GetType(), e.GetSHA(), e.GetPath()))
	}
	eq(t, "recursive tree", strings.Join(lines, "\n"), strings.TrimSpace(git(t, w.repo, "ls-tree", "-r", "-t", "main")))
	eq(t, "truncated", deep.GetTruncated(), false)

	_, _, err = w.api.Git.GetTree(ctx, owner, name, "nothing", false)
	refused(t, err, 404)
}

func TestALargeTreeIsTruncated(t *testing.T) {
	w := newWorld(t, githubsim.Options{TreeLimit: 3})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"a/1": "1", "a/2": "2", "b/1": "1"}})
	tree, _, err := w.api.Git.GetTree(ctx, owner, name, "main", true)
	must(t, err)
	if !tree.GetTruncated() || len(tree.Entries) != 3 {
		t.Errorf("got %d entries, truncated %v", len(tree.Entries), tree.GetTruncated())
	}
}

func entry(path, mode, content string) *github.TreeEntry {
	return &github.TreeEntry{Path: &path, Mode: &mode, Type: github.String("blob"), Content: &content}
}

func TestTreesAreLaidOverABase(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"a/b/c": "c", "a/d": "d", "e": "e"}})
	base := w.repo.Ref("main") // a commit will do, too
	made, _, err := w.api.Git.CreateTree(ctx, owner, name, base, []*github.TreeEntry{
		entry("a/d", "100755", "changed"),
		entry("x/y/z", "100644", "new"),
		{Path: github.String("a/b/c"), Mode: github.String("100644"), Type: github.String("blob")}, // deletes
		{Path: github.String("copy"), Mode: github.String("040000"), Type: github.String("tree"), SHA: github.String(treeAt(t, w, "main", "a"))},
	})
	must(t, err)
	deep, _, err := w.api.Git.GetTree(ctx, owner, name, made.GetSHA(), true)
	must(t, err)
	var paths []string
	for _, e := range deep.Entries {
		if e.GetType() == "blob" {
			paths = append(paths, e.GetPath())
		}
	}
	eq(t, "files", strings.Join(paths, " "), "README.md a/d copy/b/c copy/d e submissions/.keep x/y/z")

	alone, _, err := w.api.Git.CreateTree(ctx, owner, name, "", []*github.TreeEntry{entry("only", "100644", "x")})
	must(t, err)
	eq(t, "without a base", len(alone.Entries), 1)
}

func treeAt(t *testing.T, w *world, ref, path string) string {
	t.Helper()
	tree, _, err := w.api.Git.GetTree(ctx, owner, name, ref, true)
	must(t, err)
	for _, e := range tree.Entries {
		if e.GetPath() == path {
			return e.GetSHA()
		}
	}
	t.Fatalf("nothing at %s", path)
	return ""
}

func TestCommitsAreMadeAndRead(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	tree, _, err := w.api.Git.CreateTree(ctx, owner, name, w.repo.Ref("main"), []*github.TreeEntry{entry("new", "100644", "x")})
	must(t, err)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone("", 2*3600))
	parent := &github.Commit{SHA: github.String(w.repo.Ref("main"))}
	made, _, err := w.api.Git.CreateCommit(ctx, owner, name, &github.Commit{
		Message: github.String("one\n\ntwo"), Tree: tree, Parents: []*github.Commit{parent},
		Author: &github.CommitAuthor{Name: github.String("A"), Email: github.String("a@b.example"), Date: &github.Timestamp{Time: at}},
	}, nil)
	must(t, err)
	got, _, err := w.api.Git.GetCommit(ctx, owner, name, made.GetSHA())
	must(t, err)
	eq(t, "message", got.GetMessage(), "one\n\ntwo")
	eq(t, "author", got.GetAuthor().GetEmail(), "a@b.example")
	eq(t, "date", got.GetAuthor().GetDate().Time.Equal(at), true)
	eq(t, "committer is the author", got.GetCommitter().GetName(), "A")
	eq(t, "signed", got.GetVerification().GetVerified(), false)
	eq(t, "raw", strings.Contains(git(t, w.repo, "cat-file", "-p", made.GetSHA()), "author A <a@b.example> 1770084306 +0200"), true)

	own, _, err := w.api.Git.CreateCommit(ctx, owner, name, &github.Commit{Message: github.String("by the bot"), Tree: tree, Parents: []*github.Commit{parent, made}}, nil)
	must(t, err)
	eq(t, "author", own.GetAuthor().GetName(), "azp-gate[bot]")
	eq(t, "signed by GitHub", own.GetVerification().GetVerified(), true)
	eq(t, "parents", len(own.Parents), 2)
	_, _, err = w.api.Git.GetCommit(ctx, owner, name, tree.GetSHA())
	refused(t, err, 404)
}

func TestRefs(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	first := w.repo.Ref("main")
	second := w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"a": "1"}})
	side := w.repo.Commit("side", githubsim.Change{Files: githubsim.Files{"a": "2"}, Parents: []string{first}})
	ref := func(name, sha string) *github.Reference {
		return &github.Reference{Ref: &name, Object: &github.GitObject{SHA: &sha}}
	}
	_, _, err := w.api.Git.CreateRef(ctx, owner, name, ref("refs/heads/feature/x", first))
	must(t, err)
	got, _, err := w.api.Git.GetRef(ctx, owner, name, "heads/feature/x")
	must(t, err)
	eq(t, "ref", got.GetObject().GetSHA(), first)
	_, _, err = w.api.Git.UpdateRef(ctx, owner, name, ref("heads/feature/x", second), false)
	must(t, err)
	_, _, err = w.api.Git.UpdateRef(ctx, owner, name, ref("heads/feature/x", side), false)
	eq(t, "message", refused(t, err, 422).Message, "Update is not a fast forward")
	eq(t, "unmoved", w.repo.Ref("feature/x"), second)
	_, _, err = w.api.Git.UpdateRef(ctx, owner, name, ref("heads/feature/x", side), true)
	must(t, err)
	eq(t, "as git has it", strings.TrimSpace(git(t, w.repo, "rev-parse", "feature/x")), side)
	matching, _, err := w.api.Git.ListMatchingRefs(ctx, owner, name, &github.ReferenceListOptions{Ref: "heads/"})
	must(t, err)
	eq(t, "matching", len(matching), 3)
	_, err = w.api.Git.DeleteRef(ctx, owner, name, "heads/feature/x")
	must(t, err)
	_, _, err = w.api.Git.GetRef(ctx, owner, name, "heads/feature/x")
	refused(t, err, 404)
	_, _, err = w.api.Git.CreateRef(ctx, owner, name, ref("refs/tags/v1", first))
	must(t, err)
}

func TestOneNetworkSharesObjects(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	fork := w.Fork(w.repo, "contributor")
	sha := fork.Commit("main", githubsim.Change{Files: githubsim.Files{"secret": "from the fork"}})
	c, _, err := w.api.Git.GetCommit(ctx, owner, name, sha)
	must(t, err)
	eq(t, "the fork's commit read through its parent", c.GetSHA(), sha)
	raw, _, err := w.api.Git.GetBlobRaw(ctx, owner, name, blobID("from the fork"))
	must(t, err)
	eq(t, "blob", string(raw), "from the fork")
	eq(t, "branch of the parent", w.repo.Ref("main") != sha, true)
	fsck(t, fork)
}

func TestCommitsAndComparisons(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	base := w.repo.Ref("main")
	for i := range 3 {
		w.repo.Commit("feature/one", githubsim.Change{Files: githubsim.Files{"f": strings.Repeat("x\n", i+1)}, Message: fmt.Sprintf("number %d", i)})
	}
	ahead := w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"README.md": "changed\n"}, Author: "maintainer"})

	list, _, err := w.api.Repositories.ListCommits(ctx, owner, name, &github.CommitsListOptions{SHA: "feature/one"})
	must(t, err)
	eq(t, "commits", len(list), 4)
	eq(t, "newest first", list[0].GetCommit().GetMessage(), "number 2")
	eq(t, "author", list[0].GetAuthor().GetLogin(), "contributor")

	one, _, err := w.api.Repositories.GetCommit(ctx, owner, name, "main", nil)
	must(t, err)
	if one.GetSHA() != ahead || one.GetStats().GetTotal() != 2 || len(one.Files) != 1 || one.Files[0].GetPatch() != "@@ -1 +1 @@\n-hello\n+changed" {
		t.Errorf("commit: %v", one)
	}
	root, _, err := w.api.Repositories.GetCommit(ctx, owner, name, base, nil)
	must(t, err)
	eq(t, "files of the first commit", len(root.Files), 2)
	_, _, err = w.api.Repositories.GetCommit(ctx, owner, name, "nothing", nil)
	refused(t, err, 422)

	diff, _, err := w.api.Repositories.CompareCommits(ctx, owner, name, "main", "feature/one", nil)
	must(t, err)
	if diff.GetStatus() != "diverged" || diff.GetAheadBy() != 3 || diff.GetBehindBy() != 1 || diff.GetMergeBaseCommit().GetSHA() != base || len(diff.Files) != 1 || len(diff.Commits) != 3 {
		t.Errorf("comparison: %v", diff)
	}
	eq(t, "merge base as git has it", diff.GetMergeBaseCommit().GetSHA(), strings.TrimSpace(git(t, w.repo, "merge-base", "main", "feature/one")))
	for basehead, want := range map[[2]string]string{{base, "main"}: "ahead", {"main", base}: "behind", {"main", "main"}: "identical"} {
		diff, _, err := w.api.Repositories.CompareCommits(ctx, owner, name, basehead[0], basehead[1], nil)
		must(t, err)
		eq(t, want, diff.GetStatus(), want)
	}
	page, resp, err := w.api.Repositories.CompareCommits(ctx, owner, name, "main", "feature/one", &github.ListOptions{Page: 2, PerPage: 2})
	must(t, err)
	if len(page.Commits) != 1 || len(page.Files) != 0 || resp.PrevPage != 1 || page.GetTotalCommits() != 3 {
		t.Errorf("second page: %v", page)
	}
	fork := w.Fork(w.repo, "contributor")
	fork.Commit("main", githubsim.Change{Files: githubsim.Files{"n": "n"}})
	cross, _, err := w.api.Repositories.CompareCommits(ctx, owner, name, "main", "contributor:main", nil)
	must(t, err)
	eq(t, "across forks", cross.GetAheadBy(), 1)
	_, _, err = w.api.Repositories.CompareCommits(ctx, owner, name, "main", "nobody:main", nil)
	refused(t, err, 404)
	_, _, err = w.api.Repositories.CompareCommits(ctx, owner, name, "main", "nothing", nil)
	refused(t, err, 404)
}

func TestContents(t *testing.T) {
	w := newWorld(t, githubsim.Options{})
	large := strings.Repeat("large\n", 200_000)
	w.repo.Commit("main", githubsim.Change{
		Files: githubsim.Files{"odd/a b%,:é.txt": "odd", "large": large, "link": "README.md"}, Modes: map[string]string{"link": "120000"},
	})
	get := func(path string) (*github.RepositoryContent, []*github.RepositoryContent) {
		file, dir, _, err := w.api.Repositories.GetContents(ctx, owner, name, path, nil)
		must(t, err)
		return file, dir
	}
	file, _ := get("README.md")
	text, err := file.GetContent()
	must(t, err)
	eq(t, "content", text, "hello\n")
	_, dir := get("")
	eq(t, "root", len(dir), 5)
	_, dir = get("odd")
	eq(t, "folder", dir[0].GetPath(), "odd/a b%,:é.txt")
	file, _ = get("odd/a b%,:é.txt")
	eq(t, "odd name", file.GetPath(), "odd/a b%,:é.txt")
	file, _ = get("link")
	eq(t, "link", file.GetType()+" "+file.GetTarget(), "symlink README.md")
	file, _ = get("large")
	eq(t, "large", file.GetEncoding()+file.GetSHA(), "none"+blobID(large))

	req, err := http.NewRequest(http.MethodGet, w.URL()+"/repos/acme/registry/contents/large?ref=main", nil)
	must(t, err)
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	eq(t, "raw", bytes.Equal(raw, []byte(large)), true)

	_, _, _, err = w.api.Repositories.GetContents(ctx, owner, name, "nothing", nil)
	refused(t, err, 404)
	_, _, _, err = w.api.Repositories.GetContents(ctx, owner, name, "README.md", &github.RepositoryContentGetOptions{Ref: "nothing"})
	refused(t, err, 404)
}
