package probe

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/azphalt/submissions/check"
)

// server builds a server for WASI.
func server(t testing.TB, source string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "server.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, source)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", source, err, said)
	}
	code, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// compiled is a folder of compiled modules for all tests of a run.
var compiled = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "probe-test") })

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, err := compiled(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

func sandbox(t testing.TB, patience time.Duration) *Sandbox {
	t.Helper()
	dir, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return &Sandbox{Dir: dir, AnswerTime: patience}
}

// The server of the example answers, as real servers do.
func TestExampleServer(t *testing.T) {
	code := server(t, "../internal/examplegen/textserver")
	answer, err := sandbox(t, 2*time.Minute).Start(t.Context(), check.Launch{Module: code})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Tools) != 2 || answer.Tools[0].Name != "count_text" || answer.Tools[0].Description == "" ||
		!strings.Contains(answer.Tools[0].Schema, `"text"`) || len(answer.Resources)+len(answer.Prompts) > 0 || answer.Name == "" {
		t.Errorf("%+v", answer)
	}
}

// Whatever a server does, the sandbox says so, and goes on.
func TestServersOfAllKinds(t *testing.T) {
	code := server(t, "./testdata/server")
	before := runtime.NumGoroutine()
	for how, want := range map[string]string{
		"well": "", "endless": "", "null": "",
		"sleep": "did not answer", "spin": "did not answer", "deaf": "did not answer", "flood-errors": "did not answer",
		"exit": "ended with the status 3", "leave": "it ended before it answered", "crash": "ended with the status 2", "eat": "ended with the status 2",
		"flood": "wrote more than 16 MiB", "flood-line": "answered in another way", "babble": "it ended before it answered",
	} {
		t.Run(how, func(t *testing.T) {
			patience := time.Minute
			if want == "did not answer" {
				patience = 2 * time.Second
			}
			answer, err := sandbox(t, patience).Start(t.Context(), check.Launch{Module: code, Args: []string{how, "", "a\x00b"}})
			failure, failed := errors.AsType[*check.ProbeFailure](err)
			switch {
			case want == "" && err != nil:
				t.Errorf("it failed: %v", err)
			case want != "" && (!failed || !strings.Contains(failure.Reason, want)):
				t.Errorf("got %v, want %s", err, want)
			case want == "" && len(answer.Tools) > maxOffered:
				t.Errorf("%d tools", len(answer.Tools))
			}
		})
	}
	for range 100 { // goroutines of sessions end a little later
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// Servers that take all that they can get take no more together than two of them may have.
func TestHungryServers(t *testing.T) {
	code := server(t, "./testdata/server")
	var before, after runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	for range 3 {
		if _, err := sandbox(t, time.Minute).Start(t.Context(), check.Launch{Module: code, Args: []string{"eat"}}); err == nil {
			t.Fatal("it answered")
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 2*memoryPages<<16+64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// A server sees an empty folder and what the manifest has it passed, and nothing of the machine.
func TestNothingOfTheMachineIsSeen(t *testing.T) {
	t.Setenv("AZP_TEST_SECRET", "hunter2")
	code := server(t, "./testdata/server")
	answer, err := sandbox(t, 2*time.Minute).Start(t.Context(), check.Launch{Module: code, Args: []string{"look"}, Env: map[string]string{"KEY": "example", "": "x", "A=B": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "0 files, <nil>; passwd: true; outside: true; write: true; network: true; args server look; environment KEY=example"
	if answer.Instructions != want {
		t.Errorf("got  %s\nwant %s", answer.Instructions, want)
	}
}

// Who gives up waiting is told so: that is no fault of the server.
func TestCancelling(t *testing.T) {
	code := server(t, "./testdata/server")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if _, err := sandbox(t, time.Minute).Start(ctx, check.Launch{Module: code, Args: []string{"sleep"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNotStarted(t *testing.T) {
	for name, launch := range map[string]check.Launch{
		"no module":          {Module: []byte("nothing")},
		"too many arguments": {Args: []string{strings.Repeat("x", maxArgs+1)}},
	} {
		if _, err := sandbox(t, time.Minute).Start(t.Context(), launch); !errors.As(err, new(*check.ProbeFailure)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
