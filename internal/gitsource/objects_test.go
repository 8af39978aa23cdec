package gitsource

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// noise returns bytes that don't compress.
func noise(size int) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	return data
}

// large makes a repository with two versions of a file too large to be held in memory; one is a delta of the other.
func large(t testing.TB, size int) (g *gittest.Repo, versions map[string][]byte) {
	g = gittest.New(t)
	g.Git("config", "core.compression", "0") // which is faster
	a := noise(size)
	b := bytes.Join([][]byte{a[size/2:], []byte("inserted"), a[:size/2]}, nil)
	g.Write("file", string(a))
	versions = map[string][]byte{g.Commit("a"): a}
	g.Write("file", string(b))
	versions[g.Commit("b")] = b
	return g, versions
}

// temporary makes the folder for temporary files empty and returns what is in it when asked.
func temporary(t *testing.T) func() []fs.DirEntry {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return func() []fs.DirEntry {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
}

func TestLargeFilesAreSpooledNotHeld(t *testing.T) {
	const size, limit = 2 * maxInMemory, maxInMemory
	g, versions := large(t, size)
	left := temporary(t)
	for _, name := range []string{"loose", "packed"} {
		layouts[name](g)
		r := open(t, g)
		for id, want := range versions {
			fsys := commit(t, r, id).FS()
			checkLarge(t, fsys, want)
			if n := allocated(func() { readAt(t, fsys) }); n > limit {
				t.Errorf("%s: ReadAt allocates %d bytes for a file of %d", name, n, size)
			}
			if n := allocated(func() { readThrough(t, fsys) }); n > limit {
				t.Errorf("%s: Read allocates %d bytes for a file of %d", name, n, size)
			}
		}
	}
	if chains := g.Git("verify-pack", "-v", packOf(t, g)); !strings.Contains(chains, "chain length = 1: 1 object") {
		t.Errorf("git made no delta:\n%s", chains)
	}
	if list := left(); len(list) > 0 {
		t.Errorf("temporary files are left: %v", list)
	}
}

func checkLarge(t *testing.T, fsys fs.FS, want []byte) {
	t.Helper()
	f, err := fsys.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(want)) {
		t.Errorf("size %d, want %d, %v", info.Size(), len(want), err)
	}
	var wg sync.WaitGroup
	for part := range 4 {
		wg.Go(func() {
			buf := make([]byte, 1<<20)
			at := len(want) / 4 * part
			if n, err := f.(io.ReaderAt).ReadAt(buf, int64(at)); err != nil || !bytes.Equal(buf, want[at:at+n]) {
				t.Errorf("%d bytes at %d differ, %v", n, at, err)
			}
		})
	}
	wg.Wait()
	if data, err := io.ReadAll(f); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%d bytes differ, %v", len(data), err)
	}
}

func packOf(t testing.TB, g *gittest.Repo) string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(g.Dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v, %v", packs, err)
	}
	return packs[0]
}

// allocated returns how many bytes f allocates in all, whether or not they are freed on the way.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func readAt(t testing.TB, fsys fs.FS) {
	f, err := fsys.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.(io.ReaderAt).ReadAt(make([]byte, 1), 0); err != nil {
		t.Error(err)
	}
}

func readThrough(t testing.TB, fsys fs.FS) {
	f, err := fsys.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Error(err)
	}
}

// A pack that is damaged anywhere gives the right bytes or an error.
func TestDamageIsNeverTakenForContent(t *testing.T) {
	g := gittest.New(t)
	file, more := noise(1200), noise(2400)[1200:]
	for i := range 6 {
		copy(file[200*i:200*i+100], more[200*i:])
		g.Write("file", string(file))
		g.Commit("version")
	}
	layouts["packed"](g)
	if chains := g.Git("verify-pack", "-v", packOf(t, g)); !strings.Contains(chains, "chain length = 2") {
		t.Fatalf("git made no chain of deltas:\n%s", chains)
	}
	name := packOf(t, g)
	pack := readFile(t, name)
	id := g.ID("HEAD~5")
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	want := readCommit(g.Dir, id)
	if want == "" || strings.HasPrefix(want, "error") {
		t.Fatalf("undamaged: %s", want)
	}
	for i := range pack {
		damaged := bytes.Clone(pack)
		damaged[i] ^= 1 << (i % 8)
		if err := os.WriteFile(name, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := readCommit(g.Dir, id); got != want && !strings.HasPrefix(got, "error") {
			t.Fatalf("byte %d damaged: got %q", i, got)
		}
	}
}

// readCommit returns the file of a commit, or "error" and why it can't be read.
func readCommit(dir, id string) string {
	r, err := Open(dir)
	if err != nil {
		return "error " + err.Error()
	}
	defer r.Close()
	c, ok, err := r.Commit(id)
	if err != nil || !ok {
		return "error absent"
	}
	data, err := fs.ReadFile(c.FS(), "file")
	if err != nil {
		return "error " + err.Error()
	}
	return string(data)
}

func TestDamagedLooseObjects(t *testing.T) {
	g := ordinary(t)
	id := g.ID("HEAD:README.md")
	for name, content := range map[string]string{
		"no zlib":            "no zlib",
		"empty":              "",
		"another's content":  deflate(t, "blob 8\x00another\n"),
		"another kind":       deflate(t, "tree 8\x00read me\n"),
		"no kind":            deflate(t, "read me\n"),
		"longer than said":   deflate(t, "blob 7\x00read me\n"),
		"shorter than said":  deflate(t, "blob 9\x00read me\n"),
		"enormous, it says":  deflate(t, "blob 9000000000000000000\x00read me\n"),
		"negative, it says":  deflate(t, "blob -8\x00read me\n"),
		"cut in the content": deflate(t, "blob 8\x00read me\n")[:15],
	} {
		object := filepath.Join(g.Dir, ".git/objects", id[:2], id[2:])
		if err := os.RemoveAll(object); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(object, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
		if data, err := fs.ReadFile(fsys, "README.md"); err == nil || name != "another kind" && name != "enormous, it says" && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: ReadFile: %q, %v", name, data, err)
		}
		f, err := fsys.Open("README.md")
		if err != nil {
			continue
		}
		if n, err := f.(io.ReaderAt).ReadAt(make([]byte, 1), 0); err == nil {
			t.Errorf("%s: ReadAt gives %d bytes", name, n)
		}
		f.Close()
	}
}

func deflate(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	w := zlib.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
