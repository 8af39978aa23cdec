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
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/registry"
)

// fixed is a source that never changes. Each version's bytes are its id and version, again and again.
type fixed struct {
	catalog *Catalog
	err     error
}

func (f fixed) Catalog(context.Context) (*Catalog, error) { return f.catalog, f.err }

func (fixed) Open(_ context.Context, e registry.Entry) (Content, error) {
	if e.ID == "com.example.lost" {
		return nil, errors.New("connection refused by 10.0.0.7")
	}
	return content{bytes.NewReader(bytesOf(e))}, nil
}

type content struct{ *bytes.Reader }

func (content) Close() error { return nil }

func bytesOf(e registry.Entry) []byte {
	return []byte(strings.Repeat(e.ID+e.Version+"\n", 100))[:e.Size]
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// entry is a version that was published a number of days after the start; members are added to its manifest.
func entry(id, version string, day int, members string) registry.Entry {
	e := registry.Entry{ID: id, Version: version, Size: 500, PublishedAt: start.AddDate(0, 0, day)}
	e.Digest = azp.DigestOf(bytesOf(e)).String()
	e.Manifest = json.RawMessage(fmt.Sprintf(`{"azphalt":"0.1","id":%q,"version":%q,"license":"MIT","compat":">=0.1",%s}`, id, version, members))
	return e
}

const notesServer = `"name":"Notes","kind":"mcp","author":"Acme","description":"Reads notes aloud","mcp":{"servers":[{"id":"s"}]}`

func testShelf() Shelf {
	return Shelf{
		Name: "Test", Keys: []azp.TrustedKey{{PublicKey: "key", KeyID: "registry"}},
		Entries: []registry.Entry{
			entry("com.acme.notes", "1.10.0", 3, notesServer), entry("com.acme.notes", "1.9.0", 2, notesServer), entry("com.acme.notes", "2.0.0", 4, notesServer),
			entry("com.acme.lut", "1.0.0", 5, `"name":"Film looks","kind":"asset","assets":[{"type":"lut"},{"type":"lut"}],"preview":{"image":"card.png"},"nameLocalized":{"de":"Filmlooks"}`),
			entry("com.acme.brush", "0.1.0", 1, `"name":"Brushes","kind":"code","capabilities":["canvas","layers"],"tags":["Ink"]`),
			entry("com.acme.phone", "1.0.0", 6, `"name":"Phone","kind":"app","targetApps":["com.acme.editor"],"app":{"platforms":{"pwa":{"startUrl":"https://a.example/"}},"handoffs":[{"id":"h"}]}`),
			entry("com.acme.hidden", "1.0.0", 7, `"name":"Hidden","kind":"asset","visibility":"unlisted"`),
			entry("com.acme.closed", "1.0.0", 7, `"name":"Closed","kind":"asset","visibility":"private"`),
			entry("com.acme.lut", "0.9.0", 0, `"name":"Film looks","kind":"asset","visibility":"private"`),
			entry("com.acme.gone", "1.0.0", 7, `"name":"Gone","kind":"skill"`),
			entry("com.acme.denied", "1.0.0", 7, `"name":"Denied","kind":"script"`),
			entry("com.example.lost", "1.0.0", 0, `"name":"Lost","kind":"asset","assets":[{"type":"audio"}]`),
			entry("com.acme.broken", "1.0.0", 7, `"name":"a","name":"b"`),
		},
		Revocations: []registry.Revocation{
			{ID: "com.acme.gone", Version: "1.0.0", Reason: "malware", RevokedAt: start.AddDate(0, 1, 0)},
			{ID: "com.acme.notes", Version: "2.0.0", RevokedAt: start},
		},
		Denied: func(e registry.Entry) bool { return e.ID == "com.acme.denied" },
	}
}

func testHandler(t testing.TB) *Handler {
	t.Helper()
	c, problems := New(testShelf())
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "com.acme.broken 1.0.0") {
		t.Fatalf("problems: %v", problems)
	}
	return &Handler{Source: fixed{catalog: c}, Log: slog.New(slog.DiscardHandler)}
}

