package gitsource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// show writes changes in git's way, one letter and the path a line.
func show(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s\t%s\n", map[Kind]string{Added: "A", Deleted: "D", Modified: "M", TypeChanged: "T"}[c.Kind], c.Path)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// gitsView is the same comparison by git.
func gitsView(g *gittest.Repo, base, head string) string {
	return g.Git("-c", "core.quotePath=false", "diff-tree", "-r", "--no-renames", "--name-status", base, head)
}

func TestChangedIsGitsDiffTree(t *testing.T) {
	g := ordinary(t)
	g.Write("old/a/1", "same\n")
	g.Write("old/a/2", "same\n")
	g.Write("gone/deep/er/file", "x\n")
	g.Write("was-file", "x\n")
	g.Write("was-folder/x", "x\n")
	g.Write("was-folder.txt", "between the two\n")
	g.Write("was-link-to-be", "x\n")
	base := g.Commit("base")

	g.Git("mv", "old", "renamed")
	g.Git("mv", "renamed/a/2", "submissions/com.acme.fs/2")
	g.Git("rm", "-rq", "gone", "was-file", "was-folder", "was-link-to-be", "passwd")
	g.Write("was-file/now/folder", "x\n")
	g.Write("was-folder", "x\n")
	g.Write("submissions/com.acme.fs/manifest.json", "{ }\n")
	g.Write("passwd", "x\n")
	g.Write("a\tname\nwith \"everything\"", "x\n")
	for _, err := range []error{
		os.Symlink("README.md", filepath.Join(g.Dir, "was-link-to-be")),
		os.Chmod(filepath.Join(g.Dir, "README.md"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sub := gittest.New(t)
	sub.Commit("sub")
	g.Git("submodule", "add", "-q", sub.Dir, "vendor/sub")
	head := g.Commit("head")

	want := strings.ReplaceAll(gitsView(g, base, head), `"a\tname\nwith \"everything\""`, "a\tname\nwith \"everything\"")
	for name, arrange := range layouts {
		t.Run(name, func(t *testing.T) {
			arrange(g)
			r := open(t, g)
			changes, err := Changed(context.Background(), commit(t, r, base), commit(t, r, head))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(changes); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			back, err := Changed(context.Background(), commit(t, r, head), commit(t, r, base))
			if err != nil || len(back) != len(changes) {
				t.Errorf("backwards: %d changes, want %d, %v", len(back), len(changes), err)
			}
			same, err := Changed(context.Background(), commit(t, r, head), commit(t, r, head))
			if err != nil || len(same) != 0 {
				t.Errorf("with itself: %v, %v", same, err)
			}
		})
	}
}

func TestChangedReadsOnlyWhatDiffers(t *testing.T) {
	g := ordinary(t)
	g.Write("elsewhere/x", "x\n")
	base := g.Commit("base")
	g.Write("submissions/com.acme.fs/manifest.json", "{ }\n")
	head := g.Commit("head")
	tree := g.ID("HEAD:elsewhere")
	if err := os.Remove(filepath.Join(g.Dir, ".git/objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	r := open(t, g)
	changes, err := Changed(context.Background(), commit(t, r, base), commit(t, r, head))
	if show(changes) != "M\tsubmissions/com.acme.fs/manifest.json" || err != nil {
		t.Errorf("%v, %v", changes, err)
	}
}

func TestChangedTellsWhatIsAbsent(t *testing.T) {
	g := ordinary(t)
	base := g.ID("HEAD")
	g.Write("submissions/new", "x\n")
	head := g.Commit("head")
	tree := g.ID(base + ":submissions")
	if err := os.Remove(filepath.Join(g.Dir, ".git/objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	r := open(t, g)
	if changes, err := Changed(context.Background(), commit(t, r, base), commit(t, r, head)); !errors.Is(err, ErrAbsent) {
		t.Errorf("%v, %v", changes, err)
	}
}

func TestChangedStopsWhenTold(t *testing.T) {
	g := ordinary(t)
	base := g.ID("HEAD")
	g.Write("x", "x\n")
	head := g.Commit("head")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := open(t, g)
	if changes, err := Changed(ctx, commit(t, r, base), commit(t, r, head)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", changes, err)
	}
}
