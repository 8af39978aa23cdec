package roleblock

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/finding"
)

func TestSeverityIsTheCallersToSet(t *testing.T) {
	fsys := filesOf(string(exampleServer.with("transport: sse", "transport: stdio").with("exposure: internal", "exposure: x").with("auth: app_password", "auth: x")))
	result, err := Lint(fsys, Options{Severity: func(rule string, def finding.Severity) finding.Severity {
		switch rule {
		case "role/transport-invalid":
			return finding.Off
		case "role/exposure-invalid":
			return finding.Notice
		}
		return def
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings {
		got = append(got, f.Rule+" "+f.Severity.String())
	}
	if s := strings.Join(got, ", "); s != "role/exposure-invalid notice, role/auth-invalid error" {
		t.Error(s)
	}
}

func TestOrderIsFileLineRuleAbout(t *testing.T) {
	archive := exampleServer.with("direction: server\n", "{}: x\ndirection: server\n").with("assistant:\n  enabled", "nobody:\n  enabled") +
		"-- roles/web-app-b/meta/services.yml --\nb: {mcp_consumer: true}\n-- roles/Z/meta/mcp.yml --\n{bond: 0, unknown: 1, classification: native_client, direction: client, supported_transports: [a, b]}\n"
	result, err := Lint(filesOf(string(archive)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s %s", f.File, f.Line, strings.TrimPrefix(f.Rule, "role/"), f.About))
	}
	want := []string{
		"roles/Z/meta/mcp.yml:1 bond-invalid ", "roles/Z/meta/mcp.yml:1 supported-auths-missing ", "roles/Z/meta/mcp.yml:1 supported-transports-invalid ",
		"roles/Z/meta/mcp.yml:1 supported-transports-invalid ", "roles/Z/meta/mcp.yml:1 unknown-key ",
		"roles/web-app-notes/meta/mcp.yml:2 unknown-key ", "roles/web-app-notes/meta/mcp.yml:3 consumer-entry-missing web-app-assistant",
		"roles/web-app-notes/meta/mcp.yml:3 consumer-entry-missing web-app-b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		text   string // of a client's block
		want   string // in the message
	}{
		{"bytes", Limits{File: Volume{Bytes: 200}}, "# " + strings.Repeat("x", 300), "200 bytes"},
		{"tokens", Limits{File: Volume{Tokens: 50}}, "a: [" + strings.Repeat("x, ", 60) + "]", "50 keys"},
		{"tree", Limits{Tree: Volume{Bytes: 200}}, "# " + strings.Repeat("x", 300), "the tree holds"},
		{"depth", Limits{Depth: 5}, "a: [[[[[[]]]]]]", "5 levels"},
		{"depth of blocks", Limits{Depth: 5}, "a:\n b:\n  c:\n   d:\n    e:\n     f:\n", "5 levels"},
	} {
		result, err := Lint(fstest.MapFS{"roles/a/meta/mcp.yml": {Data: []byte(c.text)}}, Options{Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) != 1 || result.Findings[0].Rule != tooLarge || result.Findings[0].Line == 0 || !strings.Contains(result.Findings[0].Message, c.want) {
			t.Errorf("%s: %+v", c.name, result.Findings)
		}
		result, err = Lint(fstest.MapFS{"roles/a/meta/mcp.yml": {Data: []byte("# nocheck: mcp-schema\n" + c.text)}}, Options{Limits: c.limits})
		if err != nil || len(result.Findings) != 0 {
			t.Errorf("%s: a file can be exempted: %+v, %v", c.name, result.Findings, err)
		}
	}
}

func TestLimitOfRolesAndFindings(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 9 {
		fsys[fmt.Sprintf("roles/r%d/meta/mcp.yml", i)] = &fstest.MapFile{Data: []byte("classification: native_client\ndirection: x\ntransport: x\n")}
	}
	result, err := Lint(fsys, Options{Limits: Limits{Roles: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if last := result.Findings[len(result.Findings)-1]; len(result.Findings) != 7 || last.Rule != tooLarge || last.File != "roles/r3/meta/mcp.yml" {
		t.Errorf("%+v", result.Findings)
	}
	if result, err = Lint(fsys, Options{Limits: Limits{Findings: 5}}); err != nil {
		t.Fatal(err)
	}
	if last := result.Findings[len(result.Findings)-1]; len(result.Findings) != 6 || last.Rule != tooLarge || last.File != "roles/r2/meta/mcp.yml" || last.Line != 3 {
		t.Errorf("%+v", result.Findings)
	}
}

// failing is a file system in which one path cannot be read.
type failing struct {
	fstest.MapFS
	path string
}

var errBroken = errors.New("broken disk")

func (f failing) Open(name string) (fs.File, error) {
	if name == f.path {
		return nil, errBroken
	}
	return f.MapFS.Open(name)
}

func (f failing) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.path {
		return nil, errBroken
	}
	return f.MapFS.ReadDir(name)
}

// What cannot be read is an error, not a finding, and never passed over.
func TestErrorsOfTheFileSystem(t *testing.T) {
	tree := filesOf(string(exampleAdapter + "-- users.yml --\n-- meta/categories.yml --\n-- roles/web-app-notes/meta/users.yml --\n"))
	for _, path := range []string{"roles", "users.yml", "meta/categories.yml", "roles/web-app-notes/meta/mcp.yml", "roles/web-app-notes/meta/services.yml",
		"roles/web-app-notes/meta/users.yml", "roles/web-app-notes/files/mcp/openapi.json"} {
		if _, err := Lint(failing{tree, path}, Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for name, fsys := range map[string]fstest.MapFS{"empty": {}, "no roles": {"users.yml": {}}, "roles a file": {"roles": {}}} {
		if result, err := Lint(fsys, Options{}); err != nil || len(result.Roles()) != 0 || len(result.Findings) != 0 {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
}

func TestMessagesAreFitToBeShown(t *testing.T) {
	const evil = `"\u202e\u2028a\n\e"`
	fsys := filesOf(string(exampleServer.with("transport: sse", "transport: "+evil).with("service_key: notes", "service_key: \"\\e[31m\"").with("tools:\n", evil+": x\ntools:\n")))
	fsys["roles/x\n::error::\x1b/meta/services.yml"] = &fstest.MapFile{Data: []byte("\"x\\n::error::\\e\": {mcp_consumer: true}")}
	fsys["roles/x\n::error::\x1b/meta/mcp.yml"] = &fstest.MapFile{Data: []byte("classification: adapter_server\nimplementation: adapter\nadapter: {specification_path: x}")}
	result, err := Lint(fsys, Options{})
	if err != nil || len(result.Findings) < 8 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, f := range result.Findings {
		for _, s := range []string{f.Message, f.Fix.Description, f.Excerpt.Text} {
			if strings.ContainsAny(s, "\n\r\x1b\u202e\u2028") {
				t.Errorf("%s shows %q", f.Rule, s)
			}
		}
	}
}
