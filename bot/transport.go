package bot

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit"
	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_secondary_ratelimit"
)

// Observer is told of each call to GitHub's API.
type Observer interface {
	// Called is told the method, the path and the status of the answer, 0 where there was none.
	Called(method, path string, status int)
	// RateLimit is told how many calls are left to an installation.
	RateLimit(installation int64, left int)
}

// maxSleep is how long a call waits by itself at GitHub's wish; beyond it, the job comes back later.
const maxSleep = 10 * time.Second

// newTransport counts calls, obeys rate limits, asks no more than whether known answers still hold, and tries reads again
// that the network or the server failed.
func newTransport(base http.RoundTripper, installation int64, o Observer) http.RoundTripper {
	limited := github_ratelimit.New(&counting{base, installation, o}, github_secondary_ratelimit.WithSingleSleepLimit(maxSleep, nil))
	return &retrying{base: newConditional(limited), wait: 200 * time.Millisecond}
}

type counting struct {
	base         http.RoundTripper
	installation int64
	o            Observer
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		c.o.Called(r.Method, r.URL.Path, 0)
		return resp, err
	}
	c.o.Called(r.Method, r.URL.Path, resp.StatusCode)
	if left, err := strconv.Atoi(resp.Header.Get("X-RateLimit-Remaining")); err == nil {
		c.o.RateLimit(c.installation, left)
	}
	return resp, nil
}

// retrying repeats reads alone: whether a write that was not answered has been done is for the job to find out.
type retrying struct {
	base http.RoundTripper
	wait time.Duration
}

const readRetries = 2

func (t *retrying) RoundTrip(r *http.Request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := t.base.RoundTrip(r)
		again := r.Method == http.MethodGet && attempt < readRetries && (err != nil || resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented)
		if !again || r.Context().Err() != nil {
			return resp, err
		}
		if resp != nil {
			resp.Body.Close()
		}
		select {
		case <-time.After(jitter(t.wait << attempt)):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// jitter spreads a wait over its second half, so that those who failed together do not come back together.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2+1) //nolint:gosec // nobody gains by foreseeing it
}