func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestSearch(t *testing.T) {
	h := testHandler(t)
	for query, want := range map[string]string{
		"":                           "phone lut notes brush lost", // the newest first; what is hidden, revoked or denied is not listed
		"q=notes":                    "notes",
		"q=Acme+ALOUD":               "notes",
		"q=aloud+brushes":            "",
		"q=ink":                      "brush",
		"tags=ink":                   "brush",
		"tags=ink,notes":             "",
		"kind=mcp":                   "notes",
		"kind=mcp,code":              "notes brush",
		"kind=skill":                 "",
		"types=lut":                  "lut",
		"types=lut,audio":            "lut lost",
		"mediaDomains=video":         "lut",
		"mediaDomains=image,audio":   "lut brush lost",
		"capabilities=canvas":        "phone lut notes lost",
		"capabilities=layers,canvas": "phone lut notes brush lost",
		"app=com.acme.editor":        "phone lut notes brush lost",
		"app=com.other.editor":       "lut notes brush lost",
		"sort=name":                  "brush lut lost notes phone",
		"sort=recent":                "phone lut notes brush lost",
		"page=9":                     "phone lut notes brush lost",
	} {
		w := ask(h, "GET", "/packages?"+query, "")
		var got results
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
			continue
		}
		var names []string
		for _, p := range got.Packages {
			names = append(names, p.ID[strings.LastIndexByte(p.ID, '.')+1:])
		}
		if strings.Join(names, " ") != want || got.Total != len(names) || got.Page != 1 || got.Pages != 1 {
			t.Errorf("%s: %q of %d, want %q", query, names, got.Total, want)
		}
	}
}

func TestPages(t *testing.T) {
	var s Shelf
	for i := range 120 {
		s.Entries = append(s.Entries, entry(fmt.Sprintf("com.acme.p%03d", i), "1.0.0", 0, `"name":"P","kind":"asset"`))
	}
	c, _ := New(s)
	seen := map[string]bool{}
	for page := range 3 {
		r := c.search(query{page: page + 1})
		if r.Total != 120 || r.Pages != 3 || r.Page != page+1 {
			t.Errorf("page %d: %d %d %d", page+1, r.Total, r.Pages, r.Page)
		}
		for _, p := range r.Packages {
			seen[p.ID] = true
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d packages on all pages", len(seen))
	}
}

// TestAnswers compares whole answers, as hosts depend on them.
func TestAnswers(t *testing.T) {
	h := testHandler(t)
	for _, a := range []struct{ method, target, body, want string }{
		{"GET", "/.well-known/azphalt-repository.json", "", `{"name":"Test","version":"0.1","supportedTypes":["audio","lut"],"profiles":["companion","image","mcp","video-audio"],"signingKeys":[{"publicKey":"key","keyId":"registry"}]}`},
		{"GET", "/packages?kind=app", "", `{"packages":[{"id":"com.acme.phone","name":"Phone","version":"1.0.0","latest":"1.0.0","kind":"app","license":"MIT","types":[],"priceStatus":"free","maturity":"general","targetApps":["com.acme.editor"],"capabilities":[],"mediaDomains":[],` +
			`"app":{"roles":["companion"],"platforms":{"pwa":{"startUrl":"https://a.example/"}}},"updatedAt":"2026-01-07T00:00:00Z","byteSize":500}],"total":1,"page":1,"pages":1}`},
		{"GET", "/packages?q=film", "", `{"packages":[{"id":"com.acme.lut","name":"Film looks","nameLocalized":{"de":"Filmlooks"},"version":"1.0.0","latest":"1.0.0","kind":"asset","license":"MIT","types":["lut"],"priceStatus":"free","maturity":"general","targetApps":[],"capabilities":[],` +
			`"mediaDomains":["image","video"],"updatedAt":"2026-01-06T00:00:00Z","byteSize":500,"preview":{"image":"card.png"}}],"total":1,"page":1,"pages":1}`},
		{"GET", "/revocations", "", `{"revocations":[{"id":"com.acme.gone","version":"1.0.0","reason":"malware","revokedAt":"2026-02-01T00:00:00Z"},{"id":"com.acme.notes","version":"2.0.0","revokedAt":"2026-01-01T00:00:00Z"}]}`},
		{"GET", "/revocations?since=2026-01-01", "", `{"revocations":[{"id":"com.acme.gone","version":"1.0.0","reason":"malware","revokedAt":"2026-02-01T00:00:00Z"}]}`},
		{"GET", "/revocations?since=2026-02-01T01:00:00%2B01:00", "", `{"revocations":[]}`},
		{"POST", "/updates", `[]`, `{"updates":[]}`},
		// What is current, ahead, unknown or private is left out, and what stands there twice is said once.
		{"POST", "/updates", `[{"id":"com.acme.notes","version":"1.9.0"},{"id":"com.acme.notes","version":"1.9.0"},{"id":"com.acme.lut","version":"1.0.0"},{"id":"com.acme.brush","version":"9.0.0"},{"id":"x","version":"1"},{"id":"com.acme.closed","version":"0.1.0"}]`,
			`{"updates":[{"id":"com.acme.notes","latest":"1.10.0"}]}`},
	} {
		w := ask(h, a.method, a.target, a.body)
		if got := strings.TrimSuffix(w.Body.String(), "\n"); w.Code != http.StatusOK || got != a.want || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s %s: %d\n%s\nwant\n%s", a.method, a.target, w.Code, got, a.want)
		}
	}
	w := ask(h, "GET", "/packages/com.acme.notes", "")
	var d struct {
		Latest, Version, Kind string
		Manifest              json.RawMessage
		Versions              []versionDetail
	}
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Latest != "1.10.0" || d.Version != "1.10.0" || d.Kind != "mcp" || !bytes.Contains(d.Manifest, []byte(`"mcp":{"servers":[{"id":"s"}]}`)) {
		t.Errorf("detailed as %s", w.Body)
	}
	if v := d.Versions; len(v) != 3 || v[0].Version != "2.0.0" || !v[0].Yanked || v[1].Version != "1.10.0" || v[1].Yanked || v[2].Version != "1.9.0" || v[2].Size != 500 {
		t.Errorf("versions %+v", v)
	}
	if w := ask(h, "GET", "/packages", "", "If-None-Match", ask(h, "GET", "/packages", "").Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("an answer that is known: %d", w.Code)
	}
	if w := ask(h, "POST", "/updates", "[]", "If-None-Match", ask(h, "POST", "/updates", "[]").Header().Get("ETag")); w.Code != http.StatusOK {
		t.Errorf("a question that was asked before: %d %s", w.Code, w.Body)
	}
	if w := ask(h, "HEAD", "/packages", ""); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}
	if w := ask(h, "OPTIONS", "/updates", ""); w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
}

