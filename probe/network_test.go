package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/azphalt/submissions/check"
)

// newServer is a real server on this machine, with both ways to reach it, behind a key.
func newServer(t *testing.T) (s *httptest.Server, key *atomic.Value) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "2"}, &mcp.ServerOptions{Instructions: "Ask for the weather."})
	type where struct {
		City string `json:"city"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "forecast", Description: "Tells the weather."}, func(context.Context, *mcp.CallToolRequest, where) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "pack", Description: "What to take."}, nil)
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	key = &atomic.Value{}
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key.Store(r.Header.Get("X-Api-Key"))
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s, key
}

func TestRemoteServers(t *testing.T) {
	s, key := newServer(t)
	n := &Network{AllowLoopback: true}
	for kind, path := range map[string]string{"http": "/mcp", "sse": "/sse"} {
		t.Run(kind, func(t *testing.T) {
			answer, err := n.Connect(t.Context(), check.Remote{Type: kind, URL: s.URL + path, Headers: map[string]string{"x-api-key": "example", "Host": "elsewhere"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(answer.Tools) != 1 || answer.Tools[0].Name != "forecast" || !strings.Contains(answer.Tools[0].Schema, "city") ||
				len(answer.Prompts) != 1 || answer.Name != "weather" || answer.Instructions != "Ask for the weather." {
				t.Errorf("%+v", answer)
			}
			if key.Load() != "example" {
				t.Errorf("the header came as %q", key.Load())
			}
		})
	}
}

// Without the switch for tests nothing on this machine or in its network is spoken to, whatever leads there.
func TestPrivateAddressesAreNotSpokenTo(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	n := &Network{}
	for _, address := range []string{
		s.URL, "https://localhost" + port, "https://[::1]" + port, "https://[::ffff:127.0.0.1]" + port, "https://127.1" + port, "https://0.0.0.0" + port,
		"https://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "https://[fe80::1%25lo]/", "https://[fd00::1]/", "https://[64:ff9b::7f00:1]/",
		strings.Replace(s.URL, "https", "http", 1), "file:///etc/passwd", "https://", "::",
	} {
		if _, err := n.Fetch(t.Context(), address); !errors.As(err, new(*check.ProbeFailure)) {
			t.Errorf("%s was fetched: %v", address, err)
		}
		if _, err := n.Connect(t.Context(), check.Remote{Type: "http", URL: address}); !errors.As(err, new(*check.ProbeFailure)) {
			t.Errorf("%s was connected to: %v", address, err)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestRedirects(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/private":
			http.Redirect(w, r, "http://10.255.255.1/", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/there":
			fmt.Fprint(w, "here")
		default:
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	}))
	defer s.Close()
	n := &Network{AllowLoopback: true}
	for path, want := range map[string]string{"/private": "not a public one", "/file": "the address is none", "/loop": "from address to address"} {
		_, err := n.Fetch(t.Context(), s.URL+path)
		if failure, ok := errors.AsType[*check.ProbeFailure](err); !ok || !strings.Contains(failure.Reason, want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	body, err := n.Fetch(t.Context(), s.URL+"/once")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if text, err := io.ReadAll(body); err != nil || string(text) != "here" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestServersThatMisbehaveOnTheNetwork(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flood":
			w.Header().Set("Content-Type", "text/event-stream")
			for line := []byte(": " + strings.Repeat("x", 1<<16) + "\n\n"); ; {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		case "/cut":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("short"))
		case "/login":
			w.WriteHeader(http.StatusUnauthorized)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}
	}))
	defer s.Close()
	n := &Network{AllowLoopback: true}
	for _, path := range []string{"/flood", "/login", "/page"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		_, err := n.Connect(ctx, check.Remote{Type: "http", URL: s.URL + path})
		cancel()
		if !errors.As(err, new(*check.ProbeFailure)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"/login": "the answer was 401 Unauthorized", "/cut": "it ended too early"} {
		body, err := n.Fetch(t.Context(), s.URL+path)
		if err == nil {
			_, err = io.ReadAll(body)
			body.Close()
		}
		if failure, ok := errors.AsType[*check.ProbeFailure](err); !ok || failure.Reason != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "172.15.255.255": true, "172.32.0.1": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "198.18.0.1": false, "::1": false, "::": false, "fe80::1": false,
		"fd12::1": false, "ff02::1": false, "::ffff:10.0.0.1": false, "::7f00:1": false, "64:ff9b::a00:1": false, "2002:7f00:1::": false, "2001:db8::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address).Unmap()); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
