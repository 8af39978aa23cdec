package roleblock

import (
	"strings"
	"testing"
)

func TestSuppression(t *testing.T) {
	// The block has two faults, on the lines of transport and exposure.
	faulty := exampleServer.with("transport: sse", "transport: stdio").with("exposure: internal", "exposure: hidden")
	both := []string{"transport-invalid@", "exposure-invalid@"}
	const first = "-- roles/web-app-notes/meta/mcp.yml --\n"
	head := func(name, text string, want ...string) ruleCase {
		return ruleCase{name: name, base: faulty, edits: []string{first, first + text}, want: want}
	}
	at := func(name, old, new string, want ...string) ruleCase {
		return ruleCase{name: name, base: faulty, edits: []string{old, new}, want: want}
	}
	runCases(t, []ruleCase{
		head("head", "# nocheck: mcp-schema\n"),
		head("head, with reason", "# nocheck: mcp-schema until the move to the new proxy\n"),
		head("head, among others", "# nocheck: url, mcp-schema\n"),
		head("head, case and spaces", "#   NoCheck :  Url ,  MCP-Schema\n"),
		head("head, without space", "#nocheck:mcp-schema\n"),
		head("head, after text", "# an old role # nocheck: mcp-schema\n"),
		head("head, indented", "   # nocheck: mcp-schema\n"),
		head("head, behind blank lines, directives and markers", "\n%YAML 1.1\n# x\n---\n\n# nocheck: mcp-schema\n"),
		head("head, in line 30", strings.Repeat("#\n", 29)+"# nocheck: mcp-schema\n"),
		head("head, in line 31", strings.Repeat("#\n", 30)+"# nocheck: mcp-schema\n", both...),
		head("head, as trailing comment of the marker", "--- # nocheck: mcp-schema\n", both...),
		head("head, behind a byte order mark", "\ufeff# nocheck: mcp-schema\n"),
		head("head, with carriage returns", "# nocheck: mcp-schema\r\n"),
		head("other keyword", "# noqa: mcp-schema\n", both...),
		head("other rule", "# nocheck: mcp-schemas\n", both...),
		head("other list", "# nocheck: url mcp-schema\n", both...),
		head("no rule", "# nocheck\n", both...),
		head("syntax error", "# nocheck: mcp-schema\n\tx: [\n"),
		at("second document", first, first+"# nocheck: mcp-schema\n---\n{}\n---\n"),

		at("own line", "transport: stdio", "transport: stdio # nocheck: mcp-schema", both[1]),
		at("own line, after a quoted value", "transport: stdio", "transport: 'st#dio' # nocheck: mcp-schema", both[1]),
		at("line above", "transport: stdio", "# nocheck: mcp-schema\ntransport: stdio", both[1]),
		at("line above, indented", "transport: stdio", "    # nocheck: mcp-schema\ntransport: stdio", both[1]),
		at("line above, with carriage return", "transport: stdio", "# nocheck: mcp-schema\r\ntransport: stdio", both[1]),
		at("blank line between", "transport: stdio", "# nocheck: mcp-schema\n\ntransport: stdio", both...),
		at("comment between", "transport: stdio", "# nocheck: mcp-schema\n# why\ntransport: stdio", both...),
		at("two lines above", "direction: server", "# nocheck: mcp-schema\ndirection: server", both...),
		at("trailing marker does not reach the next line", "direction: server", "direction: server # nocheck: mcp-schema", both...),
		at("no comment in a quoted value", "transport: stdio", "transport: \"x # nocheck: mcp-schema\"", both...),
		at("no comment in a quoted value of several lines", "transport: stdio", "transport: 'x\n  # nocheck: mcp-schema\n  y'", both...),
		at("no comment in a literal", "transport: stdio", "reason: |\n  # nocheck: mcp-schema\ntransport: stdio", both...),
		at("comment after a literal", "transport: stdio", "reason: |\n  x\n\n # nocheck: mcp-schema\ntransport: stdio", both[1]),
		at("comment on the header of a literal", "transport: stdio", "transport: | # nocheck: mcp-schema\n  stdio", both[1]),
		at("no comment in the word", "transport: stdio", "transport: stdio#nocheck", both...),
		at("each on its line", "transport: stdio\nexposure: hidden", "transport: stdio # nocheck: mcp-schema\nexposure: hidden # nocheck: mcp-schema"),
		at("several documents, on the marker", "tools:\n", "--- # nocheck: mcp-schema\ntools:\n"),
		at("syntax error, on the line", "tools:\n", "\ttools: # nocheck: mcp-schema\n"),
		at("syntax error, above the line", "tools:\n", "# nocheck: mcp-schema\n\ttools:\n"),
		at("in another file", "\nnotes:\n  ports", "\n# nocheck: mcp-schema\nnotes:\n  ports", both...),
	})
	runCases(t, []ruleCase{
		{name: "all on one line", base: exampleClient,
			edits: []string{
				exampleClient.lines("classification", "--"), "{classification: native_client, direction: client} # nocheck: mcp-schema\n",
			}},
		{name: "in services.yml", base: exampleServer,
			edits: []string{
				"  enabled: \"{{ 'web-app-assistant' in group_names }}\"\n", "  enabled: true # nocheck: mcp-schema\n",
			}},
		{name: "at the head of services.yml", base: exampleServer,
			edits: []string{
				"\nnotes:\n", "\n# nocheck: mcp-schema\nnotes:\n",
				"  enabled: \"{{ 'web-app-assistant' in group_names }}\"\n", "  enabled: true\n",
			}},
		{name: "in users.yml", base: exampleUsers, edits: []string{"[editor]", "[mcp] # nocheck: mcp-schema"}},
		{name: "an item, on its own line", base: exampleClient,
			edits: []string{"[streamable_http, sse]", "\n  - sse\n  # nocheck: mcp-schema\n  - stdio\n  - telnet"},
			want:  []string{"supported-transports-invalid@telnet"}},
		{name: "a silenced server still shares its secret", base: exampleTwins,
			edits: []string{
				"notes/meta/mcp.yml --\n", "notes/meta/mcp.yml --\n# nocheck: mcp-schema\n",
				"  owner: mcp-web-app-wiki\n  source: token_store\n  key: web-app-wiki\n", "  owner: mcp-web-app-notes\n  source: token_store\n  key: web-app-notes\n",
			},
			want: []string{"credential-shared@owner"}},
		{name: "a silenced client still counts", base: exampleServer,
			edits: []string{
				"assistant/meta/mcp.yml --\n", "assistant/meta/mcp.yml --\n# nocheck: mcp-schema\n",
				"[streamable_http, sse]", "[streamable_http]",
			},
			want: []string{"consumer-transport-unsupported@transport"}},
	})
}
