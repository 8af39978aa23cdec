package azp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/azphalt/submissions/internal/testtool"
)

// Archives of other programs have to be read: what they write is ordinary.
func TestArchivesOfOtherPrograms(t *testing.T) {
	src, err := ReadSource(context.Background(), os.DirFS(vectors+"/submissions/sources/com.example.sub.ok-asset"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := src.PackedManifest()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, ManifestName), manifest)
	for _, f := range src.Files {
		data, err := os.ReadFile(vectors + "/submissions/sources/com.example.sub.ok-asset/" + f.Path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, f.Path), data)
	}
	// OUT stands for the file to write; the others write to standard output.
	python := `import sys, zipfile, os
z = zipfile.ZipFile(%s, "w", zipfile.ZIP_DEFLATED)
for d, _, names in os.walk("."):
    for n in names:
        z.write(os.path.join(d, n))
z.close()`
	for name, command := range map[string][]string{
		"Info-ZIP":                  {"zip", "-q", "-r", "-D", "-", "."},
		"Info-ZIP with fields":      {"zip", "-q", "-r", "-D", "-o", "-9", "-", "."},
		"python, to a file":         {"python3", "-c", fmt.Sprintf(python, "sys.argv[1]"), "OUT"},
		"python, to a stream":       {"python3", "-c", fmt.Sprintf(python, "sys.stdout.buffer")},
		"7-Zip":                     {"7z", "a", "-tzip", "-bd", "-r", "OUT", "."},
		"bsdtar (macOS's archiver)": {"bsdtar", "--format=zip", "-cf", "OUT", "LICENSE", "assets", ManifestName},
	} {
		t.Run(name, func(t *testing.T) {
			archive := runArchiver(t, dir, command)
			p, err := Read(context.Background(), bytes.NewReader(archive), int64(len(archive)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range p.Problems {
				if problem.Code != PayloadUnlisted { // a directory entry of some archivers
					t.Errorf("%+v", problem)
				}
			}
		})
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// runArchiver returns what an archiver writes to standard output, or to OUT.
func runArchiver(t *testing.T, dir string, command []string) []byte {
	t.Helper()
	program := testtool.Find(t, command[0])
	out := filepath.Join(t.TempDir(), "out.zip")
	args := slices.Clone(command[1:])
	toFile := slices.Index(args, "OUT")
	if toFile >= 0 {
		args[toFile] = out
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", command[0], err)
	}
	if toFile < 0 {
		return stdout
	}
	archive, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}
