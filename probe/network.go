package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/azphalt/submissions/check"
)

// Limits of connections.
const (
	dialTime     = 10 * time.Second
	headerTime   = 15 * time.Second
	fetchTime    = 5 * time.Minute
	maxRedirects = 3
	maxFetched   = 256 << 20 // bytes of a module
)

// Network connects to servers and fetches modules, at public addresses and with TLS only. No proxy is used and no
// credential of the machine sent.
type Network struct {
	// AllowLoopback lets it speak to this very machine, without TLS: for tests.
	AllowLoopback bool
}

// Connect connects to a server and asks it what it offers.
func (n *Network) Connect(ctx context.Context, remote check.Remote) (*check.Answer, error) {
	if err := n.allowed(remote.URL); err != nil {
		return nil, err
	}
	var answer *check.Answer
	var err error
	for _, version := range versions {
		if answer, err = n.session(ctx, remote, version); err == nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// session asks a server once, in a version of the protocol.
func (n *Network) session(ctx context.Context, remote check.Remote, version string) (*check.Answer, error) {
	timed, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	meter := &meter{left: maxOutput}
	client := n.client(withHeaders(remote.Headers), meter)
	defer client.CloseIdleConnections()
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: remote.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxMessage}
	if remote.Type == "sse" {
		transport = &mcp.SSEClientTransport{Endpoint: remote.URL, HTTPClient: client, MaxEventSize: maxMessage}
	}
	answer, err := ask(timed, version, transport)
	switch {
	case err == nil:
		return answer, nil
	case meter.isOver():
		return nil, failed(fmt.Sprintf("it sent more than %d MiB", maxOutput>>20))
	case timed.Err() != nil:
		return nil, failed(fmt.Sprintf("it did not answer within %s", answerTime))
	default:
		return nil, failed(refusal(err, "it could not be reached, asks for a login, or answered in another way than MCP asks for"))
	}
}

// Fetch returns what is at an address. Reading it ends with a [check.ProbeFailure] where that fails or has no end.
func (n *Network) Fetch(ctx context.Context, address string) (io.ReadCloser, error) {
	if err := n.allowed(address); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, fetchTime)
	request, err := http.NewRequestWithContext(timed, http.MethodGet, address, nil)
	if err != nil {
		cancel()
		return nil, failed("the address is none")
	}
	response, err := n.client(nil, &meter{left: maxFetched}).Do(request)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = failed(refusal(err, "the address could not be reached"))
	case response.StatusCode != http.StatusOK:
		response.Body.Close()
		err = failed(fmt.Sprintf("the answer was %d %s", response.StatusCode, http.StatusText(response.StatusCode)))
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &fetched{response.Body, ctx, cancel}, nil
}

// fetched is what comes from an address.
type fetched struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

func (f *fetched) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
	case f.ctx.Err() != nil:
		err = f.ctx.Err()
	case errors.Is(err, errFlood):
		err = failed(fmt.Sprintf("it has more than %d MiB", maxFetched>>20))
	default:
		err = failed("it ended too early")
	}
	return n, err
}

func (f *fetched) Close() error {
	defer f.cancel()
	return f.ReadCloser.Close()
}

// client returns an HTTP client within the limits. Each has connections of its own, so that nothing of one server reaches
// another.
func (n *Network) client(headers http.Header, m *meter) *http.Client {
	dialer := &net.Dialer{Timeout: dialTime, Control: n.control}
	return &http.Client{
		Transport: &guard{headers: headers, meter: m, next: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConns: 2,
		}},
		CheckRedirect: func(request *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			return n.allowed(request.URL.String())
		},
	}
}

var errRedirects = errors.New("more redirects than are followed")

// allowed asks for an address with TLS.
func (n *Network) allowed(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return failed("the address is none")
	case u.Scheme == "https", u.Scheme == "http" && n.AllowLoopback:
		return nil
	default:
		return errInsecure
	}
}

// What is refused, here or after a name was resolved or a redirect followed.
var (
	errInsecure = failed("the address does not start with https://")
	errPrivate  = failed("the address is not a public one: private, loopback and link-local addresses are never spoken to")
)

// refusal returns why this package refused an address, otherwise what is given.
func refusal(err error, otherwise string) string {
	if failure, ok := errors.AsType[*check.ProbeFailure](err); ok {
		return failure.Reason
	}
	if errors.Is(err, errRedirects) {
		return "it leads from address to address"
	}
	return otherwise
}

// control is called for each connection, once names are resolved and before anything is sent: what was said of an address
// before does not count.
func (n *Network) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return errPrivate
	}
	ip := to.Addr().Unmap()
	if isPublic(ip) || n.AllowLoopback && ip.IsLoopback() {
		return nil
	}
	return errPrivate
}

// special are the networks that are no part of the internet, or lead to such (the IANA registries of special-purpose
// addresses), beside those that package netip knows.
var special = sync.OnceValue(func() (out []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
		"5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
})

// isPublic reports whether an address is one of the internet.
func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special() {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// guard adds headers to requests and measures what comes back.
type guard struct {
	headers http.Header
	meter   *meter
	next    http.RoundTripper
}

func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if len(g.headers) > 0 {
		request = request.Clone(request.Context())
		for name, values := range g.headers {
			if request.Header.Get(name) == "" {
				request.Header[name] = values
			}
		}
	}
	response, err := g.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = &metered{response.Body, g.meter}
	return response, nil
}

// CloseIdleConnections is called by the client.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// withHeaders returns the headers of a manifest that can be sent. Those of the connection itself are not the manifest's to
// set.
func withHeaders(record map[string]string) http.Header {
	out := http.Header{}
	for name, value := range record {
		name = http.CanonicalHeaderKey(name)
		switch name {
		case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Proxy-Authorization", "Expect":
			continue
		}
		out[name] = []string{value} // what can't be sent is the transport's to refuse
	}
	return out
}
