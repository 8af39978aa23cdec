package azp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// DigestPrefix starts the textual form of a digest.
const DigestPrefix = "sha256-"

// Digest is a SHA-256 digest.
type Digest [sha256.Size]byte

// String returns the digest in the format's form: "sha256-" and 64 lower-case hex digits.
func (d Digest) String() string { return DigestPrefix + hex.EncodeToString(d[:]) }

// DigestOf returns the digest of data.
func DigestOf(data []byte) Digest { return sha256.Sum256(data) }

// ParseDigest reads the textual form, strictly.
func ParseDigest(s string) (Digest, bool) {
	var d Digest
	if len(s) != len(DigestPrefix)+2*len(d) || s[:len(DigestPrefix)] != DigestPrefix {
		return d, false
	}
	for _, c := range s[len(DigestPrefix):] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return d, false
		}
	}
	_, err := hex.Decode(d[:], []byte(s[len(DigestPrefix):]))
	return d, err == nil
}

// DigestOfReader returns the digest and length of what r holds.
func DigestOfReader(r io.Reader) (Digest, int64, error) {
	buf := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(buf)
	h := sha256.New()
	n, err := io.CopyBuffer(h, struct{ io.Reader }{r}, buf[:]) // no short cut that would take a buffer of its own
	return Digest(h.Sum(nil)), n, err
}

// digested is what streaming an entry gave.
type digested struct {
	digest  Digest
	head    []byte   // the first bytes, to recognise what stands in place of the payload
	problem *Problem // a fault of the data: then there is no digest, unless the fault is that the CRC-32 is another one
}

// headSize is enough to recognise a Git LFS pointer.
const headSize = 256

// digestAll streams the entries and digests them, several at once. Broken entries and those that skip names are left out.
func (a *Archive) digestAll(ctx context.Context, skip func(*Entry) bool) ([]*digested, error) {
	out := make([]*digested, len(a.Entries))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), len(a.Entries)) {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(a.Entries) {
					return nil
				}
				e := a.Entries[i]
				if e.Broken || e.IsDir() || skip(e) {
					continue
				}
				d, err := a.digest(ctx, e)
				if err != nil {
					return err
				}
				out[i] = d
			}
		})
	}
	return out, group.Wait()
}

// digest streams one entry. Reading (with inflating and the CRC) and hashing run side by side, so that the slower of the
// two sets the pace.
func (a *Archive) digest(ctx context.Context, e *Entry) (*digested, error) {
	d := &digested{}
	h := sha256.New()
	c := a.open(e)
	defer c.close()

	consume := func(chunk []byte) {
		h.Write(chunk)
		if len(d.head) < headSize {
			d.head = append(d.head, chunk[:min(len(chunk), headSize-len(d.head))]...)
		}
	}
	var err error
	if e.Size <= chunkSize {
		err = readInline(c, consume)
	} else {
		err = readAhead(ctx, c, consume)
	}
	if fault, ok := errors.AsType[*dataError](err); ok {
		d.problem = &fault.Problem
	} else if err != nil {
		return nil, err
	}
	d.digest = Digest(h.Sum(nil))
	return d, nil
}

func readInline(c *content, consume func([]byte)) error {
	buf := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(buf)
	for {
		n, err := c.next(buf[:])
		consume(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readAhead reads in a goroutine of its own, two chunks ahead at most.
func readAhead(ctx context.Context, c *content, consume func([]byte)) error {
	type chunk struct {
		buf *[chunkSize]byte
		n   int
	}
	full := make(chan chunk, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		for {
			buf := chunks.Get().(*[chunkSize]byte)
			n, err := c.next(buf[:])
			select {
			case full <- chunk{buf, n}:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	for part := range full {
		consume(part.buf[:part.n])
		chunks.Put(part.buf)
	}
	return group.Wait()
}
