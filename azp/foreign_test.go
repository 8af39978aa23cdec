package azp

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
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
	python := `import sys, zipfile, os
z = zipfile.ZipFile(%s, "w", zipfile.ZIP_DEFLATED)
for d, _, names in os.walk("."):
    for n in names:
        z.write(os.path.join(d, n))
z.close()`
	for name, command := range map[string][]string{
		"Info-ZIP":                  {"zip", "-q", "-r", "-D", "-", "."},
		"Info-ZIP with fields":      {"zip", "-q", "-r", "-D", "-o", "-9", "-", "."},
		"python, to a file":         {"python3", "-c", sprintf(python, `"/dev/stdout" if False else sys.argv[1]`)},
		"python, to a stream":       {"python3", "-c", sprintf(python, `sys.stdout.buffer`)},
		"7-Zip":                     {"7z", "a", "-tzip", "-bd", "-r"},
		"bsdtar (macOS's archiver)": {"bsdtar", "--format=zip", "-cf", "-", "LICENSE", "assets", ManifestName},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not on this machine", command[0])
			}
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

func sprintf(format, arg string) string {
	return string(bytes.Replace([]byte(format), []byte("%s"), []byte(arg), 1))
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

// runArchiver returns what an archiver writes to standard output, or to the file named by a last argument.
func runArchiver(t *testing.T, dir string, command []string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.zip")
	args := slices.Concat(command[1:], []string{out})
	if command[0] == "zip" || command[0] == "bsdtar" {
		args = command[1:]
	}
	if command[0] == "7z" {
		args = append(args, ".")
	}
	cmd := exec.Command(command[0], args...)
	cmd.Dir = dir
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", command[0], err)
	}
	if data, err := os.ReadFile(out); err == nil {
		return data
	}
	return stdout.Bytes()
}
