package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// buildServer builds the example's server for WASI, so that the same toolchain gives the same bytes.
func buildServer(ctx context.Context) (server, error) {
	dir, err := os.MkdirTemp("", "examplegen")
	if err != nil {
		return server{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "textserver.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", out,
		"github.com/azphalt/submissions/internal/examplegen/textserver")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOTOOLCHAIN=local", "GOFLAGS=", "CGO_ENABLED=0", "GOWASM=", "GOEXPERIMENT=")
	if said, err := cmd.CombinedOutput(); err != nil {
		return server{}, fmt.Errorf("building the server: %w\n%s", err, said)
	}
	module, err := os.ReadFile(out)
	return server{module: module, toolchain: runtime.Version()}, err
}
