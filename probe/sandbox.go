package probe

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/azphalt/submissions/check"
)

// Limits of the sandbox.
const (
	memoryPages = 256 << 20 >> 16 // of a guest: 256 MiB, in pages of 64 KiB
	compileTime = 2 * time.Minute
	graceTime   = 50 * time.Millisecond // for a guest that is ending by itself
	endTime     = 2 * time.Second       // for one to end once it is told to
	maxArgs     = 64 << 10              // bytes of arguments and environment together
)

// Sandbox runs modules for WASI, one at a time. It is safe for concurrent use.
type Sandbox struct {
	// Dir keeps compiled modules, as compiling takes seconds; "" for none. What is in the folder is run as it is, so it must
	// be one in which only the user can write. What is old is taken out of it.
	Dir string
	// AnswerTime is how long a server may take for a session; the default where 0.
	AnswerTime time.Duration

	mu sync.Mutex
}

// Start starts a server and asks it what it offers. It sees an empty folder, its arguments and environment, the clock and
// random numbers, and nothing else of the machine.
func (s *Sandbox) Start(ctx context.Context, launch check.Launch) (*check.Answer, error) {
	size := 0
	for _, arg := range launch.Args {
		size += len(arg)
	}
	for name, value := range launch.Env {
		size += len(name) + len(value)
	}
	if size > maxArgs {
		return nil, failed(fmt.Sprintf("it takes more than %d KiB of arguments and environment", maxArgs>>10))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cache, err := s.cache()
	if err != nil {
		return nil, err
	}
	defer cache.Close(context.WithoutCancel(ctx))
	runtime, code, err := compile(ctx, cache, launch.Module)
	if err != nil {
		return nil, err
	}
	defer runtime.Close(context.WithoutCancel(ctx))
	if s.Dir != "" {
		prune(s.Dir, time.Now())
	}
	var answer *check.Answer
	for _, version := range versions {
		answer, err = s.run(ctx, runtime, code, launch, version)
		debug.FreeOSMemory() // before another guest has its own
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

func (s *Sandbox) cache() (wazero.CompilationCache, error) {
	if s.Dir == "" {
		return wazero.NewCompilationCache(), nil
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(s.Dir)
}

// compile makes a module ready to run.
func compile(ctx context.Context, cache wazero.CompilationCache, module []byte) (wazero.Runtime, wazero.CompiledModule, error) {
	// A memory that is reserved at once takes up what the guest touches; one that grows is copied each time.
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(memoryPages).WithMemoryCapacityFromMax(true).
		WithDebugInfoEnabled(false).WithCompilationCache(cache)
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, nil, errors.Join(err, runtime.Close(ctx))
	}
	// With workers of its own, compiling ends when its time is over.
	timed, cancel := context.WithTimeout(experimental.WithCompilationWorkers(ctx, 2), compileTime)
	defer cancel()
	code, err := runtime.CompileModule(timed, module)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case timed.Err() != nil:
		err = failed("its module takes too long to compile")
	case err != nil:
		err = failed("the sandbox can't compile its module")
	}
	if err != nil {
		return nil, nil, errors.Join(err, runtime.Close(context.WithoutCancel(ctx)))
	}
	return runtime, code, nil
}

// noFiles is an empty folder.
var noFiles = sync.OnceValue(func() *zip.Reader {
	const endRecord = "PK\x05\x06" // and 18 bytes that say that there is nothing
	r, err := zip.NewReader(strings.NewReader(endRecord+strings.Repeat("\x00", 18)), 22)
	if err != nil {
		panic(err) // the archive is part of the program
	}
	return r
})

// guest is a server that runs.
type guest struct {
	toGuest, fromGuest *os.File // our ends of its standard streams
	stdin, stdout      *os.File // its ends
	output             *metered
	stop               context.CancelFunc
	ended              chan error // how it ended, once
}

// run runs the module once and asks it in a version of the protocol.
func (s *Sandbox) run(ctx context.Context, runtime wazero.Runtime, code wazero.CompiledModule, launch check.Launch, version string) (*check.Answer, error) {
	patience := cmp.Or(s.AnswerTime, answerTime)
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	g, err := start(timed, runtime, code, launch)
	if err != nil {
		return nil, err
	}
	// The session ends when the guest does: a write to it fails then, and a read is at its end.
	answer, err := ask(timed, version, &mcp.IOTransport{Reader: g.output, Writer: g.toGuest, MaxLineLength: maxMessage})
	late := timed.Err() != nil
	ending := g.end()
	switch {
	case !ending.over:
		return nil, failed("it could not be ended")
	case err == nil:
		return answer, nil
	}
	if late && !g.output.meter.isOver() {
		return nil, failed(fmt.Sprintf("it did not answer within %s", patience))
	}
	return nil, failed(g.reason(ending))
}

// start starts a guest with its standard streams on pipes of the system: those of package io block it.
func start(ctx context.Context, runtime wazero.Runtime, code wazero.CompiledModule, launch check.Launch) (*guest, error) {
	g := &guest{ended: make(chan error, 1)}
	var err error
	if g.stdin, g.toGuest, err = os.Pipe(); err != nil {
		return nil, err
	}
	if g.fromGuest, g.stdout, err = os.Pipe(); err != nil {
		g.stdin.Close()
		g.toGuest.Close()
		return nil, err
	}
	g.output = &metered{g.fromGuest, &meter{left: maxOutput}}
	ctx, g.stop = context.WithCancel(ctx)
	config := wazero.NewModuleConfig().WithName("").WithStdin(g.stdin).WithStdout(g.stdout).WithStderr(io.Discard).
		WithFSConfig(wazero.NewFSConfig().WithFSMount(noFiles(), "/")).
		WithArgs(append([]string{"server"}, nonEmpty(launch.Args)...)...).
		WithSysWalltime().WithSysNanotime().WithNanosleep(sleepWithin(ctx)).WithRandSource(rand.Reader)
	for name, value := range launch.Env {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			config = config.WithEnv(name, value)
		}
	}
	go func() {
		module, err := runtime.InstantiateModule(ctx, code, config)
		if module != nil {
			err = errors.Join(err, module.Close(ctx))
		}
		g.stdin.Close()
		g.stdout.Close()
		g.ended <- err
	}()
	return g, nil
}

// nonEmpty leaves out the arguments that the runtime refuses.
func nonEmpty(args []string) (out []string) {
	for _, a := range args {
		if a != "" && !strings.Contains(a, "\x00") {
			out = append(out, a)
		}
	}
	return out
}

// sleepWithin sleeps for a guest, and no longer than the guest is to live.
func sleepWithin(ctx context.Context) sys.Nanosleep {
	return func(ns int64) {
		timer := time.NewTimer(time.Duration(ns))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// end ends the guest and says how. Its input is closed, at which servers end by themselves; then it is stopped where it is.
// A guest that waits for its streams wakes up, as our ends are closed.
func (g *guest) end() ending {
	defer g.stop()
	var e ending
	if e.exit, e.over = g.wait(graceTime); e.over {
		e.itself = true
		return e
	}
	g.toGuest.Close()
	if e.exit, e.over = g.wait(endTime); !e.over {
		g.stop()
		g.fromGuest.Close()
		e.exit, e.over = g.wait(endTime)
	}
	return e
}

// ending is how a guest ended.
type ending struct {
	over, itself bool // at all; before it was told to
	exit         error
}

// wait waits for the guest's end.
func (g *guest) wait(d time.Duration) (exit error, over bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case exit = <-g.ended:
		g.toGuest.Close()
		g.fromGuest.Close()
		return exit, true
	case <-timer.C:
		return nil, false
	}
}

// reason says why a guest gave no answer.
func (g *guest) reason(e ending) string {
	code, exited := exitCode(e.exit)
	switch {
	case g.output.meter.isOver():
		return fmt.Sprintf("it wrote more than %d MiB", maxOutput>>20)
	case e.itself && exited && code != 0:
		return fmt.Sprintf("it ended with the status %d", code)
	case e.itself && exited:
		return "it ended before it answered as MCP asks for"
	case e.itself:
		return "it crashed"
	default:
		return "it answered in another way than MCP asks for"
	}
}

// exitCode returns the status with which a guest ended by itself.
func exitCode(err error) (code uint32, exited bool) {
	if err == nil {
		return 0, true
	}
	exit, ok := errors.AsType[*sys.ExitError](err)
	if !ok || exit.ExitCode() == sys.ExitCodeContextCanceled || exit.ExitCode() == sys.ExitCodeDeadlineExceeded {
		return 0, false
	}
	return exit.ExitCode(), true
}
