package githubapp

import (
	"net/http"
	"strings"
	"sync/atomic"
)

// enterprise is where GitHub Enterprise has its API.
const enterprise = "/api/v3/"

// Locating finds out, by the first request that is answered well, whether a server's API lies below /api/v3, as on GitHub
// Enterprise, or at its root, as with some others. Until then a request that was not answered well in the one place is made
// in the other, too, whatever was wrong: a server may ask for a token before it says that there is nothing.
func Locating(base http.RoundTripper) http.RoundTripper {
	return &locating{base: base}
}

type locating struct {
	base  http.RoundTripper
	place atomic.Pointer[string] // what stands for /api/v3/; nil until it is known
}

func (t *locating) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.URL.Path, enterprise) {
		return t.base.RoundTrip(r)
	}
	if place := t.place.Load(); place != nil {
		return t.at(r, *place)
	}
	first, err := t.try(r, enterprise)
	if err != nil || first.StatusCode/100 == 2 || r.Body != nil && r.GetBody == nil {
		return first, err
	}
	second, err := t.try(r, "/")
	switch {
	case err != nil:
		return first, nil //nolint:nilerr // the first answer says more
	case second.StatusCode/100 == 2 || nothingThere(first) && !nothingThere(second):
		first.Body.Close()
		return second, nil
	default:
		second.Body.Close()
		return first, nil
	}
}

// try makes a request in a place, and notes the place where that goes well. A page for people is no answer of an API.
func (t *locating) try(r *http.Request, place string) (*http.Response, error) {
	resp, err := t.at(r, place)
	if err != nil {
		return resp, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		resp.StatusCode = http.StatusNotFound
	} else if resp.StatusCode/100 == 2 {
		t.place.Store(&place)
	}
	return resp, nil
}

// at makes a request in a place. The request itself is left as it is, but for its body.
func (t *locating) at(r *http.Request, place string) (*http.Response, error) {
	moved := r.Clone(r.Context())
	moved.URL.Path = place + strings.TrimPrefix(r.URL.Path, enterprise)
	if r.URL.RawPath != "" {
		moved.URL.RawPath = place + strings.TrimPrefix(r.URL.RawPath, enterprise)
	}
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		moved.Body = body
	}
	return t.base.RoundTrip(moved)
}

// nothingThere reports whether an answer says that a server has no such endpoint.
func nothingThere(r *http.Response) bool {
	return r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusNotImplemented
}
