package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// shop is the registry read API of a world.
type shop struct {
	*httptest.Server
	t testing.TB
}

func (w *world) openShop(x *bot.Index) *shop {
	w.t.Helper()
	if x.Bot == nil {
		x.Bot = w.bot
	}
	s := &shop{httptest.NewServer(x.Handler()), w.t}
	w.t.Cleanup(s.Close)
	return s
}

// get asks for an address, with headers by pairs.
func (s *shop) get(path string, header ...string) (int, []byte, http.Header) {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	must(s.t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(s.t, err)
	return resp.StatusCode, body, resp.Header
}

// json asks for an address whose answer has to be 200.
func (s *shop) json(path string) map[string]any {
	s.t.Helper()
	status, body, _ := s.get(path)
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil || status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, body)
	}
	return v
}

// publish has a version merged.
func (w *world) publish(version string) {
	w.t.Helper()
	p := w.submit(id, version, nil)
	w.settle()
	if !p.State().Merged {
		w.t.Fatalf("not merged: %+v", w.state(p).Progress)
	}
}

func TestWhatIsMergedIsServed(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"countersigned", "api"} {
		t.Run(strategy, func(t *testing.T) {
			w := newWorld(t, "merge:\n  enabled: true\n  new-publisher: auto\n  strategy: "+strategy+"\nregistry:\n  name: Acme\n")
			s := w.openShop(&bot.Index{})
			if list := s.json("/packages"); list["total"] != 0.0 || list["pages"] != 1.0 {
				t.Errorf("an empty registry lists %v", list)
			}
			w.publish("1.0.0")
			w.publish("1.1.0")

			list := s.json("/packages?kind=mcp")
			if list["total"] != 1.0 {
				t.Fatalf("listed: %v", list)
			}
			p := list["packages"].([]any)[0].(map[string]any)
			if p["id"] != id || p["version"] != "1.1.0" || p["latest"] != "1.1.0" || p["kind"] != "mcp" || p["name"] != "Demo" {
				t.Errorf("listed as %v", p)
			}
			wellKnown := s.json("/.well-known/azphalt-repository.json")
			key := wellKnown["signingKeys"].([]any)[0].(map[string]any)
			if wellKnown["name"] != "Acme" || key["publicKey"] != w.registry.Public().String() || key["keyId"] != "registry" || wellKnown["profiles"].([]any)[0] != "mcp" {
				t.Errorf("described as %v", wellKnown)
			}
			detail := s.json("/packages/" + id)
			versions := detail["versions"].([]any)
			if len(versions) != 2 || versions[0].(map[string]any)["version"] != "1.1.0" || detail["manifest"].(map[string]any)["mcp"] == nil {
				t.Errorf("detailed as %v", detail)
			}
			for _, v := range versions {
				w.proveDownload(s, v.(map[string]any))
			}
		})
	}
}

// proveDownload proves that a version is handed out as it was published.
func (w *world) proveDownload(s *shop, v map[string]any) {
	w.t.Helper()
	address := "/packages/" + id + "/versions/" + v["version"].(string) + "/download"
	status, body, header := s.get(address)
	if status != http.StatusOK || header.Get("Content-Type") != "application/vnd.azphalt.package" || header.Get("Accept-Ranges") != "bytes" {
		w.t.Fatalf("%d %v", status, header)
	}
	if azp.DigestOf(body).String() != v["digest"] || float64(len(body)) != v["size"] {
		w.t.Errorf("%d bytes that are not those of %v", len(body), v)
	}
	p, err := azp.Read(context.Background(), bytes.NewReader(body), int64(len(body)), azp.Limits{})
	must(w.t, err)
	if trust := azp.NewTrustStore(azp.TrustedKey{PublicKey: w.registry.Public().String()}).Judge(p); !trust.Trusted {
		w.t.Errorf("not trusted: %s", trust.Reason)
	}
	status, part, header := s.get(address, "Range", "bytes=10-19")
	if status != http.StatusPartialContent || !bytes.Equal(part, body[10:20]) || !strings.HasPrefix(header.Get("Content-Range"), "bytes 10-19/") {
		w.t.Errorf("a part: %d %v", status, header)
	}
}

