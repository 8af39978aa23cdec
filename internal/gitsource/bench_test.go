package gitsource

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// wide makes a packed repository of folders of ten files, all changed by the second commit if all is set, else one.
func wide(b *testing.B, files int, all bool) (r *Repo, base, head *Commit) {
	b.Helper()
	g := gittest.New(b)
	content := func(i, version int) string { return fmt.Sprintf("file %d, version %d\n", i, version) }
	tree := func(version func(i int) int) string {
		var root []byte
		for f := range files / 10 {
			var folder []byte
			for i := f * 10; i < f*10+10; i++ {
				folder = append(folder, gittest.Entry("100644", fmt.Sprintf("f%06d", i), g.Object("blob", []byte(content(i, version(i)))))...)
			}
			root = append(root, gittest.Entry("40000", fmt.Sprintf("com.example.p%06d", f), g.Object("tree", folder))...)
		}
		return g.Object("tree", gittest.Entry("40000", "submissions", g.Object("tree", root)))
	}
	first := g.CommitTree(tree(func(int) int { return 1 }))
	second := g.CommitTree(tree(func(i int) int {
		if all || i == files/2 {
			return 2
		}
		return 1
	}), first)
	g.Git("update-ref", "refs/heads/main", second)
	g.Git("repack", "-adq")
	r = open(b, g)
	return r, commit(b, r, first), commit(b, r, second)
}

func BenchmarkWalk10000Files(b *testing.B) {
	_, _, head := wide(b, 10_000, false)
	for b.Loop() {
		files := 0
		fsys := head.FS()
		err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = fs.ReadFile(fsys, path)
			return err
		})
		if err != nil || files != 10_000 {
			b.Fatal(files, err)
		}
	}
}

func benchmarkChanged(b *testing.B, files int, all bool, want int) {
	_, base, head := wide(b, files, all)
	for b.Loop() {
		changes, err := Changed(context.Background(), base, head)
		if err != nil || len(changes) != want {
			b.Fatal(len(changes), err)
		}
	}
}

func BenchmarkChangedOneOf10000(b *testing.B)  { benchmarkChanged(b, 10_000, false, 1) }
func BenchmarkChangedAllOf10000(b *testing.B)  { benchmarkChanged(b, 10_000, true, 10_000) }
func BenchmarkChangedAllOf100000(b *testing.B) { benchmarkChanged(b, 100_000, true, 100_000) }
func BenchmarkChangedOneOf100000(b *testing.B) { benchmarkChanged(b, 100_000, false, 1) }
func BenchmarkMergeBase10000Commits(b *testing.B) {
	g := gittest.New(b)
	empty := g.Object("tree", nil)
	tip := g.CommitTree(empty)
	root := tip
	for range 10_000 {
		tip = g.CommitTree(empty, tip)
	}
	head := g.CommitTree(empty, root)
	g.Git("update-ref", "refs/heads/main", tip)
	g.Git("update-ref", "refs/heads/head", head)
	g.Git("repack", "-adq")
	r := open(b, g)
	for b.Loop() {
		if c, ok, err := MergeBase(commit(b, r, tip), commit(b, r, head)); err != nil || !ok || c.ID() != root {
			b.Fatal(c, ok, err)
		}
	}
}

// BenchmarkLargeFile reads a file of 256 MiB in full and, with ReadAt, so that all of it is at hand; beside a plain copy.
func BenchmarkLargeFile(b *testing.B) {
	const size = 256 << 20
	g, versions := large(b, size)
	read := func(name string, fsys fs.FS, f func(testing.TB, fs.FS)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				f(b, fsys)
			}
		})
	}
	read("plain", os.DirFS(g.Dir), readThrough)
	for _, layout := range []string{"loose", "packed"} {
		layouts[layout](g)
		r := open(b, g)
		for id := range versions {
			name := layout
			if base := g.GitIn(id+":file", "cat-file", "--batch-check=%(deltabase)"); base != strings.Repeat("0", 40) {
				name += " as a delta"
			}
			fsys := commit(b, r, id).FS()
			read(name+"/Read", fsys, readThrough)
			read(name+"/ReadAt", fsys, readAt)
		}
	}
}
