package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
)

// Mends that are not certain are words alone.
func TestUncertainMends(t *testing.T) {
	for _, c := range []struct{ what, rule, server string }{
		{"another port", "mcp/url-not-https", `"remote":{"type":"http","url":"http://mcp.example.com:8080/mcp"}`},
		{"an address without a name", "mcp/url-not-https", `"remote":{"type":"http","url":"http://203.0.113.7/mcp"}`},
		{"a name of the author's network", "mcp/url-not-https", `"remote":{"type":"http","url":"http://nas/mcp"}`},
		{"the code of the server", "mcp/machine-path", desktopLaunch(`"command":"node","args":["/Users/ann/server/index.js"]`)},
		{"the folder of the code", "mcp/machine-path", desktopLaunch(`"command":"uv","args":["--directory","/Users/ann/server","run","srv"]`)},
		{"code for a server that is fetched", "mcp/machine-path", desktopLaunch(`"command":"npx","args":["a@1.0.0","/Users/ann/plugin.js"]`)},
		{"a path among others", "mcp/machine-path", desktopLaunch(`"command":"srv","env":{"DIRS":"/Users/ann/a:/Users/ann/b"}`)},
		{"a path under the name of a credential", "mcp/machine-path", desktopLaunch(`"command":"npx","args":["a@1.0.0","--token=/Users/ann/t"]`)},
		{"a version that nothing names", "mcp/unpinned-command", desktopLaunch(`"command":"npx","args":["a"]`)},
		{"one of two versions", "mcp/unpinned-command", desktopLaunch(`"command":"npx","args":["a"]`) + `}, {"id":"c",` + desktopLaunch(`"command":"npx","args":["a@1.0.0"]`) + `}, {"id":"d",` + desktopLaunch(`"command":"npx","args":["a@2.0.0"]`)},
		{"the version of a package of the same name elsewhere", "mcp/unpinned-command", desktopLaunch(`"command":"npx","args":["a"]`) + `}, {"id":"c",` + desktopLaunch(`"command":"uvx","args":["a==1.0.0"]`)},
		{"a transport of no known name", "mcp/remote-type", `"remote":{"type":"stdio","url":"https://mcp.example.com"}`},
	} {
		found := byRule(New(Options{}), serverManifest("", c.server), c.rule)
		if len(found) == 0 {
			t.Errorf("%s: nothing is found", c.what)
		}
		for _, f := range found {
			if f.Fix == nil || f.Fix.Description == "" || len(f.Fix.Edits) > 0 {
				t.Errorf("%s: %+v", c.what, f.Fix)
			}
		}
	}
}

// The size of a fetched module is known where the same bytes are in the package, or were fetched.
func TestTheSizeOfAModuleIsFilledIn(t *testing.T) {
	module := program(t)
	text := strings.Replace(moduleManifest(fmt.Sprintf(`,"remoteUrl":"https://cdn.example.com/a.wasm","checksum":%q`, azp.DigestOf(module))), `"server/notes.wasm"`, `""`, 1)
	want := strings.Replace(text, `"}}}`, fmt.Sprintf(`","byteSize": %d}}}`, len(module)), 1)
	fetch := Probe{Fetch: func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(module)), nil
	}}
	mend := func(what string, p finding.Package, certain bool) {
		t.Helper()
		for _, f := range p.Findings {
			if f.Rule != "mcp/byte-size-missing" {
				continue
			}
			if certain != (len(f.Fix.Edits) > 0) || certain && mended(t, text, f) != want {
				t.Errorf("%s: %+v", what, f.Fix)
			}
			return
		}
		t.Errorf("%s: %v", what, ruleIDs(p))
	}
	mend("nothing is known", probed(t, Probe{}, text, nil), false)
	mend("in the folder", probed(t, Probe{}, text, module), true)
	mend("fetched", probed(t, fetch, text, nil), true)
	archive := packed(t, fstest.MapFS{"manifest.json": {Data: []byte(text)}, "LICENSE": {Data: []byte("MIT License\n")}, "server/notes.wasm": {Data: module}}, nil)
	p, err := New(Options{}).Built(context.Background(), Target{Path: "x.azp", Shape: finding.Built}, bytes.NewReader(archive), int64(len(archive)), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range p.Findings {
		found = found || f.Rule == "mcp/byte-size-missing" && strings.Contains(f.Fix.Description, fmt.Sprint(len(module)))
	}
	if !found {
		t.Errorf("in an archive: %+v", p.Findings)
	}
}

// TestRenamingNeedsAFieldOfTheKind holds that no field is renamed to one that a package of this kind must not have.
func TestRenamingNeedsAFieldOfTheKind(t *testing.T) {
	c := New(Options{})
	for field, near := range map[string]string{`"apz":{}`: "", `"asets":[{"type":"lut"}]`: "", `"capabilitys":["canvas"]`: "", `"authr":"Ann"`: "author"} {
		found := byRule(c, strings.Replace(serverManifest("", desktopLaunch(`"command":"srv"`)), `{`, `{`+field+`,`, 1), "manifest/unknown-field")
		if len(found) != 1 || strings.Contains(found[0].Message, "Did you mean") != (near != "") || near != "" && (len(found[0].Fix.Edits) != 1 || !strings.Contains(found[0].Message, near)) {
			t.Errorf("%s: %+v", field, found)
		}
	}
}

// TestRenamingNeedsAFittingValue holds that no field is renamed to one that could not hold its value.
func TestRenamingNeedsAFittingValue(t *testing.T) {
	c := New(Options{})
	for value, certain := range map[string]bool{`[]`: true, `"--all"`: false} {
		found := byRule(c, serverManifest("", desktopLaunch(`"command":"srv","arg":`+value)), "manifest/unknown-field")
		if len(found) != 1 || found[0].Fix == nil || certain != (len(found[0].Fix.Edits) > 0) {
			t.Errorf("%s: %+v", value, found)
		}
	}
}
