package githubapp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestLocating has servers with their API in either place, which answer differently where there is none.
func TestLocating(t *testing.T) {
	for name, elsewhere := range map[string]http.HandlerFunc{
		"404": http.NotFound,
		"401": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"501": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) },
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>Sign in</p>"))
		},
	} {
		for _, place := range []string{"/api/v3", ""} {
			t.Run(name+" beside "+place, func(t *testing.T) {
				api, misses := http.NewServeMux(), atomic.Int32{}
				api.HandleFunc("POST "+place+"/token", func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					w.WriteHeader(http.StatusCreated)
					_, _ = w.Write(body)
				})
				api.HandleFunc("GET "+place+"/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
				api.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
					misses.Add(1)
					elsewhere(w, r)
				})
				server := httptest.NewServer(api)
				defer server.Close()
				client := &http.Client{Transport: Locating(http.DefaultTransport)}
				resp, err := client.Get(server.URL + "/api/v3/gone") // says nothing of the place
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				for range 3 {
					resp, err := client.Post(server.URL+"/api/v3/token", "application/json", strings.NewReader("{}"))
					if err != nil {
						t.Fatal(err)
					}
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if resp.StatusCode != http.StatusCreated || string(body) != "{}" {
						t.Errorf("%d %q", resp.StatusCode, body)
					}
				}
				if n := misses.Load(); n > 2 {
					t.Errorf("asked in the wrong place %d times", n)
				}
			})
		}
	}
}

// TestLocatingGivesTheTellingAnswer is of a server that has the API at its root, and does not know the caller.
func TestLocatingGivesTheTellingAnswer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	server := httptest.NewServer(mux)
	defer server.Close()
	client := &http.Client{Transport: Locating(http.DefaultTransport)}
	for path, want := range map[string]int{"/api/v3/app": 401, "/api/v3/repos": 404, "/other": 404} {
		resp, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}