func TestRefusals(t *testing.T) {
	h := testHandler(t)
	long := strings.Repeat("x", maxQuery+1)
	for _, a := range []struct {
		method, target, body string
		status               int
		code                 string
	}{
		{"POST", "/packages", "", 405, "method_not_allowed"},
		{"DELETE", "/packages/com.acme.notes", "", 405, "method_not_allowed"},
		{"GET", "/updates", "", 405, "method_not_allowed"},
		{"GET", "/packages/", "", 404, "not_found"},
		{"GET", "/packages/com.acme.none", "", 404, "not_found"},
		{"GET", "/packages/com.acme.closed", "", 404, "not_found"},
		{"GET", "/packages/com.acme.notes/versions", "", 404, "not_found"},
		{"GET", "/packages/com.acme.notes/versions/1.0.0/download", "", 404, "not_found"},
		{"GET", "/packages/com.acme.notes/versions/2.0.0/download", "", 404, "not_found"},
		{"GET", "/packages/com.acme.denied/versions/1.0.0/download", "", 404, "not_found"},
		{"GET", "/packages/com.acme.closed/versions/1.0.0/download", "", 401, "unauthorized"},
		{"GET", "/packages/com.acme.lut/versions/0.9.0/download", "", 401, "unauthorized"},
		{"GET", "/packages/com.example.lost/versions/1.0.0/download", "", 503, "server_error"},
		{"GET", "/packages?page=0", "", 400, "bad_request"},
		{"GET", "/packages?page=x", "", 400, "bad_request"},
		{"GET", "/packages?sort=size", "", 400, "bad_request"},
		{"GET", "/packages?q=a&q=b", "", 400, "bad_request"},
		{"GET", "/packages?q=" + long, "", 400, "bad_request"},
		{"GET", "/packages?q=" + strings.Repeat("a+", maxWords) + "&tags=b", "", 400, "bad_request"},
		{"GET", "/packages?q=a&tags=" + strings.Repeat("b,", maxWords), "", 400, "bad_request"},
		{"GET", "/revocations?since=yesterday", "", 400, "bad_request"},
		{"POST", "/updates", ``, 400, "bad_request"},
		{"POST", "/updates", `null`, 400, "bad_request"},
		{"POST", "/updates", `{}`, 400, "bad_request"},
		{"POST", "/updates", `[null]`, 400, "bad_request"},
		{"POST", "/updates", `[{"id":"a"}]`, 400, "bad_request"},
		{"POST", "/updates", `[{"id":1,"version":"1"}]`, 400, "bad_request"},
		{"POST", "/updates", `[]]`, 400, "bad_request"},
		{"POST", "/updates", "[" + strings.Repeat(" ", maxLibrary) + "]", 400, "bad_request"},
	} {
		w := ask(h, a.method, a.target, a.body)
		if w.Code != a.status || errorCode(t, w) != a.code {
			t.Errorf("%s %.60s %.30s: %d %s, want %d %s", a.method, a.target, a.body, w.Code, w.Body, a.status, a.code)
		}
		if strings.Contains(w.Body.String(), "10.0.0.7") {
			t.Errorf("%s says what is inside: %s", a.target, w.Body)
		}
	}
	none := &Handler{Source: fixed{err: fmt.Errorf("%w: nobody said where", ErrNone)}, Log: slog.New(slog.DiscardHandler)}
	if w := ask(none, "GET", "/packages", ""); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "nobody said where") {
		t.Errorf("without a registry: %d %s", w.Code, w.Body)
	}
}

