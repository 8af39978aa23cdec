package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkProcess times whole runs of the command, from start to exit. The yardstick is a program that does nothing: what
// this machine takes to start any.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	nothing := filepath.Join(dir, "nothing.go")
	if err := os.WriteFile(nothing, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	build := func(name, source string) string {
		program := filepath.Join(dir, name)
		if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
			b.Fatalf("building %s: %v\n%s", name, err, out)
		}
		return program
	}
	yardstick, azp := build("nothing", nothing), build("azp", ".")

	const size = 160 // packages
	registry, err := registryOf(size, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, command ...string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("yardstick", yardstick)
	run("version", azp, "--version")
	if len(registry) == 0 {
		b.Skip("the registry's real packages are not here: they are not part of this repository")
	}
	run("one-package", azp, "verify", registry[0])
	run("160-packages", azp, "verify", filepath.Dir(registry[0]))
}

// registryOf makes a folder of n real packages, the first of them twice where there are fewer, and returns their paths; none
// where the real packages are not here.
func registryOf(n int, dir string) ([]string, error) {
	real, err := filepath.Glob("../../../shared/vectors/azp-registry/*.azp")
	if err != nil || len(real) == 0 {
		return nil, err
	}
	paths := make([]string, n)
	for i := range paths {
		data, err := os.ReadFile(real[i%len(real)])
		if err != nil {
			return nil, err
		}
		paths[i] = filepath.Join(dir, fmt.Sprintf("%03d.azp", i))
		if err := os.WriteFile(paths[i], data, 0o600); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
