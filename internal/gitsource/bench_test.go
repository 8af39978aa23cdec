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
func wide(b *testing.B, files int, all bool) (base, head *Commit) {
	b.Helper()
	g := gittest.New(b)
	var in strings.Builder
	for version := 1; version <= 2; version++ {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter C <c@example.com> 170000000%d +0000\ndata 0\n", version)
		for i := range files {
			if version == 1 || all || i == files/2 {
				content := fmt.Sprintf("file %d, version %d\n", i, version)
				fmt.Fprintf(&in, "M 100644 inline submissions/com.example.p%06d/f%06d\ndata %d\n%s\n", i/10, i, len(content), content)
			}
		}
	}
	g.GitIn(in.String(), "fast-import", "--quiet")
	r := open(b, g)
	return commit(b, r, g.ID("main~1")), commit(b, r, g.ID("main"))
}

func BenchmarkWalk10000Files(b *testing.B) {
	_, head := wide(b, 10_000, false)
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
	base, head := wide(b, files, all)
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
	var in strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata 0\n", i+1, 1_700_000_000+i)
	}
	in.WriteString("commit refs/heads/head\ncommitter C <c@example.com> 1700000500 +0000\ndata 0\nfrom :100\n")
	g.GitIn(in.String(), "fast-import", "--quiet")
	r := open(b, g)
	base, head, want := commit(b, r, g.ID("main")), commit(b, r, g.ID("head")), g.ID("main~9900")
	for b.Loop() {
		if c, ok, err := MergeBase(base, head); err != nil || !ok || c.ID() != want {
			b.Fatal(c, ok, err)
		}
	}
}

// BenchmarkLargeFile reads a file of 256 MiB in full and, with ReadAt, so that all of it is at hand; beside a plain copy.
func BenchmarkLargeFile(b *testing.B) {
	const size = 256 << 20
	g, _ := large(b, size)
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
		for _, version := range []string{"HEAD", "HEAD~1"} {
			name := layout + "/" + version
			if base := g.GitIn(version+":file", "cat-file", "--batch-check=%(deltabase)"); base != strings.Repeat("0", 40) {
				name += " as a delta"
			}
			fsys := commit(b, r, g.ID(version)).FS()
			read(name+"/Read", fsys, readThrough)
			read(name+"/ReadAt", fsys, readAt)
		}
	}
}
