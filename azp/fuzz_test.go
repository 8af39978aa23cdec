package azp

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/jsontree"
)

// fuzzLimits keep a run short; they change no decision on inputs of a fuzzer's size.
var fuzzLimits = Limits{Package: 1 << 20, Unpacked: 1 << 20, Entries: 200, Manifest: 1 << 18}

// FuzzRead holds the container to its promise: what is accepted, another reader sees in the same way.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob(vectors + "/azp/*.azp")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 4096 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(context.Background(), bytes.NewReader(data), int64(len(data)), fuzzLimits)
		if err != nil {
			t.Fatalf("bytes in memory could not be read: %v", err)
		}
		for _, problem := range p.Problems {
			if problem.Code == "" || problem.Detail == "" {
				t.Fatalf("%+v", problem)
			}
		}
		if !p.invalid() {
			compareWithGo(t, p, data)
		}
	})
}

func compareWithGo(t *testing.T, p *Package, data []byte) {
	t.Helper()
	other, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("accepted, but archive/zip says %v", err)
	}
	if len(other.File) != len(p.Entries) {
		t.Fatalf("%d entries, archive/zip has %d", len(p.Entries), len(other.File))
	}
	for i, file := range other.File {
		e := p.Entries[i]
		if file.Name != e.Name || file.Method != e.Method || int64(file.UncompressedSize64) != e.Size {
			t.Fatalf("entry %d is %q, archive/zip has %q", i, e.Name, file.Name)
		}
		r, err := file.Open()
		if err != nil {
			t.Fatalf("%q: %v", e.Name, err)
		}
		theirs, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%q: %v", e.Name, err)
		}
		ours, ok, err := p.ReadEntry(e)
		if err != nil || !ok || !bytes.Equal(ours, theirs) {
			t.Fatalf("%q: other bytes", e.Name)
		}
	}
}

func FuzzSignature(f *testing.F) {
	manifest := []byte("{\n  \"id\": \"com.example.x\"\n}\n")
	files, _ := filepath.Glob(vectors + "/azp/sig-*.azp")
	more, _ := filepath.Glob(vectors + "/azp/chain-*.azp")
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		p, err := Read(context.Background(), bytes.NewReader(data), int64(len(data)), Limits{})
		if err == nil && p.Text(SignatureName) != nil {
			f.Add(p.Text(SignatureName).Text().Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, problems := jsontree.Parse(data)
		if !doc.Root().Exists() {
			if len(problems) == 0 {
				t.Fatal("neither a text nor a problem")
			}
			return
		}
		sig, found := readSignature(doc, manifest)
		if sig == nil && len(found) == 0 {
			t.Fatal("neither a signature nor a problem")
		}
		if sig != nil && len(sig.Chain) > MaxHops {
			t.Fatalf("%d hops", len(sig.Chain))
		}
		for _, p := range found {
			if p.In != SignatureName || p.End < p.Start || p.End > len(data) {
				t.Fatalf("%+v", p)
			}
		}
	})
}

func FuzzTrustStore(f *testing.F) {
	f.Add([]byte(`{"keys":[{"publicKey":"MCowBQYDK2VwAyEAWlUm8cHGqCDVs3Uzn9x7UeErLOyDdCTr0n+HvKjDZ4M="}]}`))
	f.Add([]byte(`{"keys":[null,5,{"publicKey":7}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store, err := ParseTrustStore(data)
		if err == nil && store.Malformed && len(store.keys) > 0 {
			t.Fatal("a malformed store trusts somebody")
		}
	})
}

// FuzzPublicKey holds that one encoding of a key is taken as it is, and that what lenient readers take for one is a key.
func FuzzPublicKey(f *testing.F) {
	key := seedKey(f, strings.Repeat("07", 32)).Public()
	f.Add(key.DER())
	f.Add(append([]byte{0x30, 0x81, 0x2a}, key.DER()[2:]...))
	f.Fuzz(func(t *testing.T, der []byte) {
		k, err := parsePublicKey(base64.StdEncoding.EncodeToString(der))
		switch {
		case err == nil && !bytes.Equal(k.DER(), der):
			t.Fatalf("%x is taken for the key %s", der, k)
		case errors.Is(err, errNotCanonical) && (len(k.key) != ed25519.PublicKeySize || bytes.Equal(k.DER(), der)):
			t.Fatalf("%x is not canonical, yet %x", der, k.DER())
		case err != nil && !errors.Is(err, errNotCanonical) && k.key != nil:
			t.Fatalf("%x is no key, yet %s", der, k)
		}
	})
}
