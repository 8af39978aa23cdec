package bot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/gittest"
)

// TestTreeID compares with git where names are sorted in a way of its own.
func TestTreeID(t *testing.T) {
	repo := gittest.New(t)
	base := &Tree{Files: map[string]Entry{"gone": {ID: strings.Repeat("0", 40), Mode: "100644"}}}
	entries := []NewEntry{{Path: "gone", Mode: "100644"}}
	for _, name := range []string{"a", "a.b", "b.c", "b/c", "b/d/e", "b-", "b0", "é/ü", "z/a", "z.azp"} {
		file := filepath.Join(repo.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "text of " + name + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, NewEntry{Path: name, Mode: "100644", Content: &text})
	}
	repo.Git("add", "-A")
	got, ok := base.with(entries)
	if want := repo.Git("write-tree"); !ok || got.ID != want {
		t.Errorf("%s %v, git says %s", got.ID, ok, want)
	}
	if _, ok := got.with([]NewEntry{{Path: "a/below-a-file", Mode: "100644", Blob: strings.Repeat("1", 40)}}); ok {
		t.Error("a path is a file and a folder")
	}
}
