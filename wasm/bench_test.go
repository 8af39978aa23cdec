package wasm

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// goModule builds a real program, for WASI.
func goModule(t testing.TB) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "server.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "../internal/examplegen/textserver")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, said)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// BenchmarkRead reads a real module; the yardstick is its digest.
func BenchmarkRead(b *testing.B) {
	module := goModule(b)
	b.Run("yardstick", func(b *testing.B) {
		b.SetBytes(int64(len(module)))
		for b.Loop() {
			sha256.Sum256(module)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(module)))
		b.ReportAllocs()
		for b.Loop() {
			if m, err := Read(bytes.NewReader(module)); err != nil || m.Fault != nil || !m.Starts {
				b.Fatal(err, m)
			}
		}
	})
}
