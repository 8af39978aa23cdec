package probe

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of the folder of compiled modules, of which each is some times as large as the module.
const (
	maxCompiledBytes = 512 << 20
	maxCompiledAge   = 30 * 24 * time.Hour
	maxUnfinishedAge = time.Hour // of a file that is still being written, unless whoever wrote it was ended
)

// kept is a file of the folder.
type kept struct {
	path string
	size int64
	age  time.Duration
}

// unfinished reports whether the runtime has not given the file its name yet.
func (k kept) unfinished() bool { return strings.HasSuffix(k.path, ".tmp") }

// prune takes out what is too old and then, from the oldest on, what is too much. Others may do the same, or be using the
// folder: a file is there as a whole or not at all, whoever has it open keeps it, and whoever misses it compiles anew. So
// nothing that goes wrong here matters.
func prune(dir string, now time.Time) {
	var files []kept
	versions, _ := os.ReadDir(dir)
	for _, v := range versions {
		if !v.IsDir() || !strings.HasPrefix(v.Name(), "wazero-") { // a folder for each version of the runtime
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(dir, v.Name()))
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				files = append(files, kept{filepath.Join(dir, v.Name(), e.Name()), info.Size(), now.Sub(info.ModTime())})
			}
		}
	}
	slices.SortFunc(files, func(a, b kept) int { return cmp.Compare(a.age, b.age) })
	left := int64(maxCompiledBytes)
	for _, f := range files {
		old := maxCompiledAge
		if f.unfinished() {
			old = maxUnfinishedAge
		}
		if left -= f.size; f.age > old || left < 0 && !f.unfinished() {
			_ = os.Remove(f.path)
		}
	}
}
