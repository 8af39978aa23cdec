package bot

import (
	"bytes"
	"container/list"
	"io"
	"net/http"
	"strings"
	"sync"
)

// conditional remembers the answers to reads that GitHub gave an ETag, and asks whether they still hold: an answer 304 is
// not counted against the rate limit, and stands here for the remembered one. It asks each time, whatever age the answer may
// have by its Cache-Control: a decision rests on what is so now. It is safe for concurrent use.
type conditional struct {
	base    http.RoundTripper
	mu      sync.Mutex
	answers map[string]*list.Element // of rememberedAnswer
	order   *list.List               // what was used last comes first
	bytes   int
}

// rememberedAnswer is an answer with status 200.
type rememberedAnswer struct {
	key    string
	header http.Header
	body   []byte
}

const (
	maxRemembered     = 8 << 20   // bytes of bodies, for each installation
	maxRememberedBody = 256 << 10 // larger ones, such as trees, are cached by id or not asked for often
)

func newConditional(base http.RoundTripper) *conditional {
	return &conditional{base: base, answers: map[string]*list.Element{}, order: list.New()}
}

// RoundTrip asks under a condition where an answer is remembered.
func (c *conditional) RoundTrip(r *http.Request) (*http.Response, error) {
	accept := r.Header.Get("Accept")
	if r.Method != http.MethodGet || strings.Contains(accept, "raw") || r.Header.Get("If-None-Match") != "" {
		return c.base.RoundTrip(r)
	}
	key := accept + " " + r.URL.String()
	before, known := c.find(key)
	if known {
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", before.header.Get("ETag"))
	}
	resp, err := c.base.RoundTrip(r)
	switch {
	case err != nil:
		return resp, err
	case known && resp.StatusCode == http.StatusNotModified:
		return before.again(resp), nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "":
		if err := c.keep(key, resp); err != nil {
			return nil, err
		}
		return resp, nil
	default:
		return resp, nil
	}
}

// again makes the remembered answer of one that says that it still holds; what that one says of limits and times counts.
func (a rememberedAnswer) again(resp *http.Response) *http.Response {
	resp.Body.Close()
	header := a.header.Clone()
	for name, values := range resp.Header {
		if name != "Content-Length" {
			header[name] = values
		}
	}
	resp.Header, resp.StatusCode, resp.Status = header, http.StatusOK, "200 OK"
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(a.body)), int64(len(a.body))
	return resp
}

func (c *conditional) find(key string) (rememberedAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.answers[key]
	if !ok {
		return rememberedAnswer{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(rememberedAnswer), true
}

// keep remembers an answer unless it is too large, and leaves it to be read.
func (c *conditional) keep(key string, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRememberedBody+1))
	if err != nil {
		resp.Body.Close()
		return err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	if len(body) > maxRememberedBody {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.answers[key]; ok {
		c.forget(e)
	}
	c.answers[key] = c.order.PushFront(rememberedAnswer{key, resp.Header.Clone(), body})
	c.bytes += len(body)
	for c.bytes > maxRemembered {
		c.forget(c.order.Back())
	}
	return nil
}

func (c *conditional) forget(e *list.Element) {
	a := c.order.Remove(e).(rememberedAnswer)
	delete(c.answers, a.key)
	c.bytes -= len(a.body)
}
