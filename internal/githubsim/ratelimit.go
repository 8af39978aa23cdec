package githubsim

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limiter keeps the primary rate limit (requests a window) and the secondary one on content created, for each
// installation, user and App.
type limiter struct {
	limit   int
	window  time.Duration
	content int

	mu      sync.Mutex
	buckets map[string]*bucket
}

// anonymousLimit is the limit of requests without credentials.
const anonymousLimit = 60

type bucket struct {
	limit, used int
	reset       time.Time
	created     []time.Time // when content was created, within the last minute
}

// secondaryDocs is what clients know the secondary limit by.
const secondaryDocs = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"

// secondaryWait is the Retry-After, in seconds, of the secondary limit on content.
const secondaryWait = 60

func (l *limiter) bucket(key string) *bucket {
	b := l.buckets[key]
	if b == nil {
		b = &bucket{limit: l.limit}
		if key == anonymousKey {
			b.limit = min(l.limit, anonymousLimit)
		}
		l.buckets[key] = b
	}
	if !time.Now().Before(b.reset) {
		b.used, b.reset = 0, time.Now().Add(l.window)
	}
	return b
}

// admit refuses a request of a bucket that is exhausted.
func (l *limiter) admit(key string, content bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(key)
	if b.used >= b.limit {
		return primaryLimit(b.header())
	}
	if !content || l.content == 0 {
		return nil
	}
	recent := b.created[:0]
	for _, t := range b.created {
		if time.Since(t) < time.Minute {
			recent = append(recent, t)
		}
	}
	b.created = recent
	if len(recent) >= l.content {
		return secondaryLimit(http.StatusForbidden, secondaryWait)
	}
	b.created = append(b.created, time.Now())
	return nil
}

// charge counts a request, unless it is free, and returns the headers of its answer.
func (l *limiter) charge(key string, free bool) http.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(key)
	if !free {
		b.used++
	}
	return b.header()
}

func (b *bucket) header() http.Header {
	h := http.Header{}
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.limit))
	h.Set("X-RateLimit-Used", strconv.Itoa(b.used))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, b.limit-b.used)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(b.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
	return h
}

func primaryLimit(header http.Header) *apiError {
	return &apiError{status: http.StatusForbidden, header: header,
		message: "API rate limit exceeded. If you reach out to GitHub Support for help, please include the request ID."}
}

func secondaryLimit(status, retryAfter int) *apiError {
	h := http.Header{}
	if retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	return &apiError{status: status, header: h, docs: secondaryDocs,
		message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
}

// SetRateLimit leaves an installation this many requests until the window ends, which is after reset.
func (s *Sim) SetRateLimit(i *Installation, remaining int, reset time.Duration) {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	b := s.limits.bucket(i.limitKey())
	b.used, b.reset = b.limit-remaining, time.Now().Add(reset)
}

// getRateLimit serves GET /rate_limit, which is free.
func getRateLimit(r *request) (reply, error) {
	s := r.sim
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	b := s.limits.bucket(r.actor.limitKey)
	rate := func(limit, used int) obj {
		return obj{"limit": limit, "used": used, "remaining": max(0, limit-used), "reset": b.reset.Unix()}
	}
	core := rate(b.limit, b.used)
	return ok(obj{"rate": core, "resources": obj{"core": core, "search": rate(30, 0), "graphql": rate(5000, 0)}})
}
