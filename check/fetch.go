package check

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/wasm"
)

// fetch gets a module from its address, compares it with what the manifest says of it, and judges it as those in the
// package are judged. It returns nil where there is none, or not the one that is meant.
func (p *prober) fetch(name string, wasi jsontree.Value) (*module, error) {
	url := wasi.Get("remoteUrl")
	fetched, err := p.fetchFrom(url.Str())
	if failure, ok := errors.AsType[*ProbeFailure](err); ok {
		p.add("wasm/fetch-failed", at(url), fmt.Sprintf("the module of %s was asked for at its remoteUrl, and %s", name, failure.Reason), fix("see that the address gives the module itself, to everybody"))
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("fetching the module of %s: %w", name, err)
	}
	checksum, size := wasi.Get("checksum"), wasi.Get("byteSize")
	if want, ok := azp.ParseDigest(checksum.Str()); ok && want != fetched.digest {
		start, end := checksum.Span()
		p.add("wasm/fetch-differs", at(checksum), "what is at the remoteUrl of "+name+" has another checksum: hosts refuse it",
			fixBy([]edit{{start, end, jsonString(fetched.digest.String())}}, "if it is the right one, its checksum is %s", fetched.digest))
		return nil, nil
	}
	if got := strconv.FormatInt(fetched.Size, 10); size.Is(jsontree.Number) && string(size.Raw()) != got {
		start, end := size.Span()
		p.add("wasm/fetch-differs", at(size), fmt.Sprintf("what is at the remoteUrl of %s has %s bytes, not as many as byteSize says", name, got), fixBy([]edit{{start, end, got}}, "write %s", got))
	}
	p.mendSize(url, wasi, fetched.Size)
	use := moduleUse{server: name, wasi: wasi}
	m := newModule(fetched.Module, listedFile{path: path.Base(url.Str()), place: at(url)}, []moduleUse{use})
	m.code = fetched.code
	p.judgeModule(m)
	if m.loads() {
		p.judgeUse(use, m)
	}
	return m, nil
}

// mendSize gives what was said of a module without a size the mend that is certain, now that it is known.
func (p *prober) mendSize(url, wasi jsontree.Value, size int64) {
	start, _ := url.Span()
	for i := range p.raw {
		if f := &p.raw[i]; f.Rule == "mcp/byte-size-missing" && f.start == start {
			p.addSize(wasi, size)(f)
		}
	}
}

// fetchedModule is a module from the network.
type fetchedModule struct {
	*wasm.Module
	digest azp.Digest
	code   []byte // whole where it may be started
}

// fetchFrom reads a module from its address as a stream.
func (p *prober) fetchFrom(url string) (*fetchedModule, error) {
	body, err := p.c.probe.Fetch(p.ctx, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	hash, code := sha256.New(), &firstBytes{limit: maxProbedModule}
	if p.c.probe.Start == nil {
		code.limit = 0
	}
	module, err := wasm.Read(io.TeeReader(body, io.MultiWriter(hash, code)))
	if err != nil {
		return nil, err
	}
	return &fetchedModule{Module: module, digest: azp.Digest(hash.Sum(nil)), code: code.Bytes()}, nil
}

// firstBytes keeps the first bytes that are written to it.
type firstBytes struct {
	bytes.Buffer
	limit int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.Buffer.Write(p[:min(len(p), max(0, f.limit-f.Len()))])
	return len(p), nil
}
