// Package githubsim stands in for GitHub on loopback: the parts of its API that the bot uses, real git objects, webhooks,
// rate limits and failures on demand. Tests and `bot simulate` run against it.
package githubsim

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Options configures a Sim. The zero value is GitHub with its published limits.
type Options struct {
	Dir      string // where the repositories lie; a temporary directory, removed by Close, unless set
	Addr     string // listen address; a free port on loopback unless set
	Contract string // OpenAPI document that requests and answers are held against; none unless set

	RateLimit      int           // requests a window for each installation, user and App; 5,000 unless set
	RateWindow     time.Duration // one hour unless set
	ContentLimit   int           // requests that create content allowed a minute before the secondary limit; 0: no limit
	TokenTTL       time.Duration // life of an installation token; one hour unless set
	TreeLimit      int           // entries of a recursive tree before it is truncated; 100,000 unless set
	MergeableReads int           // reads of a pull request after a change that answer "mergeable": null; 1 unless set, none if negative

	WebhookTimeout time.Duration // how long a receiver may take to answer; 10 s unless set
	WebhookWorkers int           // deliveries under way at once; 1, which keeps their order, unless set

	// Fatal is told of a mistake in the staging of a test, such as a branch that does not exist, and must not return.
	// It panics unless set.
	Fatal func(format string, args ...any)
}

// Sim is a stand-in for GitHub. Create one with New or, in a test, with Start. It is safe for concurrent use.
type Sim struct {
	opts     Options
	dir      string
	ownDir   bool
	url      string
	server   *http.Server
	router   *router
	contract *contract
	calls    callLog
	faults   faults
	limits   limiter
	hooks    *dispatcher

	mu            sync.Mutex // guards all below and the unexported fields of what they hold
	lastID        int64
	accounts      map[string]*account // by lower-case login
	repos         map[string]*Repo    // by lower-case full name
	apps          []*App
	installations []*Installation
	tokens        map[string]*credential
	manifests     map[string]*manifest // by code
	webSigned     map[string]bool      // commits that GitHub signed with its own key
}

// New starts a stand-in for GitHub on loopback. Close ends it.
func New(o Options) (*Sim, error) {
	s := &Sim{
		opts: o.withDefaults(), dir: o.Dir, lastID: firstID,
		accounts: map[string]*account{}, repos: map[string]*Repo{}, tokens: map[string]*credential{},
		manifests: map[string]*manifest{}, webSigned: map[string]bool{},
	}
	s.limits = limiter{limit: s.opts.RateLimit, window: s.opts.RateWindow, content: s.opts.ContentLimit, buckets: map[string]*bucket{}}
	s.hooks = newDispatcher(s.opts.WebhookWorkers, s.opts.WebhookTimeout)
	s.router = newRouter(routes())
	var err error
	if s.contract, err = loadContract(o.Contract); err != nil {
		return nil, err
	}
	if s.dir == "" {
		s.ownDir = true
		if s.dir, err = os.MkdirTemp("", "githubsim-"); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", s.opts.Addr)
	if err != nil {
		return nil, errors.Join(err, s.removeDir())
	}
	s.url = "http://" + listener.Addr().String()
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go s.server.Serve(listener) //nolint:errcheck // always ErrServerClosed, by Close
	return s, nil
}

// firstID keeps ids apart from the small numbers that tests write down, so that a mix-up shows.
const firstID = 100_000

func (o Options) withDefaults() Options {
	setDefault(&o.Addr, "127.0.0.1:0")
	setDefault(&o.RateLimit, 5000)
	setDefault(&o.RateWindow, time.Hour)
	setDefault(&o.TokenTTL, time.Hour)
	setDefault(&o.TreeLimit, 100_000)
	setDefault(&o.MergeableReads, 1)
	setDefault(&o.WebhookTimeout, 10*time.Second)
	setDefault(&o.WebhookWorkers, 1)
	if o.Fatal == nil {
		o.Fatal = func(format string, args ...any) { panic("githubsim: " + fmt.Sprintf(format, args...)) }
	}
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Close stops the server and the delivery of webhooks, and removes the repositories where New made their directory.
func (s *Sim) Close() error {
	s.hooks.close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.server.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.repos {
		r.objects.close()
	}
	return errors.Join(err, s.removeDir())
}

func (s *Sim) removeDir() error {
	if !s.ownDir {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// URL is the address of the server, without a slash at its end. The REST API is found at its root and, as on GitHub
// Enterprise, under /api/v3.
func (s *Sim) URL() string { return s.url }

// api is the prefix of the addresses in answers and webhooks.
func (s *Sim) api(format string, args ...any) string {
	return s.url + "/api/v3" + fmt.Sprintf(format, args...)
}

// html is the address of a page for people.
func (s *Sim) html(format string, args ...any) string { return s.url + fmt.Sprintf(format, args...) }

// id returns a number that nothing else has.
func (s *Sim) id() int64 {
	s.lastID++
	return s.lastID
}

// fatal reports a mistake in the staging of a test.
func (s *Sim) fatal(format string, args ...any) {
	s.opts.Fatal(format, args...)
	panic("githubsim: Options.Fatal returned")
}

// must reports a failure of the machine, such as a full disk, during staging.
func (s *Sim) must(err error) {
	if err != nil {
		s.fatal("%v", err)
	}
}

// obj is a JSON object of an answer or a webhook.
type obj = map[string]any

// with returns a copy of o with further members laid over it.
func with(o obj, more obj) obj {
	out := make(obj, len(o)+len(more))
	maps.Copy(out, o)
	maps.Copy(out, more)
	return out
}

// nodeID is the opaque id that GraphQL would use.
func nodeID(kind string, id any) string {
	name := fmt.Sprint(id)
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%03d:%s%s", len(kind)+len(name), kind, name))
}

// stamp renders a time as GitHub does: UTC, whole seconds; null where there is none.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// orNull renders an empty string as null.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// fold is the form in which logins and names of repositories are compared.
func fold(name string) string { return strings.ToLower(name) }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
