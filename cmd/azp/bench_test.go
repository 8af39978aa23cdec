package main

import (
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

	const registry = "../../../shared/vectors/azp-registry"
	packages, err := filepath.Glob(registry + "/*.azp")
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, command ...string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
	run("yardstick", yardstick)
	run("version", azp, "--version")
	if len(packages) == 0 {
		b.Skip("the registry's real packages are not here: they are not part of this repository")
	}
	run("one-package", azp, "verify", packages[0])
	run("registry", azp, "verify", registry)
}
