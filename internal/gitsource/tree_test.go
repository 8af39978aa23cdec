package gitsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func TestHostileTreesAreRefused(t *testing.T) {
	g := gittest.New(t)
	blob := g.Object("blob", []byte("x"))
	for name, tree := range map[string][]byte{
		"parent folder":       gittest.Entry("100644", "..", blob),
		"this folder":         gittest.Entry("40000", ".", emptyTree),
		"git's folder":        gittest.Entry("40000", ".git", emptyTree),
		"git's, other case":   gittest.Entry("40000", ".GiT", emptyTree),
		"slash":               gittest.Entry("100644", "a/b", blob),
		"absolute":            gittest.Entry("100644", "/etc/passwd", blob),
		"no name":             gittest.Entry("100644", "", blob),
		"name twice":          append(gittest.Entry("100644", "a", blob), gittest.Entry("100644", "a", blob)...),
		"file and folder":     slices.Concat(gittest.Entry("100644", "a", blob), gittest.Entry("100644", "a.b", blob), gittest.Entry("40000", "a", emptyTree)),
		"device":              gittest.Entry("20644", "null", blob),
		"no mode":             gittest.Entry("", "a", blob),
		"mode not octal":      gittest.Entry("100648", "a", blob),
		"mode out of range":   gittest.Entry("77777777777777777777777", "a", blob),
		"signed mode":         gittest.Entry("+100644", "a", blob),
		"cut in the id":       gittest.Entry("100644", "a", blob)[:20],
		"cut in the name":     []byte("100644 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"cut in the mode":     []byte("100644"),
		"NUL in the name":     gittest.Entry("100644", "a\x00b", blob),
		"more after the last": append(gittest.Entry("100644", "a", blob), 0),
	} {
		c := commit(t, open(t, g), g.CommitTree(g.Object("tree", tree)))
		if list, err := fs.ReadDir(c.FS(), "."); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, list, err)
		}
		if changes, err := Changed(context.Background(), commit(t, c.repo, g.CommitTree(emptyTreeOf(g))), c); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, changes, err)
		}
	}
}

func emptyTreeOf(g *gittest.Repo) string { return g.Object("tree", nil) }

func TestOldModesAreRead(t *testing.T) {
	g := gittest.New(t)
	blob := g.Object("blob", []byte("x"))
	tree := slices.Concat(gittest.Entry("100664", "group", blob), gittest.Entry("100700", "run", blob), gittest.Entry("040000", "sub", emptyTreeOf(g)))
	list, err := fs.ReadDir(commit(t, open(t, g), g.CommitTree(g.Object("tree", tree))).FS(), ".")
	if s := fmt.Sprint(list); s != "[- group - run d sub/]" || err != nil {
		t.Errorf("%s, %v", s, err)
	}
}

