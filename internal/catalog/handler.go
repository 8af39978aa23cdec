package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/registry"
)

// Source is where a catalogue comes from.
type Source interface {
	// Catalog returns what is published now. The error [ErrNone] says that there is no registry.
	Catalog(ctx context.Context) (*Catalog, error)
	// Open returns the bytes of a version.
	Open(ctx context.Context, e registry.Entry) (Content, error)
}

// Content is the bytes of a package.
type Content interface {
	io.ReaderAt
	io.Closer
}

// ErrNone says that there is no registry to serve. What wraps it says why.
var ErrNone = errors.New("this server has no registry")

// MediaType is that of packages.
const MediaType = "application/vnd.azphalt.package"

// Paths are the paths that a [Handler] serves, in the form of [http.ServeMux].
var Paths = []string{"/.well-known/azphalt-repository.json", "/packages", "/packages/", "/revocations", "/updates"}

// Handler serves the registry read API to anybody: it holds nothing that is not public.
type Handler struct {
	Source Source
	Log    *slog.Logger
}

// problem is an answer that is no success, in the words of the format.
type problem struct {
	status  int
	message string
}

func (p *problem) code() string {
	switch p.status {
	case http.StatusUnauthorized:
		return "unauthorized"
	case http.StatusNotFound:
		return "not_found"
	case http.StatusMethodNotAllowed:
		return "method_not_allowed"
	case http.StatusServiceUnavailable:
		return "server_error"
	default:
		return "bad_request"
	}
}

func notFound(format string, args ...any) *problem {
	return &problem{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*") // hosts in browsers
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodOptions {
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		header.Set("Access-Control-Allow-Headers", "Content-Type, Range")
		header.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if p := h.serve(w, r); p != nil {
		refuse(w, p)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) *problem {
	allowed := []string{http.MethodGet, http.MethodHead}
	if r.URL.Path == "/updates" {
		allowed = []string{http.MethodPost}
	}
	if !slices.Contains(allowed, r.Method) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &problem{http.StatusMethodNotAllowed, "this address takes " + strings.Join(allowed, " and ")}
	}
	c, err := h.Source.Catalog(r.Context())
	if errors.Is(err, ErrNone) {
		return notFound("%s", err)
	}
	if err != nil {
		return h.unavailable(r.Context(), "the registry can't be read", err)
	}
	switch path := r.URL.Path; path {
	case "/.well-known/azphalt-repository.json":
		return h.answer(w, r, c.index)
	case "/packages":
		q, err := parseQuery(r.URL.Query())
		if err != nil {
			return &problem{http.StatusBadRequest, err.Error()}
		}
		return h.answer(w, r, c.search(q))
	case "/revocations":
		return h.revocations(w, r, c)
	case "/updates":
		return h.updates(w, r, c)
	default:
		return h.pkg(w, r, c, strings.Split(strings.TrimPrefix(path, "/packages/"), "/"))
	}
}

// unavailable logs why a request can't be answered; who asks learns no more than that.
func (h *Handler) unavailable(ctx context.Context, message string, err error) *problem {
	if ctx.Err() == nil {
		h.Log.Error(message, "error", err)
	}
	return &problem{http.StatusServiceUnavailable, message + " now; try again in a while"}
}

// pkg serves what is below the address of a package.
func (h *Handler) pkg(w http.ResponseWriter, r *http.Request, c *Catalog, parts []string) *problem {
	id := parts[0]
	switch {
	case len(parts) == 1:
		p, ok := c.packages[id]
		if !ok || p.access == private {
			return notFound("no package has this id")
		}
		return h.answer(w, r, p.detail())
	case len(parts) == 4 && parts[1] == "versions" && parts[3] == "download":
		p, v := c.find(id, parts[2])
		switch {
		case p == nil || v == nil:
			return notFound("no package has this id and version")
		case p.access == private || v.access() == private: // a version may have been so before the package was opened
			return &problem{http.StatusUnauthorized, "this package is private, and this registry has no accounts"}
		case v.revoked != "":
			return notFound("this version was revoked: %s", v.revoked)
		}
		return h.download(w, r, v.Entry)
	default:
		return notFound("there is nothing at this address")
	}
}

// detail is a package with its history and manifest.
type detail struct {
	Summary
	Latest   string          `json:"latest,omitempty"` // none where all versions were revoked
	Manifest json.RawMessage `json:"manifest"`
	Versions []versionDetail `json:"versions"` // the newest first
}

type versionDetail struct {
	Version     string    `json:"version"`
	PublishedAt time.Time `json:"publishedAt"`
	Size        int64     `json:"size"` // in bytes
	Digest      string    `json:"digest"`
	Yanked      bool      `json:"yanked"`
}

func (p *pkg) detail() detail {
	d := detail{Summary: p.summary, Latest: p.latest, Manifest: p.manifest.Raw()}
	for _, v := range p.versions {
		d.Versions = append(d.Versions, versionDetail{v.Version, v.PublishedAt, v.Size, v.Digest, v.revoked != ""})
	}
	return d
}

// revocations serves the versions that were pulled.
func (h *Handler) revocations(w http.ResponseWriter, r *http.Request, c *Catalog) *problem {
	var since time.Time
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = parseTime(text); err != nil {
			return &problem{http.StatusBadRequest, "since is a time as in 2026-01-31T12:00:00Z, or a date"}
		}
	}
	return h.answer(w, r, map[string]any{"revocations": c.revokedSince(since)})
}

// parseTime reads a time or a date as ISO 8601 has it; one without a zone is in UTC.
func parseTime(text string) (t time.Time, err error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// maxLibrary bounds the list of what a host has, in bytes.
const maxLibrary = 1 << 20

// updates says which of the packages that a host has are out of date.
func (h *Handler) updates(w http.ResponseWriter, r *http.Request, c *Catalog) *problem {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLibrary))
	if err != nil {
		return &problem{http.StatusBadRequest, fmt.Sprintf("the body could not be read, or has more than %d bytes", maxLibrary)}
	}
	var have []struct{ ID, Version *string }
	if err := json.Unmarshal(text, &have); err != nil || have == nil {
		return &problem{http.StatusBadRequest, `the body is an array of objects such as {"id":"com.example.notes","version":"1.0.0"}`}
	}
	var list []installed
	for i, one := range have {
		if one.ID == nil || one.Version == nil {
			return &problem{http.StatusBadRequest, fmt.Sprintf("element %d of the body has no id or no version", i)}
		}
		list = append(list, installed{*one.ID, *one.Version})
	}
	return h.answer(w, r, map[string]any{"updates": c.updates(list)})
}

// answer writes JSON, and takes part in what caches do with it.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, value any) *problem {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return h.unavailable(r.Context(), "the answer can't be written", err)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "public, max-age=10")
	header.Set("ETag", `"`+azp.DigestOf(body.Bytes()).String()+`"`)
	r.Header.Del("Range") // of a list there are no parts
	if r.Method == http.MethodPost {
		r.Header.Del("If-None-Match") // a question is no write that another one could get in the way of
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body.Bytes()))
	return nil
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, p *problem) {
	header := w.Header()
	for _, name := range []string{"ETag", "Content-Disposition", "Last-Modified"} {
		header.Del(name)
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	if p.status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "10")
	}
	w.WriteHeader(p.status)
	body := map[string]any{"error": map[string]string{"code": p.code(), "message": p.message}}
	_ = json.NewEncoder(w).Encode(body) // a reader that went away is no fault
}
