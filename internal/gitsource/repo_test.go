package gitsource

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// opens checks that the checkout in dir gives README.md at a commit.
func opens(t *testing.T, dir, id string) {
	t.Helper()
	r := open(t, &gittest.Repo{Dir: dir})
	if data, err := fs.ReadFile(commit(t, r, id).FS(), "README.md"); err != nil || string(data) != "read me\n" {
		t.Errorf("%q, %v", data, err)
	}
	if head, ok, err := r.Head(); err != nil || !ok || head.ID() != id {
		t.Errorf("Head: %v, %v, %v", head, ok, err)
	}
}

func TestOpenLinkedWorkingTree(t *testing.T) {
	g := ordinary(t)
	first := g.ID("HEAD")
	g.Git("pack-refs", "--all")
	dir := filepath.Join(t.TempDir(), "linked")
	g.Git("worktree", "add", "-q", "-b", "other", dir)
	opens(t, dir, first)
	g.Git("worktree", "add", "-q", "--detach", dir+"2")
	opens(t, dir+"2", first)
}

func TestOpenSubmodule(t *testing.T) {
	sub := ordinary(t)
	g := gittest.New(t)
	g.Git("submodule", "add", "-q", sub.Dir, "sub")
	opens(t, filepath.Join(g.Dir, "sub"), sub.ID("HEAD"))
}

func TestOpenFollowsRelativeGitFile(t *testing.T) {
	g := ordinary(t)
	if err := os.Rename(filepath.Join(g.Dir, ".git"), filepath.Join(g.Dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	g.Write(".git", "gitdir: elsewhere\r\n")
	opens(t, g.Dir, strings.TrimSpace(string(readFile(t, filepath.Join(g.Dir, "elsewhere/refs/heads/main")))))
}

func TestOpenDoesNotMindTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	g := ordinary(t)
	id := g.ID("HEAD")
	err := filepath.WalkDir(g.Dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 1001, 1001))
	})
	if err != nil {
		t.Fatal(err)
	}
	opens(t, g.Dir, id)
}

func TestOpenBorrowsObjects(t *testing.T) {
	g := ordinary(t)
	dir := filepath.Join(t.TempDir(), "clone")
	g.Git("clone", "-q", "--shared", g.Dir, dir)
	opens(t, dir, g.ID("HEAD"))
}

func TestOpenKnowsExtensionsOfCheckouts(t *testing.T) {
	g := ordinary(t)
	c := g.Checkout(g.ID("HEAD"), 1, "--filter=blob:none")
	c.Git("sparse-checkout", "init", "--cone") // as the action's input sparse-checkout does
	c.Git("sparse-checkout", "set", "submissions")
	r := open(t, c)
	fsys := commit(t, r, g.ID("HEAD")).FS()
	if data, err := fs.ReadFile(fsys, "submissions/com.acme.fs/manifest.json"); err != nil || string(data) != "{}\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestOpenPaysNoHeedToConfiguration(t *testing.T) {
	for name, config := range map[string]string{
		"of actions/checkout": "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic x\n[includeIf \"gitdir:/github/workspace/.git\"]\n\tpath = /x\n",
		"hostile":             "[core]\n\tfsmonitor = touch planted\n\thooksPath = hooks\n\tworktree = /elsewhere\n[filter \"x\"]\n\tsmudge = touch planted\n",
		"not git's":           "[[[\n",
	} {
		g := ordinary(t)
		id := g.ID("HEAD")
		g.Write(".git/config", config)
		opens(t, g.Dir, id)
		if _, err := os.Stat(filepath.Join(g.Dir, "planted")); err == nil {
			t.Errorf("%s: a command was run", name)
		}
	}
}

func TestPartialCloneTellsWhatIsAbsent(t *testing.T) {
	g := ordinary(t)
	old := g.ID("HEAD")
	g.Write("README.md", "new\n")
	c := g.Checkout(g.Commit("second"), 2, "--filter=blob:none")
	fsys := commit(t, open(t, c), old).FS()
	for what, err := range map[string]error{
		"ReadFile": second(fs.ReadFile(fsys, "README.md")), "Stat": second(fs.Stat(fsys, "README.md")), "Open": second(fsys.Open("README.md")),
	} {
		if !errors.Is(err, ErrAbsent) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestComplete(t *testing.T) {
	g := ordinary(t)
	old := g.ID("HEAD")
	g.Write("README.md", "new\n")
	sub := gittest.New(t)
	sub.Commit("sub")
	g.Git("submodule", "add", "-q", sub.Dir, "vendor/sub")
	latest := g.Commit("second")
	for filter, want := range map[string]bool{"": true, "--filter=blob:none": false, "--filter=tree:0": false} {
		var args []string
		if filter != "" {
			args = append(args, filter)
		}
		r := open(t, g.Checkout(latest, 2, args...))
		if ok, err := commit(t, r, latest).Complete(t.Context()); !ok || err != nil {
			t.Errorf("%q: what is checked out: %v, %v", filter, ok, err)
		}
		if ok, err := commit(t, r, old).Complete(t.Context()); ok != want || err != nil {
			t.Errorf("%q: what was before: %v, %v", filter, ok, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestShallow(t *testing.T) {
	g := ordinary(t)
	first := g.ID("HEAD")
	latest := g.Commit("second")
	cut := open(t, g.Checkout(latest, 1))
	if c := commit(t, cut, latest); len(c.Parents()) != 1 || c.Parents()[0] != first {
		t.Errorf("parents %v", c.Parents())
	}
	if c, ok, err := cut.Commit(first); c != nil || ok || err != nil {
		t.Errorf("beyond the cut: %v, %v, %v", c, ok, err)
	}
}

func TestCommitIDs(t *testing.T) {
	g := ordinary(t)
	id := g.ID("HEAD")
	g.Git("tag", "-a", "-m", "tag", "v1")
	g.Git("tag", "-a", "-m", "tag of a tag", "v1.0", "v1")
	r := open(t, g)
	for _, name := range []string{id, strings.ToUpper(id), g.ID("v1"), g.ID("v1.0")} {
		if c := commit(t, r, name); c.ID() != id {
			t.Errorf("%s: %s", name, c.ID())
		}
	}
	for _, bad := range []string{"", "HEAD", id[:39], id + "0", strings.Repeat("g", 40), strings.Repeat("a", 64), "../../" + id[6:], g.ID("HEAD^{tree}")} {
		if c, ok, err := r.Commit(bad); err == nil {
			t.Errorf("%q: %v, %v", bad, c, ok)
		}
	}
	if _, ok, err := r.Commit(strings.Repeat("0", 40)); ok || err != nil {
		t.Errorf("zeros: %v, %v", ok, err)
	}
}

func TestHeadBeforeTheFirstCommit(t *testing.T) {
	if c, ok, err := open(t, gittest.New(t)).Head(); c != nil || ok || err != nil {
		t.Errorf("%v, %v, %v", c, ok, err)
	}
}

func TestOpenFailsClearly(t *testing.T) {
	sha256 := t.TempDir()
	gittest.New(t).Git("init", "-q", "--object-format=sha256", sha256)
	dangling, empty := t.TempDir(), t.TempDir()
	for file, content := range map[string]string{
		filepath.Join(dangling, ".git"): "gitdir: /nowhere/at/all\n",
		filepath.Join(empty, ".git"):    "\n",
	} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		t.TempDir(): "no git repository in",
		sha256:      "only SHA-1 is supported",
		dangling:    "which is not there",
		empty:       "does not name one",
	} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("%v is not ErrNoRepository", err)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
