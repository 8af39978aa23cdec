package registry_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/registry"
)

func key(t *testing.T) azp.PrivateKey {
	t.Helper()
	k, err := azp.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestARecordIsBoundToTheKeyAndToItsBytes(t *testing.T) {
	ctx, k := context.Background(), key(t)
	want := registry.NewStatement("com.acme.fs-1.0.0.azp", azp.DigestOf([]byte("package")), registry.Admission{ID: "com.acme.fs", Version: "1.0.0", PullRequest: 7, Head: "a", Base: "b"})
	for _, id := range []string{"", "registry-2026"} {
		text, err := registry.Seal(ctx, want, k, id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := registry.Open(ctx, text, k.Public())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v %+v", err, got)
		}
		if read, err := registry.Read(text); err != nil || !reflect.DeepEqual(read, want) {
			t.Errorf("%v %+v", err, read)
		}
		if _, err := registry.Open(ctx, text, key(t).Public()); err == nil {
			t.Error("another key opens it")
		}
		i := strings.Index(string(text), `"payload": "`) + 20
		damaged := []byte(string(text[:i]) + string(text[i]^1) + string(text[i+1:]))
		if _, err := registry.Open(ctx, damaged, k.Public()); err == nil {
			t.Error("other bytes open")
		}
	}
}

func TestPublishers(t *testing.T) {
	p, err := registry.ParsePublishers(nil)
	if err != nil {
		t.Fatal(err)
	}
	p = p.With("com.acme.fs", registry.Pin{Owner: registry.Owner{PublicKey: "K"}, ApprovedBy: "maintainer", PullRequest: 7})
	p = p.With("org.alice.tool", registry.Pin{Owner: registry.Owner{GitHubID: 42, Login: "alice"}})
	again, err := registry.ParsePublishers(p.Text())
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Fatalf("%v %+v", err, again)
	}
	if pin, ok := p.Of("com.Acme.FS"); !ok || pin.PublicKey != "K" {
		t.Error("an id that differs in case alone is free")
	}
	for _, c := range []struct {
		owner registry.Owner
		id    string
		want  bool
	}{
		{registry.Owner{PublicKey: "K"}, "com.acme.db", true},
		{registry.Owner{PublicKey: "K"}, "com.other.db", false},
		{registry.Owner{PublicKey: "L"}, "com.acme.db", false},
		{registry.Owner{GitHubID: 42}, "org.alice.more", true},
		{registry.Owner{PublicKey: "K", GitHubID: 42}, "org.alice.more", false},
		{registry.Owner{}, "com.acme.db", false},
	} {
		if got := p.Knows(c.owner, c.id); got != c.want {
			t.Errorf("%+v %s: %v", c.owner, c.id, got)
		}
	}
	for _, bad := range []string{"{", "{}{}", `{"version":2,"publishers":{}}`, `{"version":1}x`, `{"version":1,"publishers":{"a":{"pullRequest":1}}}`, `{"version":1,"owners":{}}`, `{"version":1,"publishers":null}`} {
		if _, err := registry.ParsePublishers([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func TestRelate(t *testing.T) {
	byKey, byAccount := &registry.Owner{PublicKey: "K"}, &registry.Owner{GitHubID: 42, Login: "alice"}
	for _, c := range []struct {
		owner  *registry.Owner
		author registry.Author
		want   registry.Relation
	}{
		{nil, registry.Author{PublicKey: "K"}, registry.Newcomer},
		{byKey, registry.Author{PublicKey: "K"}, registry.SameKey},
		{byKey, registry.Author{PublicKey: "L", Chain: []string{"M", "K"}}, registry.Vouched},
		{byKey, registry.Author{PublicKey: "L", Chain: []string{"M"}}, registry.OtherPublisher},
		{byKey, registry.Author{}, registry.Unsigned},
		{byKey, registry.Author{GitHubID: 42}, registry.Unsigned},
		{byAccount, registry.Author{GitHubID: 42}, registry.SameAccount},
		{byAccount, registry.Author{GitHubID: 43}, registry.OtherAccount},
		{byAccount, registry.Author{}, registry.OtherAccount},
		{byAccount, registry.Author{PublicKey: "K"}, registry.OtherPublisher},
		{&registry.Owner{}, registry.Author{}, registry.OtherAccount},
	} {
		if got := registry.Relate(c.owner, c.author); got != c.want {
			t.Errorf("%+v %+v: %d, want %d", c.owner, c.author, got, c.want)
		}
	}
}

func TestEntry(t *testing.T) {
	e := registry.Entry{
		ID: "com.acme.notes", Version: "1.0.0+a", Digest: "sha256-00", Submitted: "sha256-01", Size: 3, Path: "submissions/a.azp", Blob: strings.Repeat("a", 40),
		PublishedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), PullRequest: 7, Publisher: registry.Owner{PublicKey: "k"}, Manifest: []byte(`{"a":"<&>","b":[]}`),
	}
	text, err := e.Text()
	if err != nil {
		t.Fatal(err)
	}
	got, err := registry.ReadEntry("com.acme.notes/1.0.0+a.json", text)
	if err != nil || got.PublishedAt.Format(time.RFC3339Nano) != "2026-01-02T02:04:05Z" || got.Publisher != e.Publisher || got.Digest != e.Digest {
		t.Errorf("%v: %+v", err, got)
	}
	if again, err := got.Text(); err != nil || !bytes.Equal(again, text) || !bytes.Contains(text, []byte(`"a": "<&>"`)) {
		t.Errorf("%v: written again as\n%s", err, again)
	}
	for name, text := range map[string]string{
		"com.acme.notes/1.0.0.json":   string(text),
		"com.acme.notes/1.0.0+a.json": strings.Replace(string(text), `"format": 1`, `"format": 2`, 1),
		"com.acme.notes/1.0.0+a":      string(text) + "{}",
		"other/1.0.0+a.json":          strings.Replace(string(text), `"size"`, `"sizes"`, 1),
	} {
		if e, err := registry.ReadEntry(name, []byte(text)); err == nil {
			t.Errorf("%s was read as %+v", name, e)
		}
	}
	for _, replace := range [][2]string{{strings.Repeat("a", 40), "../../etc"}, {`"size": 3`, `"size": 0`}, {"sha256-00", "md5-00"}} {
		if _, err := registry.ReadEntry("com.acme.notes/1.0.0+a.json", []byte(strings.Replace(string(text), replace[0], replace[1], 1))); err == nil {
			t.Errorf("an entry with %q was read", replace[1])
		}
	}
}

func TestRevocations(t *testing.T) {
	list, err := registry.ParseRevocations([]byte(`{"version":1,"revocations":[{"id":"a","version":"1.0.0","revokedAt":"2026-01-01T00:00:00Z"},{"id":"a","version":"2.0.0","reason":"r","revokedAt":"2026-02-01T00:00:00+01:00"}]}`))
	if err != nil || len(list) != 2 || list[0].Version != "2.0.0" || list[0].RevokedAt.Format(time.RFC3339) != "2026-01-31T23:00:00Z" {
		t.Errorf("%v %+v", err, list)
	}
	if list, err := registry.ParseRevocations(nil); err != nil || list != nil {
		t.Errorf("nothing: %v %v", list, err)
	}
	for _, text := range []string{
		`{`, `{}`, `{"version":1}`, `{"version":2,"revocations":[]}`, `{"version":1,"revocations":[{"id":"a","version":"1.0.0"}]}`, `{"version":1,"revocations":[{"id":"a","revokedAt":"2026-01-01T00:00:00Z"}]}`,
		`{"version":1,"revocations":[{"id":"a","version":"1.0.0","revokedAt":"yesterday"}]}`, `{"version":1,"revocations":[],"more":1}`, `{"version":1,"revocations":[]}{}`,
	} {
		if list, err := registry.ParseRevocations([]byte(text)); err == nil {
			t.Errorf("%s was read as %+v", text, list)
		}
	}
}

func TestProfiles(t *testing.T) {
	p, err := registry.ParseProfiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	p = p.With("com.a.x", registry.Profile{Version: "1.10.0", Name: "X", Shape: []string{"mcp"}, Digests: []string{"sha256-00"}})
	p = p.With("com.a.x", registry.Profile{Version: "1.9.0", Name: "Older"})
	p = p.With("com.a.w", registry.Profile{Version: "1.0.0", Name: "W"})
	again, err := registry.ParseProfiles(p.Text())
	if err != nil || !bytes.Equal(again.Text(), p.Text()) {
		t.Errorf("%v: read again as %s", err, again.Text())
	}
	if x := again.Profiles["com.a.x"]; x.Version != "1.10.0" || x.Name != "X" || len(x.Digests) != 1 {
		t.Errorf("kept %+v", x)
	}
	for _, text := range []string{"{", "{}", `{"version":2,"profiles":{}}`, `{"version":1,"profiles":{},"more":1}`, `{"version":1,"profiles":{}}{}`, "<<<<<<< HEAD\n"} {
		if p, err := registry.ParseProfiles([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, p)
		}
	}
}
