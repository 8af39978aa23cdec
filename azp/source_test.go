package azp

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/azphalt/submissions/internal/vectortest"
)

// submission is a line of the submissions' expected.jsonl.
type submission struct {
	Folder    string
	OK        bool
	Divergent bool
	Want      string
	Entries   []struct {
		Name, Sha256 string
		Size         int64
	}
}

func TestPackingGivesTheReferencesBytes(t *testing.T) {
	packed := 0
	for _, v := range vectortest.Lines[submission](t, vectors+"/submissions/expected.jsonl") {
		if !v.OK || v.Divergent {
			continue
		}
		t.Run(v.Folder, func(t *testing.T) {
			src, err := ReadSource(context.Background(), os.DirFS(filepath.Join(vectors, "submissions/sources", v.Folder)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			manifest, err := src.PackedManifest()
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(vectors, "submissions/expected-manifests", v.Folder+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(manifest, want) {
				t.Errorf("manifest.json\n%.2000s\nwant\n%.2000s", manifest, want)
			}
			var archive bytes.Buffer
			if err := src.Pack(&archive); err != nil {
				t.Fatal(err)
			}
			p, err := Read(context.Background(), bytes.NewReader(archive.Bytes()), int64(archive.Len()), Limits{})
			// One folder has a/B beside a/b, which is packed as it is, and refused for what it is.
			if err != nil || p.invalid() && v.Folder != "com.example.sub.ok-walk-order" {
				t.Fatalf("the packed archive is refused: %v %+v", err, p.Problems)
			}
			if len(p.Entries) != len(v.Entries) {
				t.Fatalf("%d entries, want %d", len(p.Entries), len(v.Entries))
			}
			for i, e := range v.Entries {
				data, ok, err := p.ReadEntry(p.Entries[i])
				if err != nil || !ok || p.Entries[i].Name != e.Name || DigestOf(data).String() != DigestPrefix+e.Sha256 {
					t.Errorf("entry %d is %q, want %q with %s", i, p.Entries[i].Name, e.Name, e.Sha256)
				}
			}
		})
		packed++
	}
	if packed < 20 {
		t.Errorf("only %d folders were packed", packed)
	}
}

func TestPackingIsReproducible(t *testing.T) {
	var first []byte
	for range 3 {
		src, err := ReadSource(context.Background(), os.DirFS(vectors+"/submissions/sources/com.example.sub.ok-unicode"), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := src.Pack(&out); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		}
		if !bytes.Equal(first, out.Bytes()) {
			t.Fatal("the same folder gave other bytes")
		}
	}
}
