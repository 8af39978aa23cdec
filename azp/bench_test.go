package azp

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/flate"
)

const benchPayload = 64 << 20

// benchData is text-like: it deflates to about a third.
func benchData(n int) []byte {
	words := []string{"render ", "layer ", "brush ", "opacity ", "0.5 ", "vec3 ", "texture ", "\n", "uniform ", "{ ", "} ", "sample "}
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, 0, n+16)
	for len(out) < n {
		out = append(out, words[r.IntN(len(words))]...)
		out = append(out, byte('a'+r.IntN(26)), byte('0'+r.IntN(10)))
	}
	return out[:n]
}

func benchArchive(b *testing.B, method uint16, entries int, data []byte) []byte {
	b.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("assets/%d.bin", i), Method: method})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write(data[i*len(data)/entries : (i+1)*len(data)/entries]); err != nil {
			b.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func digestArchive(b *testing.B, archive []byte) {
	a, err := OpenArchive(bytes.NewReader(archive), int64(len(archive)), Limits{})
	if err != nil || len(a.Problems) > 0 {
		b.Fatal(err, a.Problems)
	}
	digests, err := a.digestAll(context.Background(), func(*Entry) bool { return false })
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range digests {
		if d == nil || d.problem != nil {
			b.Fatalf("%+v", d)
		}
	}
}

// BenchmarkDigestStored and its yardstick, the plain hash: figures of the design, section 5.
func BenchmarkDigestStored(b *testing.B) {
	data := benchData(benchPayload)
	b.Run("yardstick", func(b *testing.B) {
		b.SetBytes(benchPayload)
		for b.Loop() {
			sum(sha256.New(), bytes.NewReader(data))
		}
	})
	for _, entries := range []int{1, 8} {
		archive := benchArchive(b, zip.Store, entries, data)
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			b.SetBytes(benchPayload)
			for b.Loop() {
				digestArchive(b, archive)
			}
		})
	}
}

// BenchmarkDigestDeflated and its yardstick: inflating and hashing with the same libraries.
func BenchmarkDigestDeflated(b *testing.B) {
	data := benchData(benchPayload)
	var packed bytes.Buffer
	z, _ := flate.NewWriter(&packed, flate.DefaultCompression)
	if _, err := z.Write(data); err != nil {
		b.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("yardstick", func(b *testing.B) {
		b.SetBytes(benchPayload)
		for b.Loop() {
			sum(sha256.New(), flate.NewReader(bytes.NewReader(packed.Bytes())))
		}
	})
	for _, entries := range []int{1, 8} {
		archive := benchArchive(b, zip.Deflate, entries, data)
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			b.SetBytes(benchPayload)
			for b.Loop() {
				digestArchive(b, archive)
			}
		})
	}
}

func sum(h hash.Hash, r io.Reader) {
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, chunkSize)); err != nil {
		panic(err)
	}
}
