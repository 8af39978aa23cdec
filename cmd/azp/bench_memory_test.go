//go:build linux

// The benchmark is for Linux alone, which counts resident memory in KiB.

package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkMemory reports the resident memory of whole runs over packages that unpack to a little, the yardstick, and to
// nearly the limit of 1 GiB: the payload's size is not to show in it.
func BenchmarkMemory(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "azp")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("building azp: %v\n%s", err, out)
	}
	for _, size := range []struct {
		name    string
		payload int64
	}{{"1MiB", 1 << 20}, {"1GiB", 1<<30 - 1<<20}} {
		archive := filepath.Join(dir, size.name+".azp")
		if err := writePayload(archive, size.payload); err != nil {
			b.Fatal(err)
		}
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(size.payload)
			var resident int64
			for b.Loop() {
				// The package is not signed and fails with status 1, which is said after all its payload was read.
				cmd := exec.Command(program, "verify", archive)
				out, _ := cmd.CombinedOutput()
				if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "1 package checked") {
					b.Fatalf("%v\n%s", cmd.ProcessState, out)
				}
				resident = max(resident, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
			b.ReportMetric(float64(resident)/1024, "MiB-resident")
		})
	}
}

// writePayload writes an archive with a manifest and a payload of so many zeros.
func writePayload(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := zip.NewWriter(f)
	manifest, err := w.Create("manifest.json")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(manifest, `{"azphalt":"0.1","id":"com.example.large","version":"1.0.0","kind":"brush"}`); err != nil {
		return err
	}
	payload, err := w.Create("assets/zeros.bin")
	if err != nil {
		return err
	}
	if _, err := io.CopyN(payload, zeros{}, size); err != nil {
		return err
	}
	return w.Close()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
