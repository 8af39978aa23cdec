package gitsource

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

	"github.com/azphalt/submissions/internal/gittest"
)

func FuzzTree(f *testing.F) {
	id := "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	f.Add([]byte{})
	f.Add(slices.Concat(gittest.Entry("100644", "b", id), gittest.Entry("40000", "a", id), gittest.Entry("120000", "l", id), gittest.Entry("160000", "s", id)))
	f.Add(append(gittest.Entry("100644", "a", id), gittest.Entry("100755", "a", id)...))
	f.Add(gittest.Entry("40000", "..", id))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := parseTree(data)
		if err != nil {
			return
		}
		for i := range tree {
			if e := tree.lookup(tree[i].name); e != &tree[i] {
				t.Errorf("%q is not found again", tree[i].name)
			}
			if validPath(tree[i].name) != nil {
				t.Errorf("%q is no path", tree[i].name)
			}
			if i > 0 && tree[i-1].name >= tree[i].name {
				t.Errorf("%q before %q", tree[i-1].name, tree[i].name)
			}
		}
	})
}

func FuzzCommit(f *testing.F) {
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <b> 1 +0\ncommitter a <b> 1 +0\n\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Commit
		if c.parse(data) == nil && len(c.parents)*len("parent \n") > len(data) {
			t.Errorf("%d parents in %d bytes", len(c.parents), len(data))
		}
	})
}

// FuzzPack reads every byte of arbitrary data as the beginning of an entry of a pack.
func FuzzPack(f *testing.F) {
	g := gittest.New(f)
	file, more := noise(300), noise(600)[300:]
	for i := range 4 {
		copy(file[70*i:70*i+40], more[70*i:])
		g.Write("file", string(file))
		g.Commit("version")
	}
	layouts["packed"](g)
	f.Add(readFile(f, packOf(f, g)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := &pack{file: nopCloser{bytes.NewReader(data)}, index: idxfile.NewMemoryIndex(), bases: cache.NewBufferLRU(deltaCacheSize)}
		for offset := range data {
			e, err := p.entryAt(int64(offset))
			if err != nil {
				continue
			}
			if _, err := p.kindOf(e); err != nil || !e.isDelta() && e.size > 1<<20 {
				continue
			}
			if target, err := p.deltaTarget(e); e.isDelta() && (err != nil || target > 1<<20) {
				continue
			}
			if c, err := p.resolve(int64(offset)); err == nil {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

type nopCloser struct{ io.ReaderAt }

func (nopCloser) Close() error { return nil }
