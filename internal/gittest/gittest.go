// Package gittest makes real repositories for tests, with the git program.
package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository with a working tree. Every commit is a minute younger than the one before.
type Repo struct {
	Dir string

	t     testing.TB
	clock int
}

// New makes an empty repository whose branch is main. The test is skipped on a machine without git.
func New(t testing.TB) *Repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("the git program is not installed, and this test reads what it writes")
	}
	r := &Repo{Dir: t.TempDir(), t: t}
	r.Git("init", "-q", "-b", "main")
	r.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	r.Git("config", "uploadpack.allowFilter", "true")
	return r
}

// Git runs git in the working tree and returns what it prints, without the line break at the end.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitIn("", args...)
}

// GitIn is Git with a standard input.
func (r *Repo) GitIn(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = r.Dir
	date := fmt.Sprintf("%d +0000", 1_700_000_000+60*r.clock)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE="+date)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(stdout.String(), "\n")
}

// Write writes a file, and the folders that it is in.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	path = filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits all that is in the working tree, and returns the commit's id.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.clock++
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.ID("HEAD")
}

// ID returns the id of an object.
func (r *Repo) ID(name string) string {
	r.t.Helper()
	return r.Git("rev-parse", "--verify", name)
}

// Object writes an object as it is, however wrong, and returns its id.
func (r *Repo) Object(kind string, content []byte) string {
	r.t.Helper()
	raw := append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...)
	id := fmt.Sprintf("%x", sha1.Sum(raw))
	var z bytes.Buffer
	w, err := zlib.NewWriterLevel(&z, zlib.NoCompression) // which is faster
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := w.Write(raw); err != nil {
		r.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.Write(".git/objects/"+id[:2]+"/"+id[2:], z.String())
	return id
}

// Entry is the bytes of one entry of a tree.
func Entry(mode, name, id string) []byte {
	raw, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	return append([]byte(mode+" "+name+"\x00"), raw...)
}

// CommitTree writes a commit of a tree.
func (r *Repo) CommitTree(tree string, parents ...string) string {
	r.t.Helper()
	r.clock++
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := fmt.Sprintf("A <a@example.com> %d +0000", 1_700_000_000+60*r.clock)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\nmessage\n", who, who)
	return r.Object("commit", []byte(b.String()))
}

// Checkout makes what actions/checkout makes of a commit: depth 0 fetches the whole history with all branches. More
// arguments go to git fetch.
func (r *Repo) Checkout(commit string, depth int, args ...string) *Repo {
	r.t.Helper()
	c := New(r.t)
	c.Git("remote", "add", "origin", "file://"+r.Dir)
	fetch := append([]string{"fetch", "-q", "--no-tags"}, args...)
	if depth > 0 {
		fetch = append(fetch, fmt.Sprintf("--depth=%d", depth), "origin", commit)
	} else {
		fetch = append(fetch, "origin", "+refs/heads/*:refs/remotes/origin/*", commit)
	}
	c.Git(fetch...)
	c.Git("checkout", "-q", "--detach", commit)
	return c
}
