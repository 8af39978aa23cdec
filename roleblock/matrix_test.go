package roleblock

import (
	"slices"
	"strings"
	"testing"
)

// several are three servers and two clients with an edge of each kind.
func several() example {
	return exampleTwins.with("owner: mcp-web-app-wiki", "owner: '{{ o }}'") +
		"-- roles/web-app-b/meta/mcp.yml --\nclassification: native_client\ndirection: client\nsupported_transports: [streamable_http]\nsupported_auths: [app_password]\n" +
		"-- roles/web-app-c/meta/mcp.yml --\nclassification: native_client\ndirection: client\nsupported_transports: [sse]\nsupported_auths: [oidc]\n" +
		"-- roles/web-app-c/meta/services.yml --\nc: {mcp_consumer: true}\n" +
		"-- roles/web-app-off/meta/mcp.yml --\nclassification: native_server\ndirection: server\nenabled: false\ntransport: sse\nauth: oidc\ncredential: {owner: o, source: token_store, key: k}\n"
}

func TestMatrix(t *testing.T) {
	m := modelOf(t, several()).Matrix()
	var text, markdown strings.Builder
	if err := m.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	const wantText = `web-app-notes: reached by web-app-assistant
  consumer_not_allowed: web-app-b
  auth_unsupported: web-app-c
web-app-off: reached by none
  consumer_not_allowed: web-app-b
  provider_absent: web-app-assistant, web-app-c
web-app-wiki: reached by none
  consumer_not_allowed: web-app-b
  auth_unsupported: web-app-c
  credential_missing: web-app-assistant
`
	if text.String() != wantText {
		t.Errorf("text:\n%s\nwant:\n%s", text.String(), wantText)
	}
	const wantRow = "| `web-app-notes` | `web-app-assistant` | consumer_not_allowed: `web-app-b`<br>auth_unsupported: `web-app-c` |\n"
	if !strings.HasPrefix(markdown.String(), "| provider | reached by | barred |\n|---|---|---|\n"+wantRow) {
		t.Errorf("markdown:\n%s", markdown.String())
	}
}

func TestMatrixOfNothing(t *testing.T) {
	m := modelOf(t, exampleClient).Matrix()
	for _, write := range []func(*strings.Builder) error{
		func(w *strings.Builder) error { return m.WriteText(w) }, func(w *strings.Builder) error { return m.WriteMarkdown(w) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil || out.String() != "No role serves MCP.\n" {
			t.Errorf("%q, %v", out.String(), err)
		}
	}
}

func TestDiff(t *testing.T) {
	before := several()
	const notes = "-- roles/web-app-notes/meta/mcp.yml --\n"
	for _, c := range []struct {
		name   string
		after  example
		gained []Edge
		lost   []Edge
	}{
		{"nothing", before, nil, nil},
		{"a fault that bars nobody", before.with("mutating_tools_enabled: false\n-- roles/web-app-notes", "mutating_tools_enabled: 5\n-- roles/web-app-notes"), nil, nil},
		{"a client learns", before.with("[oidc]", "[oidc, app_password]"), []Edge{{"web-app-notes", "web-app-c", AuthUnsupported}}, nil},
		{"a client declares itself", before + "-- roles/web-app-b/meta/services.yml --\nb: {mcp_consumer: true}\n", nil, nil},
		{"a client is refused", before.with("\nnotes:\n", "\nx: {}\nnotes:\n").with("-- roles/web-app-notes/meta/services.yml --\nx: {}\n", "-- roles/web-app-notes/meta/services.yml --\nx: &x {mcp_consumer: false}\n").
			with("notes:\n  ports:\n    internal:\n      http: 8080\nassistant:\n", "notes:\n  ports:\n    internal:\n      http: 8080\nassistant:\n  <<: *x\n"), nil, []Edge{{"web-app-notes", "web-app-assistant", NotAllowed}}},
		{"a server is switched off", before.with(notes, notes+"enabled: false\n"), nil, []Edge{{"web-app-notes", "web-app-assistant", ProviderAbsent}}},
		{"a server is removed", before.with(notes, "-- roles/web-app-notes/meta/mcp.old --\n"), nil, []Edge{{"web-app-notes", "web-app-assistant", ProviderAbsent}}},
		{"a client is removed", before.with("-- roles/web-app-assistant/meta/mcp.yml", "-- x").with("-- roles/web-app-assistant/meta/services.yml", "-- y"), nil, []Edge{{"web-app-notes", "web-app-assistant", ClientAbsent}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := modelOf(t, before), modelOf(t, c.after)
			change, back := Diff(a, b), Diff(b, a)
			if !slices.Equal(change.Gained, c.gained) || !slices.Equal(change.Lost, c.lost) || change.Empty() != (len(c.gained)+len(c.lost) == 0) {
				t.Errorf("change %+v", change)
			}
			if len(back.Gained) != len(c.lost) || len(back.Lost) != len(c.gained) {
				t.Errorf("the way back is %+v", back)
			}
		})
	}
}

func TestDiffIsWritten(t *testing.T) {
	c := Change{Gained: []Edge{{"a", "b", AuthUnsupported}}, Lost: []Edge{{"c|`\n<b>", "d\x1b", NotAllowed}}}
	var markdown, none strings.Builder
	if c.WriteMarkdown(&markdown) != nil || (Change{}).WriteMarkdown(&none) != nil {
		t.Fatal("writing to memory fails")
	}
	if want := "| gained | `a` | `b` | before: auth_unsupported |\n| lost | `c\\|'\\n<b>` | `d\\u001b` | consumer_not_allowed |\n"; !strings.HasSuffix(markdown.String(), want) {
		t.Errorf("markdown %q", markdown.String())
	}
	if none.String() != "No client gains or loses a provider.\n" {
		t.Errorf("%q", none.String())
	}
}
