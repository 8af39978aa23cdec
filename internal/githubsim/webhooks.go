package githubsim

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" // the older of the two signatures that GitHub sends
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// hook is where an App's webhooks go.
type hook struct {
	id          int64
	url, secret string
	app         *App
}

// Delivery is one attempt to tell a webhook's receiver of an event.
type Delivery struct {
	ID           int64
	GUID         string // the same for all attempts at one event
	Event        string
	Action       string // empty where the event has none
	Installation int64
	Repository   int64
	Payload      []byte
	Redelivery   bool
	Done         bool          // it was attempted
	StatusCode   int           // of the answer; 0 while there is none
	Status       string        // "OK", the words of another status, or what went wrong
	Duration     time.Duration // until the answer
	Delivered    time.Time

	app            int64
	url, secret    string
	hookID         int64
	requestHeader  map[string]string
	responseHeader map[string]string
	response       []byte
}

// keptPayloads is how many deliveries keep what they carried. Failed ones keep it for longer: they may be asked for again.
const keptPayloads = 2000

// dispatcher delivers webhooks, in the order in which they were queued as long as there is one worker.
type dispatcher struct {
	timeout time.Duration
	client  *http.Client

	mu      sync.Mutex
	wake    *sync.Cond
	queue   []*Delivery
	log     []*Delivery
	held    bool
	busy    int
	closed  bool
	workers sync.WaitGroup
}

func newDispatcher(workers int, timeout time.Duration) *dispatcher {
	d := &dispatcher{timeout: timeout, client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	d.wake = sync.NewCond(&d.mu)
	for range workers {
		d.workers.Go(d.work)
	}
	return d
}

func (d *dispatcher) close() {
	d.mu.Lock()
	d.closed = true
	d.wake.Broadcast()
	d.mu.Unlock()
	d.workers.Wait()
	d.client.CloseIdleConnections()
}

func (d *dispatcher) enqueue(v *Delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, v)
	d.queue = append(d.queue, v)
	if old := len(d.log) - keptPayloads; old >= 0 && d.log[old].StatusCode/100 == 2 {
		d.log[old].Payload, d.log[old].response = nil, nil
	}
	d.wake.Broadcast()
}

func (d *dispatcher) work() {
	for {
		d.mu.Lock()
		for !d.closed && (d.held || len(d.queue) == 0) {
			d.wake.Wait()
		}
		if d.closed {
			d.mu.Unlock()
			return
		}
		v := d.queue[0]
		d.queue = d.queue[1:]
		d.busy++
		attempt := *v
		d.mu.Unlock()

		d.deliver(&attempt)

		d.mu.Lock()
		*v = attempt
		d.busy--
		d.wake.Broadcast()
		d.mu.Unlock()
	}
}

// deliver posts a payload once. GitHub does not try again by itself.
func (d *dispatcher) deliver(v *Delivery) {
	v.Delivered, v.Done = time.Now().UTC(), true
	defer func() { v.Duration = time.Since(v.Delivered) }()
	ctx, cancel := context.WithTimeout(context.Background(), d.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url, bytes.NewReader(v.Payload))
	if err != nil {
		v.Status = "invalid URL"
		return
	}
	for name, value := range v.headers() {
		req.Header.Set(name, value)
	}
	v.requestHeader = v.headers()
	resp, err := d.client.Do(req)
	if err != nil {
		v.Status = "failed to connect to host"
		if ctx.Err() != nil {
			v.Status = "timed out"
		}
		return
	}
	defer resp.Body.Close()
	v.response, _ = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	v.StatusCode, v.Status = resp.StatusCode, http.StatusText(resp.StatusCode)
	v.responseHeader = map[string]string{}
	for name := range resp.Header {
		v.responseHeader[name] = resp.Header.Get(name)
	}
}

func (v *Delivery) headers() map[string]string {
	h := map[string]string{
		"Accept": "*/*", "Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/5ab8d31", "X-GitHub-Delivery": v.GUID,
		"X-GitHub-Event": v.Event, "X-GitHub-Hook-ID": strconv.FormatInt(v.hookID, 10),
		"X-GitHub-Hook-Installation-Target-ID":   strconv.FormatInt(v.app, 10),
		"X-GitHub-Hook-Installation-Target-Type": "integration",
	}
	if v.secret != "" {
		h["X-Hub-Signature-256"] = "sha256=" + sign(sha256.New, v.secret, v.Payload)
		h["X-Hub-Signature"] = "sha1=" + sign(sha1.New, v.secret, v.Payload)
	}
	return h
}

