package gitsource

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/internal/gittest"
)

func open(t testing.TB, g *gittest.Repo) *Repo {
	t.Helper()
	r, err := Open(g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func commit(t testing.TB, r *Repo, id string) *Commit {
	t.Helper()
	c, ok, err := r.Commit(id)
	if err != nil || !ok {
		t.Fatalf("commit %s: %v, %v", id, ok, err)
	}
	return c
}

// ordinary makes a repository with every kind of entry but a submodule.
func ordinary(t testing.TB) *gittest.Repo {
	g := gittest.New(t)
	g.Write("README.md", "read me\n")
	g.Write("submissions/com.acme.fs/manifest.json", "{}\n")
	g.Write("submissions/com.acme.fs/empty", "")
	g.Write("submissions/com.acme.fs.more/x", "sorts between a folder's name and its slash\n")
	g.Write("submissions/com.acme.fs/bin/run", "#!/bin/sh\n")
	g.Write("submissions/über/ä", "names\n")
	if err := os.Chmod(filepath.Join(g.Dir, "submissions/com.acme.fs/bin/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"submissions/link": "com.acme.fs", "passwd": "/etc/passwd", "self": "."} {
		if err := os.Symlink(target, filepath.Join(g.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	g.Commit("first")
	return g
}

// layouts are the ways in which a repository can keep the same objects.
var layouts = map[string]func(g *gittest.Repo){
	"loose":  func(*gittest.Repo) {},
	"packed": func(g *gittest.Repo) { g.Git("repack", "-adfq", "--depth=50") },
	"packed with deltas by id": func(g *gittest.Repo) {
		g.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50")
	},
	"one pack and the rest loose": func(g *gittest.Repo) {
		g.Git("repack", "-adq")
		g.Write("late", "late\n")
		g.Commit("late")
	},
}

func TestFSIsAFileSystem(t *testing.T) {
	for name, arrange := range layouts {
		t.Run(name, func(t *testing.T) {
			g := ordinary(t)
			arrange(g)
			fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
			err := fstest.TestFS(fsys, "README.md", "submissions/com.acme.fs/manifest.json", "submissions/com.acme.fs/bin/run",
				"submissions/com.acme.fs/empty", "submissions/com.acme.fs.more/x", "submissions/über/ä", "submissions/link", "passwd", "self")
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestModesSizesAndOrderAreGits(t *testing.T) {
	g := ordinary(t)
	sub := gittest.New(t)
	sub.Write("f", "f\n")
	sub.Commit("sub")
	g.Git("submodule", "add", "-q", sub.Dir, "vendor/sub")
	g.Commit("submodule")
	fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
	var got []string
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.IsDir() {
			got = append(got, info.Mode().String()+" "+path)
		}
		if d.Type().IsRegular() {
			want := g.Git("cat-file", "blob", "HEAD:"+path)
			if data, err := fs.ReadFile(fsys, path); err != nil || strings.TrimSuffix(string(data), "\n") != want || int64(len(data)) != info.Size() {
				t.Errorf("%s: %q, %v; want %q", path, data, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `-r--r--r-- .gitmodules
-r--r--r-- README.md
Lr--r--r-- passwd
Lr--r--r-- self
-r-xr-xr-x submissions/com.acme.fs/bin/run
-r--r--r-- submissions/com.acme.fs/empty
-r--r--r-- submissions/com.acme.fs/manifest.json
-r--r--r-- submissions/com.acme.fs.more/x
Lr--r--r-- submissions/link
-r--r--r-- submissions/über/ä
?--------- vendor/sub`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

func TestLinksAreNeverFollowed(t *testing.T) {
	g := ordinary(t)
	fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
	for _, link := range []string{"passwd", "submissions/link", "self"} {
		info, err := fs.Stat(fsys, link)
		if err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s: %v, %v", link, info, err)
		}
		if data, err := fs.ReadFile(fsys, link); err == nil {
			t.Errorf("%s was read: %q", link, data)
		}
		if list, err := fs.ReadDir(fsys, link); err == nil {
			t.Errorf("%s was listed: %v", link, list)
		}
	}
	for _, through := range []string{"submissions/link/manifest.json", "self/README.md", "README.md/x"} {
		if _, err := fsys.Open(through); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", through, err)
		}
	}
}

func TestBadPathsAreInvalid(t *testing.T) {
	g := ordinary(t)
	fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
	for _, path := range []string{"", "/", "/README.md", "README.md/", "./README.md", "submissions//x", "submissions/../README.md", "..", "."} {
		_, err := fs.ReadFile(fsys, path)
		if path == "." && err == nil || path != "." && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := fsys.Open(strings.Repeat("a/", maxPath) + "a"); !errors.Is(err, errTooLong) {
		t.Errorf("a path of %d bytes: %v", 2*maxPath, err)
	}
}

func TestNamesNeedNotBeUTF8(t *testing.T) {
	g := gittest.New(t)
	blob := g.GitIn("content\n", "hash-object", "-w", "--stdin")
	inner := g.GitIn("100644 blob "+blob+"\t\xff.txt\x00", "mktree", "-z")
	tree := g.GitIn("040000 tree "+inner+"\t\xfe\x01\x00", "mktree", "-z")
	fsys := commit(t, open(t, g), g.Git("commit-tree", "-m", "names", tree)).FS()
	if data, err := fs.ReadFile(fsys, "\xfe\x01/\xff.txt"); err != nil || string(data) != "content\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFilesCanBeReadAnywhereAndOnlyWhileOpen(t *testing.T) {
	g := ordinary(t)
	fsys := commit(t, open(t, g), g.ID("HEAD")).FS()
	f, err := fsys.Open("README.md")
	if err != nil {
		t.Fatal(err)
	}
	at := f.(io.ReaderAt)
	buf := make([]byte, 2)
	if n, err := at.ReadAt(buf, 5); n != 2 || err != nil || string(buf) != "me" {
		t.Errorf("%d %q %v", n, buf, err)
	}
	if n, err := at.ReadAt(buf, 7); n != 1 || err != io.EOF {
		t.Errorf("at the end: %d %v", n, err)
	}
	if n, err := f.Read(buf); n != 2 || err != nil || string(buf) != "re" {
		t.Errorf("Read after ReadAt: %d %q %v", n, buf, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Read(buf); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read after Close: %v", err)
	}
	if _, err := at.ReadAt(buf, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadAt after Close: %v", err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}