// TestARevokedVersionIsNotServed revokes versions as maintainers do, by a commit.
func TestARevokedVersionIsNotServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "merge:\n  enabled: true\n  new-publisher: auto\n")
	s := w.openShop(&bot.Index{})
	w.publish("1.0.0")
	w.publish("1.1.0")
	s.json("/packages")
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"registry/revocations.json": `{"version": 1, "revocations": [{"id": "` + id + `", "version": "1.1.0", "reason": "it deletes files", "revokedAt": "2026-06-01T09:30:00+02:00"}]}`}})
	w.bot.Now = func() time.Time { return time.Now().Add(time.Minute) }
	detail := s.json("/packages/" + id)
	if v := detail["versions"].([]any); detail["latest"] != "1.0.0" || v[0].(map[string]any)["yanked"] != true || v[1].(map[string]any)["yanked"] != false {
		t.Errorf("detailed as %v", detail)
	}
	if status, body, _ := s.get("/packages/" + id + "/versions/1.1.0/download"); status != http.StatusNotFound || !strings.Contains(string(body), "it deletes files") {
		t.Errorf("%d %s", status, body)
	}
	if feed := s.json("/revocations?since=2026-06-01T07:29:59Z")["revocations"].([]any); len(feed) != 1 || feed[0].(map[string]any)["revokedAt"] != "2026-06-01T07:30:00Z" {
		t.Errorf("told %v", feed)
	}
	if feed := s.json("/revocations?since=2026-06-01T07:30:00Z")["revocations"].([]any); len(feed) != 0 {
		t.Errorf("told again %v", feed)
	}
	// What is not understood could be a revocation: nothing newer is served until it is mended.
	w.repo.Commit("main", githubsim.Change{Files: githubsim.Files{"registry/revocations.json": `{"version": 1, "revocations": [{"id": "`}})
	w.bot.Now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	if detail := s.json("/packages/" + id); detail["latest"] != "1.0.0" {
		t.Errorf("after a broken file: %v", detail)
	}
}

func TestARegistryThatIsNotToBeServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	status, body, _ := w.openShop(&bot.Index{Repository: "acme/other"}).get("/packages")
	if status != http.StatusNotFound || !strings.Contains(string(body), `"not_found"`) {
		t.Errorf("%d %s", status, body)
	}
	w.CreateRepo("acme", "second", githubsim.Files{"README.md": "hello\n"})
	if status, body, _ = w.openShop(&bot.Index{}).get("/packages"); status != http.StatusNotFound || !strings.Contains(string(body), "AZP_REGISTRY_REPOSITORY") {
		t.Errorf("of two: %d %s", status, body)
	}
	w.openShop(&bot.Index{Repository: "acme/azp-registry"}).json("/packages")
}

func TestAPrivateRegistryIsServedWhereThatIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	w.repo.SetPrivate(true)
	if status, body, _ := w.openShop(&bot.Index{}).get("/packages"); status != http.StatusNotFound || !strings.Contains(string(body), "is private") {
		t.Errorf("%d %s", status, body)
	}
	w.openShop(&bot.Index{Repository: "acme/azp-registry"}).json("/packages")
}

// TestTheRegistryIsServedWhileGitHubIsAway goes on with what was read before.
func TestTheRegistryIsServedWhileGitHubIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "merge:\n  enabled: true\n  new-publisher: auto\n")
	later := time.Duration(0)
	w.bot.Now = func() time.Time { return time.Now().Add(later) }
	s := w.openShop(&bot.Index{})
	remove := w.Inject(githubsim.Rule{Effect: githubsim.Fail(http.StatusBadGateway)})
	if status, body, _ := s.get("/packages"); status != http.StatusServiceUnavailable || !strings.Contains(string(body), "server_error") {
		t.Errorf("%d %s", status, body)
	}
	remove()
	w.publish("1.0.0")
	s.json("/packages")
	w.Inject(githubsim.Rule{Effect: githubsim.Fail(http.StatusBadGateway)})
	later = time.Minute
	if list := s.json("/packages"); list["total"] != 1.0 {
		t.Errorf("served %v", list)
	}
}

// TestBrowsingCostsOneCall asks for the branch alone where nothing moved, and for nothing while that is known.
func TestBrowsingCostsOneCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "merge:\n  enabled: true\n  new-publisher: auto\n")
	later := time.Duration(0)
	w.bot.Now = func() time.Time { return time.Now().Add(later) }
	s := w.openShop(&bot.Index{})
	w.publish("1.0.0")
	s.json("/packages")
	w.ResetCalls()
	for range 10 {
		s.json("/packages")
		s.json("/packages/" + id)
		s.get("/packages/" + id + "/versions/1.0.0/download")
	}
	if calls := w.Calls(); len(calls) > 1 { // the package itself, once
		t.Errorf("%d calls: %+v", len(calls), calls)
	}
	w.ResetCalls()
	later = time.Minute
	s.json("/packages")
	if calls := w.Calls(); len(calls) != 1 || calls[0].Template != "/repos/{owner}/{repo}/git/ref/{ref}" {
		t.Errorf("%d calls: %+v", len(calls), calls)
	}
}

// TestTheRegistryIsFoundAgain installs the App anew, by which the repository is reached another way.
func TestTheRegistryIsFoundAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "merge:\n  enabled: true\n  new-publisher: auto\n")
	later := time.Duration(0)
	w.bot.Now = func() time.Time { return time.Now().Add(later) }
	s := w.openShop(&bot.Index{})
	w.publish("1.0.0")
	s.json("/packages")
	w.Uninstall(w.install)
	later = time.Minute
	s.json("/packages") // what was read before
	w.install = w.InstallApp(w.app, "acme")
	w.publish("1.1.0")
	later = 2 * time.Minute
	if d := s.json("/packages/" + id); d["latest"] != "1.1.0" {
		t.Errorf("served %v", d)
	}
}