func sign(algorithm func() hash.Hash, secret string, data []byte) string {
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil))
}

// HoldWebhooks keeps webhooks back until ReleaseWebhooks.
func (s *Sim) HoldWebhooks() {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.held = true
}

// ReleaseWebhooks delivers what was held back, after change, which may be nil, has put it into another order, left some
// out or doubled some.
func (s *Sim) ReleaseWebhooks(change func(held []Delivery) []Delivery) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	if change != nil {
		var held []Delivery
		for _, v := range s.hooks.queue {
			held = append(held, *v)
		}
		s.hooks.requeue(change(held))
	}
	s.hooks.held = false
	s.hooks.wake.Broadcast()
}

// requeue replaces what waits. A delivery that was left out is lost, as if GitHub had never made it.
func (d *dispatcher) requeue(list []Delivery) {
	for _, v := range d.queue {
		d.log = slices.DeleteFunc(d.log, func(other *Delivery) bool { return other == v })
	}
	d.queue = nil
	for _, v := range list {
		d.queue, d.log = append(d.queue, &v), append(d.log, &v)
	}
}

// WaitDelivered waits until no webhook is on its way, which does not count those held back. It reports false where that
// takes longer than the limit.
func (s *Sim) WaitDelivered(limit time.Duration) bool {
	d := s.hooks
	timer := time.AfterFunc(limit, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wake.Broadcast()
	})
	defer timer.Stop()
	end := time.Now().Add(limit)
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.busy > 0 || len(d.queue) > 0 && !d.held {
		if !time.Now().Before(end) {
			return false
		}
		d.wake.Wait()
	}
	return true
}

// Deliveries returns the webhooks made so far, oldest first, whether they were delivered, are waiting or failed.
func (s *Sim) Deliveries() []Delivery {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	var list []Delivery
	for _, v := range s.hooks.log {
		list = append(list, *v)
	}
	return list
}

// Redeliver delivers a webhook once more, with the same GUID and payload.
func (s *Sim) Redeliver(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.redeliver(id, nil) {
		s.fatal("no delivery %d", id)
	}
}

// redeliver is Redeliver for an App, which knows its own deliveries only; nil knows all.
func (s *Sim) redeliver(id int64, app *App) bool {
	for _, v := range s.Deliveries() {
		if v.ID != id || app != nil && v.app != app.ID {
			continue
		}
		again := Delivery{
			ID: s.id(), GUID: v.GUID, Event: v.Event, Action: v.Action, Installation: v.Installation, Repository: v.Repository, Payload: v.Payload,
			Redelivery: true, app: v.app, url: v.url, secret: v.secret, hookID: v.hookID,
		}
		if h := s.hookOf(v.app); h != nil {
			again.url, again.secret = h.url, h.secret
		}
		s.hooks.enqueue(&again)
		return true
	}
	return false
}

func (s *Sim) hookOf(app int64) *hook {
	for _, a := range s.apps {
		if a.ID == app {
			return a.hook
		}
	}
	return nil
}

// Send delivers a payload of a test's making to an App, signed and with a GUID; an empty guid is chosen.
func (s *Sim) Send(app *App, event, guid string, payload []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if guid == "" {
		guid = newGUID(s.id())
	}
	s.hooks.enqueue(&Delivery{ID: s.id(), GUID: guid, Event: event, Payload: payload, app: app.ID, url: app.hook.url, secret: app.hook.secret, hookID: app.hook.id})
}

// newGUID has the form of a version 4 UUID.
func newGUID(n int64) string {
	sum := sha256.Sum256([]byte(newSecret("") + strconv.FormatInt(n, 10)))
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], "4" + h[13:16], "8" + h[17:20], h[20:]}, "-")
}

func (v Delivery) String() string {
	return fmt.Sprintf("delivery %d of %s %s: %s", v.ID, v.Event, v.Action, v.Status)
}

func (v *Delivery) headerJSON(h map[string]string) obj {
	out := obj{}
	for name := range maps.Keys(h) {
		out[name] = h[name]
	}
	return out
}