func TestUnsortedTreeIsSorted(t *testing.T) {
	g := gittest.New(t)
	blob := g.Object("blob", []byte("x"))
	tree := slices.Concat(gittest.Entry("100644", "b", blob), gittest.Entry("100644", "a", blob))
	fsys := commit(t, open(t, g), g.CommitTree(g.Object("tree", tree))).FS()
	if list, err := fs.ReadDir(fsys, "."); fmt.Sprint(list) != "[- a - b]" || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if data, err := fs.ReadFile(fsys, "b"); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestEntryOfAnotherKind(t *testing.T) {
	g := gittest.New(t)
	blob, empty := g.Object("blob", []byte("x")), emptyTreeOf(g)
	tree := slices.Concat(gittest.Entry("40000", "folder", blob), gittest.Entry("100644", "file", empty))
	fsys := commit(t, open(t, g), g.CommitTree(g.Object("tree", tree))).FS()
	if list, err := fs.ReadDir(fsys, "folder"); err == nil {
		t.Errorf("a file listed as a folder: %v", list)
	}
	if data, err := fs.ReadFile(fsys, "file"); err == nil {
		t.Errorf("a folder read as a file: %q", data)
	}
}

// A tree that holds another ten times, which holds another ten times, has more paths than can be listed.
func TestTreeBomb(t *testing.T) {
	for name, leaf := range map[string]string{"of files": "100644", "of empty folders": "40000"} {
		t.Run(name, func(t *testing.T) {
			g := gittest.New(t)
			empty := emptyTreeOf(g)
			id, mode := g.Object("blob", []byte("x")), leaf
			if leaf == "40000" {
				id = empty
			}
			for range 20 {
				var tree []byte
				for i := range 10 {
					tree = append(tree, gittest.Entry(mode, fmt.Sprint(i), id)...)
				}
				id, mode = g.Object("tree", tree), "40000"
			}
			first := g.CommitTree(empty)
			second := g.CommitTree(id, first)
			g.Git("update-ref", "refs/heads/main", second)
			g.Git("repack", "-adq")
			r := open(t, g)
			bomb := commit(t, r, second)
			if _, err := Changed(context.Background(), commit(t, r, first), bomb); !errors.Is(err, ErrTooManyChanges) {
				t.Error(err)
			}
			if list, err := fs.ReadDir(bomb.FS(), "0/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8"); len(list) != 10 || err != nil {
				t.Errorf("%v, %v", list, err)
			}
		})
	}
}

func TestDeepTree(t *testing.T) {
	g := gittest.New(t)
	empty := emptyTreeOf(g)
	id, mode := g.Object("blob", []byte("x")), "100644"
	for range 2100 {
		id, mode = g.Object("tree", gittest.Entry(mode, "a", id)), "40000"
	}
	r := open(t, g)
	deep := commit(t, r, g.CommitTree(id))
	if _, err := Changed(context.Background(), commit(t, r, g.CommitTree(empty)), deep); !errors.Is(err, errTooLong) {
		t.Error(err)
	}
	err := fs.WalkDir(deep.FS(), ".", func(_ string, _ fs.DirEntry, err error) error { return err })
	if !errors.Is(err, errTooLong) {
		t.Error(err)
	}
}

func TestHugeTreeObjectIsRefused(t *testing.T) {
	g := gittest.New(t)
	blob := g.Object("blob", []byte("x"))
	var tree bytes.Buffer
	for i := 0; tree.Len() <= maxTree; i++ {
		tree.Write(gittest.Entry("100644", fmt.Sprintf("%09d%s", i, strings.Repeat("x", 200)), blob))
	}
	if list, err := fs.ReadDir(commit(t, open(t, g), g.CommitTree(g.Object("tree", tree.Bytes()))).FS(), "."); err == nil {
		t.Errorf("%d entries", len(list))
	}
}

func TestMalformedCommits(t *testing.T) {
	g := gittest.New(t)
	tree := emptyTreeOf(g)
	who := "A <a@example.com> 1700000000 +0000\n"
	for name, text := range map[string]string{
		"empty":         "",
		"no tree":       "author " + who + "committer " + who,
		"bad tree":      "tree HEAD\nauthor " + who + "committer " + who,
		"bad parent":    "tree " + tree + "\nparent x\nauthor " + who + "committer " + who,
		"no author":     "tree " + tree + "\ncommitter " + who,
		"no committer":  "tree " + tree + "\nauthor " + who,
		"tree of SHA-2": "tree " + strings.Repeat("a", 64) + "\nauthor " + who + "committer " + who,
	} {
		if _, ok, err := open(t, g).Commit(g.Object("commit", []byte(text))); ok || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	for _, text := range []string{"tree " + tree + "\nauthor x\ncommitter x\n", "tree " + tree + "\nauthor >\ncommitter > 99999999999999999999 x"} {
		if c := commit(t, open(t, g), g.Object("commit", []byte(text))); c.when != 0 {
			t.Errorf("%q: clock %d", text, c.when)
		}
	}
	loop := g.Object("tag", []byte("object "+tree+"\ntype tree\ntag x\n"))
	for range maxTagChain {
		loop = g.Object("tag", []byte("object "+loop+"\ntype tag\ntag x\n"))
	}
	if _, ok, err := open(t, g).Commit(loop); ok || err == nil {
		t.Errorf("long chain of tags: %v, %v", ok, err)
	}
}
