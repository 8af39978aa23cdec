package action

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
)

// signed packs the files of a submission as its archive, signed by a key.
func signed(t *testing.T, files map[string]string, id, version string, key azp.PrivateKey) map[string]string { //nolint:unparam // callers say whose
	t.Helper()
	ctx, folder := context.Background(), fstest.MapFS{}
	for name, text := range files {
		folder[strings.TrimPrefix(name, "submissions/"+id+"/")] = &fstest.MapFile{Data: []byte(text)}
	}
	src, err := azp.ReadSource(ctx, folder, azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var packed, out bytes.Buffer
	if err := src.Pack(&packed); err != nil {
		t.Fatal(err)
	}
	p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Sign(&out, key, ""); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"submissions/" + id + "/" + id + "-" + version + ".azp": out.String()}
}

func newKey(t *testing.T) azp.PrivateKey {
	t.Helper()
	key, err := azp.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestTheSummaryOfAnUpdateSaysWhatChanged(t *testing.T) {
	const id = "com.example.fs"
	author, other := newKey(t), newKey(t)
	v1 := submission(id, "")
	v2 := maps.Clone(v1)
	v2["submissions/"+id+"/manifest.json"] = strings.NewReplacer(`"1.0.0"`, `"1.1.0"`, "mcp.example.com", "evil.example.net").Replace(v1["submissions/"+id+"/manifest.json"])
	if v1["submissions/"+id+"/manifest.json"] == v2["submissions/"+id+"/manifest.json"] {
		t.Fatal("the second version is the first")
	}
	const host = "- Server `s`: the address leads to another host: `evil.example.net`, was `mcp.example.com`\n"
	for _, c := range []struct {
		name          string
		before, after map[string]string
		want          []string // in the summary
		rules         string   // of findings about the publisher
	}{
		{"the same key", signed(t, v1, id, "1.0.0", author), signed(t, v2, id, "1.1.0", author), []string{"What changed in `" + id + "` from `1.0.0` to `1.1.0`", host}, ""},
		{"another key", signed(t, v1, id, "1.0.0", author), signed(t, v2, id, "1.1.0", other), []string{"- It is signed by another key", host}, "publisher/changed"},
		{"a source", v1, v2, []string{host}, ""},
		{"a source of the same version", v1, map[string]string{"submissions/" + id + "/manifest.json": strings.Replace(v2["submissions/"+id+"/manifest.json"], "1.1.0", "1.0.0", 1)},
			[]string{"- The version stays `1.0.0`, though the package is another one\n", host}, "publisher/version-unchanged"},
		{"other bytes of the same version", signed(t, v1, id, "1.0.0", author), signed(t, withLicense(v1, id), id, "1.0.0", author),
			[]string{"- The file `LICENSE` has other bytes"}, "publisher/version-published"},
		{"the first version", nil, signed(t, v1, id, "1.0.0", author), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			base := r.commit(withReadme(c.before))
			r.git("checkout", "-q", "-b", "feature")
			head := r.commit(c.after)
			o := r.run("pull_request", pullRequest(base, head), nil)
			for _, want := range c.want {
				if !strings.Contains(o.summary, want) {
					t.Errorf("the summary lacks %q:\n%s", want, o.summary)
				}
			}
			if len(c.want) == 0 && strings.Contains(o.summary, "What changed") {
				t.Errorf("the summary: %s", o.summary)
			}
			rules := ""
			for _, p := range o.report.Packages {
				for _, f := range p.Findings {
					if strings.HasPrefix(f.Rule, "publisher/") {
						rules += f.Rule
					}
				}
			}
			if rules != c.rules {
				t.Errorf("rules %q, want %q\n%s", rules, c.rules, o.stdout)
			}
		})
	}
}

func withLicense(files map[string]string, id string) map[string]string {
	out := maps.Clone(files)
	out["submissions/"+id+"/LICENSE"] = "MIT License, once more\n"
	return out
}

func withReadme(files map[string]string) map[string]string {
	out := map[string]string{"README.md": "x"}
	maps.Copy(out, files)
	return out
}

// An id that nobody signed belongs to an account, which the event names by its number.
func TestTheAccountOfThePullRequestIsJudged(t *testing.T) {
	const id = "com.example.fs"
	before := withReadme(submission(id, ""))
	before["registry/publishers.json"] = `{"version":1,"publishers":{"` + id + `":{"githubId":42,"login":"alice","pullRequest":1}}}`
	after := map[string]string{"submissions/" + id + "/manifest.json": strings.Replace(manifest(id, ""), `"1.0.0"`, `"1.1.0"`, 1)}
	r := newRepo(t)
	base := r.commit(before)
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(after)
	for account, want := range map[int64]bool{42: false, 43: true, 0: false} {
		event := map[string]any{"number": 7, "pull_request": map[string]any{
			"number": 7, "head": map[string]any{"sha": head}, "base": map[string]any{"sha": base}, "user": map[string]any{"id": account, "login": "alice"},
		}}
		o := r.run("pull_request", event, nil)
		if got := strings.Contains(o.stdout, "publisher/other-account"); got != want {
			t.Errorf("account %d: %v, want %v:\n%s", account, got, want, o.stdout)
		}
	}
}
