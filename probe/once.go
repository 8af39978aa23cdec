package probe

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/azphalt/submissions/check"
)

// Once returns functions that ask each server once, however often they are called for it, and one that forgets what they
// were told: for whoever judges a package several times over.
func Once(p check.Probe) (asking check.Probe, forget func()) {
	m := &memory{answers: map[string]told{}, fetched: map[string]*spooled{}}
	if start := p.Start; start != nil {
		asking.Start = func(ctx context.Context, l check.Launch) (*check.Answer, error) {
			sum := sha256.Sum256(l.Module)
			key := struct {
				Module []byte
				Args   []string
				Env    map[string]string
			}{sum[:], l.Args, l.Env}
			return m.answer(key, func() (*check.Answer, error) { return start(ctx, l) })
		}
	}
	if connect := p.Connect; connect != nil {
		asking.Connect = func(ctx context.Context, r check.Remote) (*check.Answer, error) {
			return m.answer(r, func() (*check.Answer, error) { return connect(ctx, r) })
		}
	}
	if fetch := p.Fetch; fetch != nil {
		asking.Fetch = func(ctx context.Context, url string) (io.ReadCloser, error) { return m.fetch(ctx, url, fetch) }
	}
	return asking, m.forget
}

// memory is what servers told.
type memory struct {
	mu      sync.Mutex
	answers map[string]told
	fetched map[string]*spooled
}

// told is what came of asking a server.
type told struct {
	answer *check.Answer
	err    error
}

// isFailure reports whether an error is one of the server, which asking again will not change.
func isFailure(err error) bool {
	_, ok := errors.AsType[*check.ProbeFailure](err)
	return ok
}

func (m *memory) answer(of any, ask func() (*check.Answer, error)) (*check.Answer, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	t, known := m.answers[string(text)]
	m.mu.Unlock()
	if known {
		return t.answer, t.err
	}
	t.answer, t.err = ask()
	if t.err == nil || isFailure(t.err) {
		m.mu.Lock()
		m.answers[string(text)] = t
		m.mu.Unlock()
	}
	return t.answer, t.err
}

// spooled is what came from an address, in a temporary file, and how it ended.
type spooled struct {
	name string
	err  error
}

func (m *memory) fetch(ctx context.Context, url string, fetch func(context.Context, string) (io.ReadCloser, error)) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known := m.fetched[url]
	if !known {
		var err error
		if s, err = spool(ctx, url, fetch); err != nil {
			return nil, err
		}
		m.fetched[url] = s
	}
	if s.name == "" {
		return nil, s.err
	}
	f, err := os.Open(s.name)
	if err != nil {
		return nil, err
	}
	return spooledReader{f, s.err}, nil
}

// spool fetches what is at an address into a temporary file. A failure of the address is kept with it.
func spool(ctx context.Context, url string, fetch func(context.Context, string) (io.ReadCloser, error)) (*spooled, error) {
	body, err := fetch(ctx, url)
	if isFailure(err) {
		return &spooled{err: err}, nil
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	f, err := os.CreateTemp("", "azp-module-*")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, body)
	if closeErr := f.Close(); closeErr != nil || err != nil && !isFailure(err) {
		return nil, errors.Join(err, closeErr, os.Remove(f.Name()))
	}
	return &spooled{f.Name(), err}, nil
}

// spooledReader reads what was spooled, and ends as that did.
type spooledReader struct {
	*os.File
	err error
}

func (r spooledReader) Read(p []byte) (int, error) {
	n, err := r.File.Read(p)
	if err == io.EOF && r.err != nil {
		err = r.err
	}
	return n, err
}

// WriteTo hides that of the file, which knows nothing of how what was spooled ended.
func (r spooledReader) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{r})
}

func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.fetched {
		if s.name != "" {
			os.Remove(s.name)
		}
	}
	clear(m.answers)
	clear(m.fetched)
}
