package check

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/registry"
)

const copied = "Halftone dot screens for comic shading and manga inking, with seven angles and adjustable density."

// brushes is a package of one brush.
func brushes(id, name, description, brush string) fstest.MapFS {
	return fstest.MapFS{
		"manifest.json": {Data: fmt.Appendf(nil, `{"azphalt":"0.1","id":%q,"name":%q,"description":%q,"version":"1.0.0","kind":"asset","license":"MIT","compat":">=0.1","assets":[{"type":"brush","path":"a.brush"}]}`, id, name, description)},
		"LICENSE":       {Data: []byte("MIT License\n")},
		"a.brush":       {Data: []byte(brush)},
	}
}

// packed packs and, with a key, signs a source.
func packed(t *testing.T, source fstest.MapFS, key *azp.PrivateKey) []byte {
	t.Helper()
	ctx := context.Background()
	src, err := azp.ReadSource(ctx, source, azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := src.Pack(&out); err != nil {
		t.Fatal(err)
	}
	if key != nil {
		p, err := azp.Read(ctx, bytes.NewReader(out.Bytes()), int64(out.Len()), azp.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := p.Sign(&out, *key, ""); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func newTestKey(t *testing.T) *azp.PrivateKey {
	t.Helper()
	k, err := azp.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	return &k
}

// Near-copies are those of other publishers; what a publisher makes of its own is nobody's business.
func TestNearCopies(t *testing.T) {
	author, other := newTestKey(t), newTestKey(t)
	base := fstest.MapFS{
		"submissions/com.acme.tone/com.acme.tone-1.0.0.azp": {Data: packed(t, brushes("com.acme.tone", "Comic Screentone", copied, "dots"), author)},
		"submissions/net.river.ink/net.river.ink-1.0.0.azp": {Data: packed(t, brushes("net.river.ink", "Riverside Ink", "Ink.", "ink"), other)},
	}
	for name, f := range brushes("org.hill.grass", "Hillside Grass", "Blades of grass for meadows: short, tall, dry, wet, mown and trampled, in four winds.", "grass") {
		base["submissions/org.hill.grass/"+name] = f
	}
	const name, description, files = "provenance/name-imitates", "provenance/description-copied", "provenance/files-copied"
	for _, c := range []struct {
		what    string
		source  fstest.MapFS
		key     *azp.PrivateKey
		version string
		want    []string
	}{
		{"a copy", brushes("net.else.tone", "Comic Screentone", copied, "dots"), other, "1.0.0", []string{description, files, name}},
		{"an unsigned copy", brushes("net.else.tone", "Comic Screentone", copied, "dots"), nil, "1.0.0", []string{description, files, name}},
		{"a copy by the same publisher", brushes("net.else.tone", "Comic Screentone", copied, "dots"), author, "1.0.0", nil},
		{"a copy of what nobody signed", brushes("org.else.grass", "Hillside Grass", "Else.", "grass"), other, "1.0.0", []string{files, name}},
		{"an unsigned sibling of what nobody signed", brushes("org.hill.grass-two", "Hillside Grass", "Else.", "grass"), nil, "1.0.0", nil},
		{"an update that changes nothing of it", brushes("net.river.ink", "Riverside Ink", "Ink.", "dots"), other, "1.1.0", nil},
		{"an update that takes another's name", brushes("net.river.ink", "Comic Screentone", "Ink.", "ink"), other, "1.1.0", []string{name}},
		{"another package", brushes("net.else.paper", "Paper Grain", "Grain of old papers.", "grain"), other, "1.0.0", nil},
	} {
		text := c.source["manifest.json"].Data
		c.source["manifest.json"] = &fstest.MapFile{Data: bytes.Replace(text, []byte("1.0.0"), []byte(c.version), 1)}
		archive := packed(t, c.source, c.key)
		for _, compared := range []int{0, 10_000} {
			shelf := published.New(base, "submissions", "registry", azp.Limits{})
			shelf.CompareWithAtMost(compared)
			p, err := New(Options{Published: shelf}).Built(context.Background(), Target{Path: "x.azp", Shape: finding.Built}, bytes.NewReader(archive), int64(len(archive)), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Findings {
				if strings.HasPrefix(f.Rule, "provenance/") {
					got = append(got, f.Rule)
					if f.Line == 0 || f.Severity != finding.Warning {
						t.Errorf("%s: %+v", c.what, f)
					}
				}
			}
			slices.Sort(got)
			want := c.want
			if compared == 0 {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, of %d: %v, want %v", c.what, compared, got, want)
			}
		}
	}
}

// Whom the registry has on record as the publisher counts, whoever signed.
func TestNearCopiesByAccount(t *testing.T) {
	none, err := registry.ParsePublishers(nil)
	if err != nil {
		t.Fatal(err)
	}
	base := fstest.MapFS{"registry/publishers.json": {Data: none.With("com.acme.tone", registry.Pin{Owner: registry.Owner{GitHubID: 42}}).Text()},
		"registry/packages/com.acme.tone/com.acme.tone-1.0.0.azp": {Data: packed(t, brushes("com.acme.tone", "Comic Screentone", "Dots.", "dots"), newTestKey(t))}}
	for account, want := range map[int64]int{42: 0, 43: 2, 0: 2} {
		c := New(Options{Published: published.New(base, "submissions", "registry", azp.Limits{}), Account: account})
		p, err := c.Source(context.Background(), Target{Path: "x", Shape: finding.Source}, brushes("net.else.tone", "Comic Screentone", "Else.", "dots"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(strings.Join(ruleIDs(p), " "), "provenance/"); got != want {
			t.Errorf("by account %d: %v", account, ruleIDs(p))
		}
	}
}
