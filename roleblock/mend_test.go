package roleblock

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/finding"
)

// apply carries out the edits of a fix on a text.
func apply(text string, edits []finding.Edit) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(line, column int) int {
		n := 0
		for _, l := range lines[:line-1] {
			n += len(l)
		}
		if line <= len(lines) {
			for i := range lines[line-1] {
				if column == 1 {
					return n + i
				}
				column--
			}
			n += len(lines[line-1])
		}
		return n
	}
	for _, e := range slices.Backward(edits) {
		text = text[:offset(e.Line, e.Column)] + e.Text + text[offset(e.EndLine, e.EndColumn):]
	}
	return text
}

// mendAll applies fixes until there are none left to apply.
func mendAll(t *testing.T, fsys fstest.MapFS) []Finding {
	t.Helper()
	for range 20 {
		result, err := Lint(fsys, Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(result.Findings, func(f Finding) bool { return len(f.Fix.Edits) > 0 })
		if i < 0 {
			return result.Findings
		}
		f := result.Findings[i]
		fsys[f.File].Data = []byte(apply(string(fsys[f.File].Data), f.Fix.Edits))
	}
	t.Fatal("the fixes do not come to an end")
	return nil
}

// Each edit mends its fault and changes nothing else.
func TestEditsAreExact(t *testing.T) {
	const gate = "\"{{ 'web-app-assistant' in group_names }}\""
	const entry = "assistant:\n  enabled: " + gate + "\n  shared: " + gate + "\n"
	for _, c := range []struct {
		name        string
		base        example
		broken, put []string // old, new, …, as in a ruleCase; put is what the edits make of the base where it is not the base
	}{
		{"misspelt word", exampleServer, []string{"auth: app_password", "auth: app-pasword"}, nil},
		{"misspelt word in quotes", exampleServer, []string{"auth: app_password", "auth: \"App Password\" # x"}, []string{"auth: app_password", "auth: app_password # x"}},
		{"misspelt classification", exampleServer, []string{"native_server", "nativeserver"}, nil},
		{"misspelt source", exampleServer, []string{"token_store", "token-store"}, nil},
		{"misspelt type", exampleAdapter, []string{"openapi_allowlist", "openapi_whitelist"}, []string{"openapi_allowlist", "openapi_whitelist"}},
		{"misspelt item", exampleClient, []string{"[streamable_http, sse]", "[streamable-http, 'ssee']"}, nil},
		{"misspelt item of a block list", exampleClient, []string{"[streamable_http, sse]", "\n  - streamablehttp"}, []string{"[streamable_http, sse]", "\n  - streamable_http"}},
		{"misspelt key", exampleServer, []string{"auth_subject:", "auth-subject:"}, nil},
		{"misspelt key in quotes", exampleServer, []string{"  port_key:", "  'portkey':"}, nil},
		{"misspelt service", exampleServer, []string{"service_key: notes", "service_key: note"}, nil},
		{"quoted boolean", exampleServer, []string{"mutating_tools_enabled: false", "mutating_tools_enabled: 'false'"}, nil},
		{"quoted flag", exampleClient, []string{"mcp_consumer: true", "mcp_consumer: \"true\""}, nil},
		{"quoted number", examplePublic, []string{"page_size: 100", "page_size: \"100\""}, nil},
		{"quoted bond", exampleServer.with("direction: server", "bond: 1\ndirection: server"), []string{"bond: 1", "bond: '1'"}, nil},
		{"hash without its name", exampleAdapter, []string{"specification_sha256: sha256:", "specification_sha256: "}, nil},
		{"hand-written gate", exampleServer, []string{"transport: sse\n", "enabled: " + gate + "\ntransport: sse\n"}, nil},
		{"hand-written gate, indented, with comment", exampleServer, []string{"transport: sse\n", "transport: sse\nshared: " + gate + " # since 2024\n"}, nil},
		{"hand-written gate in the last line", exampleClient, []string{"oidc]\n", "oidc]\nshared: " + gate + "\n"}, nil},
		{"marker at the end", exampleClient, []string{"oidc]\n", "oidc]\n--- # x\n\n"}, []string{"oidc]\n", "oidc]\n# x\n\n"}},
		{"entry not gated", exampleServer, []string{"  enabled: " + gate + "\n", "  enabled: true # x\n"}, []string{"  enabled: " + gate + "\n", "  enabled: " + gate + " # x\n"}},
		{"entry gated on another", exampleServer, []string{"  shared: " + gate + "\n", "  shared: '{{ x }}'\n"}, nil},
		{"entry without a flag", exampleServer, []string{entry, "assistant:\n    shared: " + gate + "\n"}, []string{entry, "assistant:\n    enabled: " + gate + "\n    shared: " + gate + "\n"}},
		{"entry with neither", exampleServer, []string{entry, "assistant:\n  x: 1\n"}, []string{entry, "assistant:\n  shared: " + gate + "\n  enabled: " + gate + "\n  x: 1\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, broken := c.base, c.base
			for i := 0; i < len(c.broken); i += 2 {
				broken = broken.with(c.broken[i], c.broken[i+1])
			}
			for i := 0; i < len(c.put); i += 2 {
				want = want.with(c.put[i], c.put[i+1])
			}
			got, expected := filesOf(string(broken)), filesOf(string(want))
			rest := mendAll(t, got)
			for name, file := range expected {
				if string(got[name].Data) != string(file.Data) {
					t.Errorf("%s is now\n%s\nwant\n%s\n%v", name, got[name].Data, file.Data, rest)
				}
			}
		})
	}
}

// Where the mend is not certain there are words, but no edits.
func TestNoEditsWithoutCertainty(t *testing.T) {
	for _, c := range []struct {
		name string
		base example
		edit []string
	}{
		{"a word far from all", exampleServer, []string{"transport: sse", "transport: stdio"}},
		{"a word near to two", exampleServer, []string{"exposure: internal", "exposure: xyz"}},
		{"a word through an alias", exampleServer, []string{"transport: sse", "reason: &t ssee\ntransport: *t"}},
		{"a word over two lines", exampleServer, []string{"auth: app_password", "auth: \"app\n  password\""}},
		{"a literal", exampleServer, []string{"auth: app_password", "auth: |-\n  app-password"}},
		{"a pin that differs", exampleAdapter, []string{"sha256:d0406f9a", "sha256:e0406f9a"}},
		{"a proof", exampleDelegated, []string{"refresh: true", "refresh: 'true'"}},
		{"a gate in a flow mapping", exampleServer.with("direction: server\n", ""), []string{"classification: native_server", "{classification: native_server, direction: server, enabled: \"{{ 'a' in group_names }}\"}\n#"}},
		{"a port near to another", exampleServer, []string{"port_key: http", "port_key: https"}},
		{"a template", exampleServer, []string{"transport: sse", "transport: '{{ t }}'"}},
	} {
		base := c.base.with(c.edit[0], c.edit[1])
		result, err := Lint(filesOf(string(base)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) == 0 {
			t.Errorf("%s: no finding", c.name)
		}
		for _, f := range result.Findings {
			if len(f.Fix.Edits) > 0 {
				t.Errorf("%s: %s has the edits %+v", c.name, f.Rule, f.Fix.Edits)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		word  string
		words []string
		want  string
	}{
		{"streamable-http", transports, "streamable_http"}, {"SSE", transports, "sse"}, {"se", transports, "sse"}, {"stdio", transports, ""}, {"", transports, ""},
		{"bearer", auths, ""}, {"bearer_tokn", auths, "bearer_token"}, {"non", auths, "none"}, {"oicd", auths, "oidc"}, {"natvie_server", deployable, "native_server"},
		{"ab", []string{"abc", "abd"}, ""}, {strings.Repeat("a", 1000), auths, ""},
	} {
		got, ok := nearest(c.word, c.words)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.word, got, c.want)
		}
	}
}

func TestEditsAreInOrderAndInTheFile(t *testing.T) {
	for _, r := range Rules() {
		fsys := filesOf(r.Bad)
		result, err := Lint(fsys, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range result.Findings {
			if !slices.IsSortedFunc(f.Fix.Edits, func(a, b finding.Edit) int {
				return cmp.Or(cmp.Compare(a.EndLine, b.Line), cmp.Compare(a.EndColumn, b.Column))
			}) {
				t.Errorf("%s: edits %+v", r.ID, f.Fix.Edits)
			}
			if len(f.Fix.Edits) == 0 {
				continue
			}
			fsys[f.File].Data = []byte(apply(string(fsys[f.File].Data), f.Fix.Edits))
			after, err := Lint(fsys, Options{})
			if err != nil || len(after.Findings) >= len(result.Findings) {
				t.Errorf("%s: the edits leave %+v", r.ID, after.Findings)
			}
		}
	}
}
