package probe

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/internal/wat"
)

func TestPrune(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	outside := filepath.Join(t.TempDir(), "outside")
	for name, f := range map[string]struct {
		megabytes int64
		age       time.Duration
	}{
		"wazero-v1/new": {200, time.Hour}, "wazero-v1/newer": {200, time.Minute}, "wazero-v1/third": {200, 2 * time.Hour}, "wazero-v0/small": {1, 3 * time.Hour}, "wazero-v0/old": {1, 31 * 24 * time.Hour},
		"wazero-v1/a.1.tmp": {1, time.Minute}, "wazero-v1/b.2.tmp": {1, 2 * time.Hour}, "else/old": {1, 99 * 24 * time.Hour}, outside: {1, 99 * 24 * time.Hour},
	} {
		path := name
		if name != outside {
			path = filepath.Join(dir, name)
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, f.megabytes<<20)) // a hole, which takes no room
		must(t, os.Chtimes(path, now, now.Add(-f.age)))
	}
	must(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "wazero-link")))
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { prune(dir, now) })
	}
	both.Wait()
	if got, want := names(t, dir), []string{"else/old", "wazero-v1/a.1.tmp", "wazero-v1/new", "wazero-v1/newer"}; !slices.Equal(got, want) {
		t.Errorf("%q is left, want %q", got, want)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	prune(filepath.Join(dir, "none"), now)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names lists the files of a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			out = append(out, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/"))
		}
		return err
	}))
	return out
}

// A start prunes what was left there, and keeps what it has compiled itself.
func TestStartPrunes(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "wazero-old", "module")
	must(t, os.MkdirAll(filepath.Dir(old), 0o700))
	must(t, os.WriteFile(old, nil, 0o600))
	must(t, os.Chtimes(old, time.Now(), time.Now().Add(-2*maxCompiledAge)))
	module, err := wat.Assemble(`(module (func (export "_start")))`)
	must(t, err)
	if _, err := (&Sandbox{Dir: dir}).Start(t.Context(), check.Launch{Module: module}); !isFailure(err) {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 1 || strings.HasPrefix(left[0], "wazero-old") {
		t.Errorf("%q is left", left)
	}
}
