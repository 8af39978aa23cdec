package roleblock

import "strings"

// Rules that are reported from several places.
const (
	yamlSyntax     = "role/yaml-syntax"
	multiDocument  = "role/multi-document"
	tooLarge       = "role/too-large"
	unreadablePath = "role/unreadable-path"
)

// fileRules are about every YAML file that is read. Nothing else is checked in a file that one of them reports.
var fileRules = []rule{
	{describe(yamlSyntax, "The file is not well-formed YAML",
		`Ansible would stop at this file, so nothing in it can be checked. The place is where reading failed; the cause is there or
just above it. Common causes: a tab in the indentation, a bracket or quote that is never closed, a missing colon, text in
another encoding than UTF-8, an alias without its anchor.`,
		exampleServer.but("  path: /mcp\n", "\tpath: /mcp\n")),
		reportDocument(yamlSyntax)},

	{describe(multiDocument, "The file holds more than one YAML document",
		`A line "---" after the first content opens another document. Ansible reads files of exactly one and rejects the rest, even
where the second is empty because the marker is the last line.`,
		exampleServer.but("  mutating_tools_enabled: false\n", "  mutating_tools_enabled: false\n---\n")),
		reportDocument(multiDocument)},

	{describe(tooLarge, "More than the lint takes in",
		`A file, its nesting or the whole tree is far beyond what roles need, so it is not read to the end. A file can be exempted with
"# nocheck: mcp-schema" in its head.`,
		exampleServer.but("[streamable_http, sse]", strings.Repeat("[", 600)+strings.Repeat("]", 600))),
		reportDocument(tooLarge)},

	{describe(unreadablePath, "A link or something else stands in the place of a file",
		`Ansible would follow a link; the lint does not, as it may lead out of the tree and show what is nobody's business. So what is
behind it stays unchecked, and that is said here.`,
		exampleClient.but("-- roles/web-app-assistant/meta/mcp.yml --", "-- roles/web-app-assistant/meta/mcp.yml/main.yml --")),
		reportDocument(unreadablePath)},
}

// reportDocument reports what reading the document came upon, under the rule that it belongs to.
func reportDocument(id string) func(*pass) {
	return func(p *pass) {
		if d := p.document; d.fault != nil && d.faultRule == id {
			p.report(*d.fault)
		}
	}
}

// shapeRules are about documents that hold no block.
var shapeRules = []rule{
	{describe("role/block-not-mapping", "The block is no mapping",
		`meta/mcp.yml describes one service: a mapping of keys and values, at the root of the file or under the key mcp. A role that
neither serves nor consumes MCP has no such file.`,
		exampleClient.but(`classification: native_client
direction: client
implementation: native
supported_transports: [streamable_http, sse]
supported_auths: [app_password, bearer_token, oidc]
`, "- native_client\n")),
		func(p *pass) {
			at := p.document.root.at
			if root := p.document.root; root.kind == mapping && !root.templated() {
				wrapper, _ := p.document.expand(root).get("mcp")
				at = wrapper.key.at
			}
			p.report(fault{place: p.at(at), message: "the block is no mapping of keys and values",
				fix: "write keys and values, starting with classification; delete the file if the role has no MCP"})
		}},
}
