package githubsim

import (
	"slices"
	"sync"
	"time"
)

// Call is one request to the API, as the log keeps it.
type Call struct {
	N            int    // from 1, since the start or the last ResetCalls
	Method       string //
	Template     string // path template of GitHub's OpenAPI document; empty where no endpoint fits
	Path         string // without the /api/v3 prefix, with the query
	Body         []byte // of the request, where it is not over 256 KiB
	App          int64  // that asked, by JWT or installation token; 0 for people and strangers
	Installation int64  // whose token it was; 0 for none
	User         string // login of the person or bot that asked
	Status       int    // of the answer; 0 where the connection was cut before one
	Counted      bool   // whether the rate limit was charged
	Injected     bool   // whether a Rule had a hand in it
	Start        time.Time
	Duration     time.Duration
}

// maxLoggedBody bounds what the log keeps of a request.
const maxLoggedBody = 256 << 10

type callLog struct {
	mu     sync.Mutex
	n      int
	list   []Call
	before map[int][]func()
}

// begin numbers a call and runs what was to happen before it.
func (l *callLog) begin() int {
	l.mu.Lock()
	l.n++
	n := l.n
	due := l.before[n]
	delete(l.before, n)
	l.mu.Unlock()
	for _, f := range due {
		f()
	}
	return n
}

func (l *callLog) end(c Call) {
	c.Duration = time.Since(c.Start)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, c)
}

// Calls returns what was asked of the API, in the order in which the answers were finished.
func (s *Sim) Calls() []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return slices.Clone(s.calls.list)
}

// CountCalls returns how many finished calls had this method and path template; an empty one stands for any.
func (s *Sim) CountCalls(method, template string) int {
	count := 0
	for _, c := range s.Calls() {
		if (method == "" || c.Method == method) && (template == "" || c.Template == template) {
			count++
		}
	}
	return count
}

// ResetCalls empties the log, starts numbering anew and forgets what Before was told.
func (s *Sim) ResetCalls() {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.n, s.calls.list, s.calls.before = 0, nil, nil
}

// Before arranges for f to run right before API call number n (from 1, counted as in Call.N) is looked at, without any
// lock held: f may change the state.
func (s *Sim) Before(n int, f func()) {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	if s.calls.before == nil {
		s.calls.before = map[int][]func(){}
	}
	s.calls.before[n] = append(s.calls.before[n], f)
}
