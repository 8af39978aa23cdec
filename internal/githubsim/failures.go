package githubsim

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Rule says which calls go wrong, and how. The calls that it fits are counted for each rule by itself.
type Rule struct {
	Method string          // empty: any
	Path   string          // a path template, or a path in which * stands for a part without a slash; empty: any
	If     func(Call) bool // a further condition on method, template, path and body; must not call Inject; nil: none
	Skip   int             // leave the first Skip calls that fit alone
	Times  int             // go wrong this often; 0: until the rule is removed
	Effect Effect
}

// Effect is what befalls a call. Make one with Delay, Fail, FailHeader, FailMessage, PrimaryLimit,
// SecondaryLimit, CutConnection, StaleRead or Simple.
type Effect struct {
	delay  time.Duration
	status int
	body   any
	header http.Header
	cut    Cut
	stale  bool
	simple []string
}

// Cut says when a connection is cut.
type Cut int

// The places of a cut.
const (
	notCut     Cut = iota
	CutBefore      // nothing is done, nothing answered
	CutBody        // it is done; the answer breaks off in the middle of its body
	CutUnheard     // it is done, but nothing answered
)

// Delay answers as always, but late.
func Delay(d time.Duration) Effect { return Effect{delay: d} }

// Fail answers with an error instead of doing anything: the usual message of GitHub for this status, and no headers
// that tell when to come back.
func Fail(code int) Effect {
	return Effect{status: code, body: obj{"message": statusMessage(code), "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(code)}}
}

// FailHeader is Fail with headers, such as Retry-After.
func FailHeader(code int, header http.Header) Effect {
	e := Fail(code)
	e.header = header
	return e
}

// FailMessage is Fail with another message.
func FailMessage(code int, message string) Effect {
	e := Fail(code)
	e.body.(obj)["message"] = message
	return e
}

// PrimaryLimit answers, with 403 or 429, that no requests are left until the reset.
func PrimaryLimit(code int, reset time.Duration) Effect {
	b := bucket{limit: 5000, used: 5000, reset: time.Now().Add(reset)}
	return effectOf(code, primaryLimit(b.header()))
}

// SecondaryLimit answers, with 403 or 429, that the client is too eager. A retryAfter of 0 leaves the header out, as
// GitHub sometimes does.
func SecondaryLimit(code int, retryAfter time.Duration) Effect {
	return effectOf(code, secondaryLimit(code, int(retryAfter/time.Second)))
}

// CutConnection cuts the connection.
func CutConnection(where Cut) Effect { return Effect{cut: where} }

// StaleRead answers refs, branches and pull requests as they were before the last push to them, as a replica that lags
// behind does. Only reads are stale; a write always sees the present.
func StaleRead() Effect { return Effect{stale: true} }

// Simple answers as a server would that knows less than GitHub: without ETags and pages, blobs as JSON alone, trees one level
// deep, and without the named members wherever an answer has them.
func Simple(without ...string) Effect { return Effect{simple: append([]string{}, without...)} }

func effectOf(code int, e *apiError) Effect {
	e.status = code
	return Effect{status: code, body: e.body(), header: e.header}
}

func statusMessage(code int) string {
	switch code {
	case http.StatusForbidden:
		return resourceNotAccessible
	case http.StatusUnprocessableEntity:
		return "Validation Failed"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return "Server Error"
	default:
		return http.StatusText(code)
	}
}

type faults struct {
	mu    sync.Mutex
	rules []*activeRule
}

type activeRule struct {
	Rule
	seen int
}

// Inject lets calls go wrong until the rule has done so Times times or remove is called. Where several rules fit a call,
// the one injected first has its effect; delays add up.
func (s *Sim) Inject(rule Rule) (remove func()) {
	active := &activeRule{Rule: rule}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.rules = append(s.faults.rules, active)
	return func() {
		s.faults.mu.Lock()
		defer s.faults.mu.Unlock()
		s.faults.rules = slices.DeleteFunc(s.faults.rules, func(r *activeRule) bool { return r == active })
	}
}

// strike returns the effect that the rules have on a call; the zero one where there is none.
func (f *faults) strike(c Call, path string) Effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out Effect
	for _, r := range f.rules {
		if !r.fits(c, path) {
			continue
		}
		r.seen++
		if r.seen <= r.Skip || r.Times > 0 && r.seen > r.Skip+r.Times {
			continue
		}
		delay := out.delay + r.Effect.delay
		if out.isDelay() {
			out = r.Effect
		}
		out.delay = delay
	}
	return out
}

func (e Effect) isDelay() bool {
	return e.status == 0 && e.cut == notCut && !e.stale && e.simple == nil
}

func (r *activeRule) fits(c Call, literal string) bool {
	if r.Method != "" && r.Method != c.Method {
		return false
	}
	if r.Path != "" && r.Path != c.Template {
		if matched, err := path.Match(r.Path, literal); err != nil || !matched {
			return false
		}
	}
	return r.If == nil || r.If(c)
}
