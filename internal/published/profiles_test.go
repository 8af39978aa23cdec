package published

import (
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

// Of a profile as much is kept as a comparison needs.
func TestKept(t *testing.T) {
	var digests []string
	for i := range 100 {
		digests = append(digests, fmt.Sprintf("sha256-%03d", 99-i))
	}
	p := Kept("1.10.0", likeness.Profile{ID: "com.a.x", Name: "X", Description: strings.Repeat("ü", 4<<10), Shape: []string{"mcp"}, Digests: digests})
	if p.Version != "1.10.0" || p.Name != "X" || len(p.Description) != 4<<10 || len(p.Digests) != 64 || p.Digests[0] != "sha256-000" || len(p.Shape) != 1 {
		t.Errorf("kept %+v", p)
	}
}

// TestNearByProfiles compares with what the registry's profiles say, with no package read where all have one.
func TestNearByProfiles(t *testing.T) {
	tree := fstest.MapFS{}
	profiles, _ := registry.ParseProfiles(nil)
	for _, id := range []string{"com.acme.tides", "com.acme.weather", "org.hand.made"} {
		tree["submissions/"+id+"/"+id+"-1.0.0.azp"] = archive(t, id, "1.0.0", nil)
	}
	profiles = profiles.With("com.acme.weather", registry.Profile{Version: "1.0.0", Name: "Acme Forecasts"})
	profiles = profiles.With("com.acme.tides", registry.Profile{Version: "0.9.0", Name: "Acme Tidewater"}) // of a version that is not the newest any more
	profiles = profiles.With("com.gone.clouds", registry.Profile{Version: "1.0.0", Name: "Cloudspotter"})  // removed by hand
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
		{"profiles of nothing", with([]byte(`{"version":1,"profiles":{}}`)), 1, "Weather", nil, 0},
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
