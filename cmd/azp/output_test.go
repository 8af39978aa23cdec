package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// brokenPipe takes nothing, as a pipe whose reader is gone or a full disk does.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// What a command was to print may be all that it was run for: where that is lost, it fails.
func TestLostOutputIsAFailure(t *testing.T) {
	example, err := filepath.Abs("../../submissions-example")
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(example + "/com.example.good.*/*.azp")
	if err != nil || len(found) == 0 {
		t.Fatalf("no archive in the example: %v", err)
	}
	archive := found[0]
	t.Chdir(t.TempDir())
	if err := os.WriteFile("store.json", []byte(`{"keys":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if status := run(context.Background(), []string{"new", "mcp", "com.example.mine"}, io.Discard, io.Discard); status != 0 {
		t.Fatalf("new: status %d", status)
	}
	for _, line := range []string{
		"keygen", "keygen -o key.pem", // the key serves those below
		"verify ARCHIVE", "verify --format json ARCHIVE", "inspect ARCHIVE", "inspect --json ARCHIVE", "trust ARCHIVE --store store.json",
		"sign ARCHIVE --key key.pem -o signed.azp", "pack com.example.mine", "rules", "rules mcp/literal-secret",
	} {
		t.Run(line, func(t *testing.T) {
			var stderr strings.Builder
			args := strings.Fields(strings.ReplaceAll(line, "ARCHIVE", archive))
			if status := run(context.Background(), args, brokenPipe{}, &stderr); status != exitNoLook || !strings.Contains(stderr.String(), io.ErrClosedPipe.Error()) {
				t.Errorf("status %d, saying %q", status, stderr.String())
			}
		})
	}
}
