package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// The server in the tree runs in a WASI sandbox without files, network or environment, and the official client of the
// protocol gets from it what the package says that it offers, in every version.
func TestServerAnswersTheOfficialClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	inTree := committed(t)
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(1024))
	defer runtime.Close(context.Background())
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	code, err := runtime.CompileModule(ctx, inTree.server.module)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"", "2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"} {
		t.Run("version "+version, func(t *testing.T) {
			g := startGuest(t, ctx, runtime, code)
			client := mcp.NewClient(&mcp.Implementation{Name: "examplegen", Version: "1"}, nil)
			session, err := client.Connect(ctx, g.transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; version != "" && got != version {
				t.Errorf("the session speaks %s, want %s", got, version)
			}
			checkTools(t, ctx, session, inTree.offers)
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			g.wait(t)
		})
	}
}

// checkTools lists the tools, which must be those that the manifest offers, and calls them.
func checkTools(t *testing.T, ctx context.Context, session *mcp.ClientSession, offers []string) {
	t.Helper()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, offers) {
		t.Errorf("the server has the tools %v, the manifest offers %v", names, offers)
	}
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		want      any // nil: the tool reports an error
	}{
		{"count_text", map[string]any{"text": "one two\nthree"}, map[string]any{"characters": 13.0, "words": 3.0, "lines": 2.0}},
		{"slugify", map[string]any{"text": "Über uns", "maxLength": 8}, map[string]any{"slug": "über-uns"}},
		{"slugify", map[string]any{"text": "?"}, nil},
	} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.tool, Arguments: call.arguments})
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError != (call.want == nil) || !reflect.DeepEqual(result.StructuredContent, call.want) {
			t.Errorf("%s(%v) gives %v, want %v", call.tool, call.arguments, result.StructuredContent, call.want)
		}
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("a tool that does not exist was called")
	}
	if _, err := session.ListResources(ctx, nil); err == nil {
		t.Error("resources were listed, though none are offered")
	}
}

// guest is a running server.
type guest struct {
	transport *mcp.IOTransport
	stderr    bytes.Buffer
	ended     chan error
}

// startGuest starts the server with its standard streams on pipes of the system: those of package io block it.
func startGuest(t *testing.T, ctx context.Context, runtime wazero.Runtime, code wazero.CompiledModule) *guest {
	t.Helper()
	stdin, toGuest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromGuest, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{transport: &mcp.IOTransport{Reader: fromGuest, Writer: toGuest}, ended: make(chan error, 1)}
	config := wazero.NewModuleConfig().WithName("").WithStdin(stdin).WithStdout(stdout).WithStderr(&g.stderr)
	go func() {
		_, err := runtime.InstantiateModule(ctx, code, config)
		g.ended <- errors.Join(err, stdin.Close(), stdout.Close())
	}()
	return g
}

// wait asks that the server ends by itself, in peace.
func (g *guest) wait(t *testing.T) {
	t.Helper()
	err := <-g.ended
	if exit, ok := errors.AsType[*sys.ExitError](err); ok && exit.ExitCode() == 0 {
		err = nil
	}
	if err != nil || g.stderr.Len() > 0 {
		t.Errorf("the server ended with %v, saying %q", err, g.stderr.String())
	}
}
