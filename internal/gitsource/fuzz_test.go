package gitsource

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

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

// FuzzPack reads arbitrary data as a pack, from an entry that begins anywhere.
func FuzzPack(f *testing.F) {
	g := gittest.New(f)
	file, more := noise(300), noise(600)[300:]
	for i := range 4 {
		copy(file[70*i:70*i+40], more[70*i:])
		g.Write("file", string(file))
		g.Commit("version")
	}
	layouts["packed"](g)
	data := readFile(f, packOf(f, g))
	for line := range strings.Lines(g.Git("verify-pack", "-v", packOf(f, g))) {
		if fields := strings.Fields(line); len(fields) >= 5 { // id, kind, size, size in the pack, offset
			if offset, err := strconv.ParseUint(fields[4], 10, 16); err == nil {
				f.Add(data, uint16(offset))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, offset uint16) {
		p := &pack{file: nopCloser{bytes.NewReader(data)}, index: idxfile.NewMemoryIndex(), bases: cache.NewBufferLRU(deltaCacheSize)}
		e, err := p.entryAt(int64(offset))
		if err != nil {
			return
		}
		size := e.size
		if e.isDelta() {
			if _, err := p.kindOf(e); err != nil {
				return
			}
			if size, err = p.deltaTarget(e); err != nil {
				return
			}
		}
		if size > 1<<20 {
			return
		}
		c, err := p.resolve(int64(offset))
		if err != nil {
			return
		}
		if c.size != size {
			t.Errorf("%d bytes, not %d", c.size, size)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzDelta applies deltas, beside go-git.
func FuzzDelta(f *testing.F) {
	base := []byte("0123456789abcdef")
	f.Add(base, []byte{16, 8, 0x91, 4, 4, 4, 'w', 'x', 'y', 'z'})
	f.Add(base, []byte{16, 16, 0x90, 16})
	f.Add(base, []byte{16, 2, 0x80})
	f.Add(base, []byte{16, 2, 0, 0})
	f.Add(base, []byte{16, 9, 0x91, 15, 2})
	f.Add(base, []byte{15, 1, 1, 'x'})
	f.Add(base, []byte{16, 0x80})
	f.Fuzz(func(t *testing.T, base, data []byte) {
		got, err := applyDelta(base, data)
		if len(base) == 0 {
			return // which go-git takes for an error
		}
		want, wantErr := packfile.PatchDelta(base, data)
		if err != nil && len(want) == 0 {
			return // go-git takes a size that is cut short for a small one
		}
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("got %q, %v; go-git %q, %v", got, err, want, wantErr)
		}
	})
}

func applyDelta(base, data []byte) ([]byte, error) {
	d, err := newDelta(io.NopCloser(bytes.NewReader(data)))
	if err != nil {
		return nil, err
	}
	if d.source != int64(len(base)) || d.target > 1<<20 {
		return nil, errors.New("another size")
	}
	c, err := newContent(d.target, func(w io.Writer) error { return d.patch(w, inMemory(base)) })
	if err != nil {
		return nil, err
	}
	return c.data, nil
}

type nopCloser struct{ io.ReaderAt }

func (nopCloser) Close() error { return nil }
