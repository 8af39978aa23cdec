package published

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/registry"
)

func TestProfiles(t *testing.T) {
	p, err := ParseProfiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	var digests []string
	for i := range 100 {
		digests = append(digests, fmt.Sprintf("sha256-%03d", 99-i))
	}
	p = p.With("1.10.0", likeness.Profile{ID: "com.a.x", Name: "X", Description: strings.Repeat("ü", 4<<10), Shape: []string{"mcp"}, Digests: digests})
	p = p.With("1.9.0", likeness.Profile{ID: "com.a.x", Name: "Older"})
	p = p.With("1.0.0", likeness.Profile{ID: "com.a.w", Name: "W"})
	again, err := ParseProfiles(p.Text())
	if err != nil || !bytes.Equal(again.Text(), p.Text()) {
		t.Errorf("%v: read again as %s", err, again.Text())
	}
	x, ok := again.of("com.a.x", "1.10.0")
	if !ok || x.Name != "X" || len(x.Description) != 4<<10 || len(x.Digests) != 64 || x.Digests[0] != "sha256-000" {
		t.Errorf("kept %+v", x)
	}
	if _, ok := again.of("com.a.x", "1.9.0"); ok {
		t.Error("an older version is still known")
	}
	for _, text := range []string{"{", "{}", `{"version":2,"profiles":{}}`, `{"version":1,"profiles":{},"more":1}`, "<<<<<<< HEAD\n"} {
		if p, err := ParseProfiles([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, p)
		}
	}
}

// TestNearByProfiles compares with what the registry's profiles say, with no package read where all have one.
func TestNearByProfiles(t *testing.T) {
	tree := fstest.MapFS{}
	profiles, _ := ParseProfiles(nil)
	for _, id := range []string{"com.acme.tides", "com.acme.weather", "org.hand.made"} {
		tree["submissions/"+id+"/"+id+"-1.0.0.azp"] = archive(t, id, "1.0.0", nil)
	}
	profiles = profiles.With("1.0.0", likeness.Profile{ID: "com.acme.weather", Name: "Acme Forecasts"})
	profiles = profiles.With("0.9.0", likeness.Profile{ID: "com.acme.tides", Name: "Acme Tidewater"}) // of a version that is not the newest any more
	profiles = profiles.With("1.0.0", likeness.Profile{ID: "com.gone.clouds", Name: "Cloudspotter"})  // removed by hand
	with := func(text []byte) fstest.MapFS {
		out := maps.Clone(tree)
		out["registry/publishers.json"] = &fstest.MapFile{Data: registry.Publishers{Version: 1, Publishers: map[string]registry.Pin{}}.Text()}
		if text != nil {
			out["registry/profiles.json"] = &fstest.MapFile{Data: text}
		}
		return out
	}
	for _, c := range []struct {
		what string
		tree fstest.MapFS
		most int
		name string
		want []string
		read int // archives
	}{
		{"known", with(profiles.Text()), 1, "Acme Forecasts", []string{"com.acme.weather"}, 0},
		{"no longer known", with(profiles.Text()), 1, "Acme Tidewater", nil, 0},
		{"gone", with(profiles.Text()), 1, "Cloudspotter", nil, 0},
		{"known, and the others read", with(profiles.Text()), maxCompared, "Acme Forecasts", []string{"com.acme.weather"}, 2},
		{"a registry without profiles", with(nil), 1, "Weather", nil, 1},
		{"damaged profiles", with([]byte("<<<<<<<")), 1, "Weather", nil, 1},
		{"damaged profiles, and all read", with([]byte("<<<<<<<")), maxCompared, "Acme Forecasts", nil, 3},
	} {
		opened := archives{c.tree, new(int)}
		s := New(opened, "submissions", "registry", azp.Limits{})
		s.CompareWithAtMost(c.most)
		found, err := s.Near(context.Background(), likeness.Profile{ID: "net.else.weather", Name: c.name})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, c.want) || *opened.n != c.read {
			t.Errorf("%s: near %v, want %v; %d archives read, want %d", c.what, got, c.want, *opened.n, c.read)
		}
	}
}

// archives counts the archives that are opened.
type archives struct {
	fs.FS
	n *int
}

func (a archives) Open(name string) (fs.File, error) {
	if path.Ext(name) == extension {
		*a.n++
	}
	return a.FS.Open(name)
}
