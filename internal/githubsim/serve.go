package githubsim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds a request; GitHub takes blobs of up to 100 MB.
const maxBody = 150 << 20

// ServeHTTP answers the API at the root and under /api/v3, and the few pages for people that an App's set-up needs.
func (s *Sim) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	if s.servePage(w, hr) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		return // the client went away, or sent far too much
	}
	r := &request{sim: s, http: hr, body: body, path: hr.URL.EscapedPath()}
	if rest, found := strings.CutPrefix(r.path, "/api/v3"); found {
		r.path, r.prefix = rest, "/api/v3"
	}
	r.route, r.params = s.router.find(hr.Method, r.path)
	call := Call{Start: time.Now(), Method: hr.Method, Path: r.path}
	if hr.URL.RawQuery != "" {
		call.Path += "?" + hr.URL.RawQuery
	}
	if r.route != nil {
		call.Template = r.route.path
	}
	if len(body) <= maxLoggedBody {
		call.Body = body
	}
	call.N = s.calls.begin()
	s.run(w, r, &call)
}

// run takes a call through failures, authentication, limits and its handler, and logs it.
func (s *Sim) run(w http.ResponseWriter, r *request, call *Call) {
	effect := s.faults.strike(*call, r.path)
	call.Injected = effect.delay > 0 || !effect.isDelay()
	cut := false
	defer func() {
		s.calls.end(*call)
		if cut {
			panic(http.ErrAbortHandler)
		}
	}()
	time.Sleep(effect.delay)
	if effect.cut == CutBefore {
		cut = true
		return
	}
	answer := s.answer(r, call, effect)
	if effect.cut == CutUnheard {
		cut = true
		return
	}
	call.Status = answer.status
	cut = effect.cut == CutBody
	answer.write(w, cut)
}

// rendered is an answer ready to be sent.
type rendered struct {
	status int
	header http.Header
	body   []byte
}

func (a rendered) write(w http.ResponseWriter, half bool) {
	maps.Copy(w.Header(), a.header)
	if a.body != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	body := a.body
	if half {
		body = body[:len(body)/2]
	}
	w.Write(body) //nolint:errcheck // the client may be gone
	if flusher, ok := w.(http.Flusher); ok && half {
		flusher.Flush()
	}
}

// answer works out what to answer.
func (s *Sim) answer(r *request, call *Call, effect Effect) rendered {
	if effect.status != 0 {
		return render(reply{status: effect.status, body: effect.body, header: effect.header})
	}
	r.stale = effect.stale && r.http.Method == http.MethodGet
	if effect.simple != nil {
		r.simplify()
	}
	if err := s.authenticate(r); err != nil {
		return render(refusal(err))
	}
	call.User, call.App, call.Installation = r.actor.names()
	if r.route == nil {
		s.violate(r.http.Method+" "+r.path, "no such endpoint is simulated")
		return render(refusal(notFound()))
	}
	if !r.route.uncounted {
		if err := s.limits.admit(r.actor.limitKey, r.route.content); err != nil {
			return render(refusal(err))
		}
	}
	s.contract.checkRequest(r)
	out := render(s.handle(r))
	s.contract.checkAnswer(r, out)
	if effect.simple != nil {
		out.simplify(effect.simple)
	} else {
		r.condition(&out)
	}
	call.Counted = !r.route.uncounted && (out.status != http.StatusNotModified || r.actor.anonymous())
	maps.Copy(out.header, s.limits.charge(r.actor.limitKey, !call.Counted))
	return out
}

// handle runs the handler, under the lock on the state unless it needs none.
func (s *Sim) handle(r *request) reply {
	s.mu.Lock()
	err := s.authorize(r)
	if err == nil && !r.route.unlocked {
		defer s.mu.Unlock()
	} else {
		s.mu.Unlock()
	}
	if err != nil {
		return refusal(err)
	}
	out, err := r.route.handle(r)
	if err != nil {
		return refusal(err)
	}
	return out
}

func refusal(err error) reply {
	var refused *apiError
	if !errors.As(err, &refused) {
		refused = &apiError{status: http.StatusInternalServerError, message: "Server Error: " + err.Error()}
	}
	return reply{status: refused.status, body: refused.body(), header: refused.header}
}

// render turns an answer into bytes.
func render(a reply) rendered {
	out := rendered{status: a.status, header: http.Header{}}
	maps.Copy(out.header, a.header)
	out.header.Set("Server", "github.com")
	switch b := a.body.(type) {
	case nil:
	case raw:
		out.body = b.data
		out.header.Set("Content-Type", b.mediaType)
	default:
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(b); err != nil {
			return render(refusal(err))
		}
		out.body = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
		out.header.Set("Content-Type", "application/json; charset=utf-8")
	}
	return out
}

// condition gives an answer to GET its ETag and turns it into 304 where the client has it already. As on GitHub the tag
// depends on the credentials: a new installation token makes every one stale.
func (r *request) condition(out *rendered) {
	if r.http.Method != http.MethodGet || out.status != http.StatusOK {
		return
	}
	h := sha256.New()
	h.Write([]byte(r.http.Header.Get("Authorization") + "\n" + r.http.Header.Get("Accept") + "\n" + out.header.Get("Link") + "\n"))
	h.Write(out.body)
	tag := `"` + hex.EncodeToString(h.Sum(nil)) + `"`
	out.header.Set("ETag", "W/"+tag)
	out.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP")
	for candidate := range strings.SplitSeq(r.http.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == tag {
			out.status, out.body = http.StatusNotModified, nil
			out.header.Del("Content-Type")
			return
		}
	}
}