// errorCode reads a refusal, which must be of the format's form and no other.
func errorCode(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var e struct {
		Error struct{ Code, Message string }
	}
	dec := json.NewDecoder(w.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil || e.Error.Message == "" || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("no refusal of the format's form: %v %v", err, w.Header())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("something comes after the refusal: %v", err)
	}
	return e.Error.Code
}

func TestDownload(t *testing.T) {
	h := testHandler(t)
	const address = "/packages/com.acme.lut/versions/1.0.0/download"
	whole := bytesOf(entry("com.acme.lut", "1.0.0", 0, `"name":""`))
	for _, a := range []struct {
		ranges, contentRange string
		status               int
		want                 []byte
	}{
		{"", "", 200, whole},
		{"bytes=0-9", "bytes 0-9/500", 206, whole[:10]},
		{"bytes=490-", "bytes 490-499/500", 206, whole[490:]},
		{"bytes=-10", "bytes 490-499/500", 206, whole[490:]},
		{"bytes=490-9999", "bytes 490-499/500", 206, whole[490:]},
	} {
		w := ask(h, "GET", address, "", "Range", a.ranges)
		if w.Code != a.status || !bytes.Equal(w.Body.Bytes(), a.want) || w.Header().Get("Content-Range") != a.contentRange ||
			w.Header().Get("Content-Type") != MediaType || w.Header().Get("Accept-Ranges") != "bytes" {
			t.Errorf("%q: %d %v", a.ranges, w.Code, w.Header())
		}
	}
	w := ask(h, "GET", address, "", "Range", "bytes=500-")
	if w.Code != 416 || w.Header().Get("Content-Range") != "bytes */500" || errorCode(t, w) != "bad_request" {
		t.Errorf("past the end: %d %v", w.Code, w.Header())
	}
	if w := ask(h, "GET", address, "", "If-None-Match", ask(h, "GET", address, "").Header().Get("ETag")); w.Code != http.StatusNotModified {
		t.Errorf("bytes that are known: %d", w.Code)
	}
}

// FuzzServe asks for whatever strangers can think of: there is an answer in JSON, or a package.
func FuzzServe(f *testing.F) {
	for _, seed := range []struct{ path, query, body string }{
		{"/packages", "q=notes&kind=mcp&page=2&sort=name", ""}, {"/revocations", "since=2026-01-01", ""}, {"/updates", "", `[{"id":"com.acme.notes","version":"1.9.0"}]`},
		{"/packages/com.acme.lut/versions/1.0.0/download", "", "bytes=1-2"}, {"/packages/com.acme.notes", "", ""},
	} {
		f.Add(seed.path, seed.query, seed.body)
	}
	h := testHandler(f)
	f.Fuzz(func(t *testing.T, path, query, body string) {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{"Range": {body}}, Body: io.NopCloser(strings.NewReader(body))}
		if path == "/updates" {
			r.Method = http.MethodPost
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch {
		case w.Code >= 400:
			errorCode(t, w)
		case w.Header().Get("Content-Type") == "application/json; charset=utf-8" && !json.Valid(w.Body.Bytes()):
			t.Errorf("%d %q", w.Code, w.Body)
		}
	})
}
