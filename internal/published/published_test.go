package published

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/registry"
)

func source(id, version string) fstest.MapFS {
	return fstest.MapFS{
		"manifest.json": {Data: fmt.Appendf(nil, `{"azphalt":"0.1","id":%q,"name":"x","version":%q,"kind":"asset","license":"MIT","compat":">=0.1"}`, id, version)},
		"LICENSE":       {Data: []byte("MIT License\n")},
	}
}

// archive packs and, with a key, signs a package.
func archive(t *testing.T, id, version string, key *azp.PrivateKey) *fstest.MapFile {
	t.Helper()
	ctx := context.Background()
	src, err := azp.ReadSource(ctx, source(id, version), azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := src.Pack(&packed); err != nil {
		t.Fatal(err)
	}
	if key != nil {
		p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		packed.Reset()
		if err := p.Sign(&packed, *key, ""); err != nil {
			t.Fatal(err)
		}
	}
	return &fstest.MapFile{Data: packed.Bytes()}
}

func TestShelf(t *testing.T) {
	ctx := context.Background()
	key, err := azp.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"submissions/com.a.x/com.a.x-1.9.0.azp":       archive(t, "com.a.x", "1.9.0", &key),
		"submissions/com.a.x/com.a.x-1.10.0.azp":      archive(t, "com.a.x", "1.10.0", nil),
		"submissions/com.a.x/release.azp":             archive(t, "com.a.x", "1.2.0", nil),
		"submissions/com.a.x/broken.azp":              {Data: []byte("PK")},
		"submissions/com.a.x/com.a.x-9.0.0.azp":       archive(t, "com.other.x", "9.0.0", nil), // that of another id
		"submissions/com.b.y-2.0.0.azp":               archive(t, "com.b.y", "2.0.0", &key),
		"submissions/com.b.y.z-3.0.0.azp":             archive(t, "com.b.y.z", "3.0.0", nil),
		"registry/packages/com.d.w/com.d.w-1.0.0.azp": archive(t, "com.d.w", "1.0.0", nil),
	}
	for name, f := range source("com.c.z", "0.1.0") {
		tree["submissions/com.c.z/"+name] = f
	}
	s := New(tree, "submissions", "registry", azp.Limits{})
	for id, want := range map[string]string{
		"com.a.x": "1.10.0", "com.b.y": "2.0.0", "com.c.z": "0.1.0", "com.d.w": "1.0.0", "com.none": "", "../com.a.x": "", "": "", "com.a.x/": "",
	} {
		p, err := s.Newest(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if got := versionOf(p); got != want {
			t.Errorf("the newest of %q is %q, want %q", id, got, want)
		}
	}
	if got, want := s.IDs(), []string{"com.a.x", "com.b.y", "com.b.y.z", "com.c.z", "com.d.w"}; !slices.Equal(got, want) {
		t.Errorf("ids %q, want %q", got, want)
	}
	for _, version := range []string{"1.2.0", "1.9.0", "1.10.0"} {
		p, err := s.Version(ctx, "com.a.x", version)
		if err != nil || versionOf(p) != version || (p.Signer != "") != (version == "1.9.0") {
			t.Errorf("%s: %+v %v", version, p, err)
		}
	}
	if p, err := s.Version(ctx, "com.a.x", "9.0.0"); p != nil || err != nil {
		t.Errorf("%+v %v", p, err)
	}
	for id, want := range map[string]string{"com.a.x": "", "com.b.y": key.Public().String(), "com.c.z": "", "com.none": ""} {
		if owner, err := s.Owner(ctx, id); err != nil || owner != nil && owner.PublicKey != want || owner == nil && want != "" {
			t.Errorf("%s belongs to %+v, want %q: %v", id, owner, want, err)
		}
	}
}

func versionOf(p *Package) string {
	if p == nil {
		return ""
	}
	return p.Version
}

func TestTheRecordOfPublishersGoesFirst(t *testing.T) {
	none, err := registry.ParsePublishers(nil)
	if err != nil {
		t.Fatal(err)
	}
	record := none.With("com.a.x", registry.Pin{Owner: registry.Owner{PublicKey: "K"}}).Text()
	tree := fstest.MapFS{"submissions/com.a.x/com.a.x-1.0.0.azp": archive(t, "com.a.x", "1.0.0", nil), "registry/publishers.json": {Data: record}}
	owner, err := New(tree, "submissions", "registry", azp.Limits{}).Owner(context.Background(), "com.a.x")
	if err != nil || owner == nil || owner.PublicKey != "K" {
		t.Errorf("%+v %v", owner, err)
	}
	tree["registry/publishers.json"] = &fstest.MapFile{Data: []byte("{")}
	if owner, err := New(tree, "submissions", "registry", azp.Limits{}).Owner(context.Background(), "com.a.x"); err != nil || owner != nil {
		t.Errorf("%+v %v", owner, err)
	}
}

// The content of a source is that of the archive which is packed from it.
func TestContentIsThatOfThePackedManifest(t *testing.T) {
	tree := fstest.MapFS{"s/com.a.x/com.a.x-1.0.0.azp": archive(t, "com.a.x", "1.0.0", nil)}
	for name, f := range source("com.a.x", "1.0.0") {
		tree["t/com.a.x/"+name] = f
	}
	built, err := New(tree, "s", "registry", azp.Limits{}).Newest(context.Background(), "com.a.x")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := New(tree, "t", "registry", azp.Limits{}).Newest(context.Background(), "com.a.x")
	if err != nil || built == nil || folder == nil || built.Content != folder.Content || built.Source || !folder.Source {
		t.Errorf("%+v %+v %v", built, folder, err)
	}
}

// Where reading is dear, a package is compared with those whose ids have most in common with it, and no other is opened.
func TestNearWhereReadingIsDear(t *testing.T) {
	tree := fstest.MapFS{}
	named := func(id, name string) {
		for file, f := range source(id, "1.0.0") {
			tree["submissions/"+id+"/"+file] = &fstest.MapFile{Data: bytes.Replace(f.Data, []byte(`"x"`), fmt.Appendf(nil, "%q", name), 1)}
		}
	}
	for i := range 50 {
		named(fmt.Sprintf("net.crowd.tool-%d", i), fmt.Sprintf("Crowd %c%c", 'a'+i%26, 'a'+i/26))
	}
	named("com.acme.weather", "Acme Forecasts")
	named("com.acme.tides", "Acme Tides")
	for _, c := range []struct {
		most int
		is   likeness.Profile
		want string
	}{
		{3, likeness.Profile{ID: "org.else.weather", Name: "Acme Forecasts"}, "com.acme.weather"},
		{3, likeness.Profile{ID: "org.else.sea", Name: "Acme  Tides"}, "com.acme.tides"},
		{3, likeness.Profile{ID: "org.else.tool", Name: "Acme Tides"}, "com.acme.tides"},
		{0, likeness.Profile{ID: "org.else.weather", Name: "Acme Forecasts"}, ""},
		{3, likeness.Profile{ID: "org.else.sea", Name: "Crowd cb"}, ""},
		{maxCompared, likeness.Profile{ID: "org.else.sea", Name: "Crowd cb"}, "net.crowd.tool-28"},
	} {
		opened := counting{FS: tree, n: new(int)}
		s := New(opened, "submissions", "registry", azp.Limits{})
		s.CompareWithAtMost(c.most)
		found, err := s.Near(context.Background(), c.is)
		if err != nil || len(found) > 1 || (len(found) == 1) != (c.want != "") || len(found) == 1 && found[0].ID != c.want {
			t.Errorf("%+v, of %d: near %v, want %q: %v", c.is, c.most, found, c.want, err)
		}
		if c.most < maxCompared && *opened.n > c.most {
			t.Errorf("%d of at most %d were opened", *opened.n, c.most)
		}
	}
}

// counting counts the manifests that are opened.
type counting struct {
	fs.FS
	n *int
}

func (c counting) Open(name string) (fs.File, error) {
	if path.Base(name) == azp.ManifestName {
		*c.n++
	}
	return c.FS.Open(name)
}
