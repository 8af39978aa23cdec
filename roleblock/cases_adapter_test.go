package roleblock

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestAdapterRules(t *testing.T) {
	const (
		hash = "sha256:d0406f9a8748397bc09620d98bcca2757050c5ce3cd11f5a411150316b170669"
		path = "roles/web-app-notes/files/mcp/openapi.json\n  specification_sha256"
	)
	withoutSpecification := exampleAdapter.with("  specification_path: roles/web-app-notes/files/mcp/openapi.json\n  specification_sha256: "+hash+"\n", "")
	runCases(t, []ruleCase{
		{name: "mismatch at the implementation", base: exampleAdapter,
			edits: []string{"classification: adapter_server", "classification: sidecar_server"},
			want:  []string{"implementation-mismatch@implementation"}},
		{name: "mismatch at the classification", base: exampleAdapter,
			edits: []string{"implementation: adapter\n", ""},
			want:  []string{"implementation-mismatch@classification"}},
		{name: "mismatch unclear", base: exampleAdapter,
			edits: []string{"implementation: adapter\n", "implementation: adaptor\n"},
			want:  []string{"implementation-invalid@"}},
		{name: "an adapter mapping alone is judged for its keys only", base: exampleServer,
			edits: []string{"tools:\n", "adapter: {type: x, digest: y, scope: '*', colour: z}\ntools:\n"},
			want:  []string{"unknown-key@adapter"}},

		{name: "adapter null", base: exampleAdapter,
			edits: []string{exampleAdapter.lines("adapter:\n", "limits:"), "adapter:\n"},
			want:  []string{"not-mapping@adapter"}},
		{name: "contract incomplete", base: exampleAdapter,
			edits: []string{
				"type: openapi_allowlist", "type:", "image: registry.example.invalid/mcp-adapter", "image: ''",
				"version: 1.2.3", "version: {}",
			},
			want: []string{"adapter-incomplete@adapter"}},
		{name: "a version may be a number", base: exampleAdapter, edits: []string{"version: 1.2.3", "version: 1.2"}},
		{name: "type invalid stops what depends on it", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: OpenAPI"},
			want:  []string{"adapter-type-invalid@type"}},
		{name: "type templated", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: '{{ t }}'"},
			want:  []string{"not-literal@type"}},
		{name: "n8n_workflow needs neither scope nor specification", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: n8n_workflow"}},
		{name: "prometheus_readonly as well", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: prometheus_readonly"}},
		{name: "graphql_allowlist needs both", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: graphql_allowlist"},
			want: []string{
				"adapter-scope-missing@adapter", "adapter-specification-missing@adapter",
				"adapter-specification-sha256-missing@adapter",
			}},
		{name: "named_query needs a scope", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: named_query"},
			want:  []string{"adapter-scope-missing@adapter"}},
		{name: "resource_readonly needs a scope", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: resource_readonly\n  scope: ~"},
			want:  []string{"adapter-scope-missing@adapter"}},

		{name: "digest of digits", base: exampleAdapter,
			edits: []string{"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: sha256:g"},
			want:  []string{"adapter-digest-invalid@digest"}},
		{name: "digest a number", base: exampleAdapter,
			edits: []string{"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: 12"},
			want:  []string{"adapter-digest-invalid@digest"}},
		{name: "digest in capitals", base: exampleAdapter,
			edits: []string{"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: sha256:9B2C"}},
		{name: "digest templated", base: exampleAdapter,
			edits: []string{"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: '{{ d }}'"},
			want:  []string{"not-literal@digest"}},
		{name: "digest one zero", base: exampleAdapter,
			edits: []string{"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: sha256:0"},
			want:  []string{"adapter-digest-placeholder@digest"}},

		{name: "path absolute", base: exampleAdapter,
			edits: []string{path, "/" + path},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path a URL", base: exampleAdapter,
			edits: []string{path, "https://example.invalid/" + path},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path upwards", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes/files/../files/mcp/openapi.json\n  specification_sha256"},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path of a directory", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes/files/mcp/\n  specification_sha256"},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path of another role", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes2/files/mcp/openapi.json\n  specification_sha256"},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path a number", base: exampleAdapter,
			edits: []string{path, "5\n  specification_sha256"},
			want:  []string{"adapter-specification-path-outside@path"}},
		{name: "path with dots in a name", base: exampleAdapter,
			edits: []string{
				"files/mcp/openapi.json --", "files/mcp/a..json --",
				path, "roles/web-app-notes/files/mcp/a..json\n  specification_sha256",
			}},
		{name: "path not tidy", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes/files/./mcp//openapi.json\n  specification_sha256"}},
		{name: "path a directory without slash", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes/files/mcp\n  specification_sha256"},
			want:  []string{"adapter-specification-not-found@path"}},
		{name: "path through a file", base: exampleAdapter,
			edits: []string{path, "roles/web-app-notes/files/mcp/openapi.json/x\n  specification_sha256"},
			want:  []string{"adapter-specification-not-found@path"}},
		{name: "path with a strange character", base: exampleAdapter,
			edits: []string{path, "\"roles/web-app-notes/files/mcp/\\0openapi.json\"\n  specification_sha256"},
			want:  []string{"adapter-specification-not-found@path"}},
		{name: "path templated", base: exampleAdapter,
			edits: []string{path, "'{{ p }}'\n  specification_sha256"},
			want:  []string{"not-literal@path"}},
		{name: "path blank", base: exampleAdapter,
			edits: []string{path, "' '\n  specification_sha256"},
			want:  []string{"adapter-specification-missing@adapter"}},

		{name: "pin in capitals", base: exampleAdapter,
			edits: []string{hash, "sha256:D0406F9A8748397BC09620D98BCCA2757050C5CE3CD11F5A411150316B170669"}},
		{name: "pin of another kind", base: exampleAdapter,
			edits: []string{hash, "sha512:00"},
			want:  []string{"adapter-specification-sha256-invalid@sha256"}},
		{name: "pin too short", base: exampleAdapter,
			edits: []string{hash, "sha256:d0406f9a"},
			want:  []string{"adapter-specification-sha256-mismatch@sha256"}},
		{name: "pin of zeros", base: exampleAdapter,
			edits: []string{hash, "sha256:0"},
			want:  []string{"adapter-specification-sha256-mismatch@sha256"}},
		{name: "pin without a path", base: withoutSpecification,
			edits: []string{"type: openapi_allowlist", "type: n8n_workflow\n  specification_sha256: x"},
			want:  []string{"adapter-specification-sha256-invalid@sha256"}},
		{name: "line ends count", base: exampleAdapter,
			edits: []string{"\"3.1.0\"}\n", "\"3.1.0\"}\r\n"},
			want:  []string{"adapter-specification-sha256-mismatch@sha256"}},

		{name: "scope no list", base: exampleScoped,
			edits: []string{"[notes/published]", "notes"},
			want:  []string{"adapter-scope-invalid@scope"}},
		{name: "scope items", base: exampleScoped,
			edits: []string{"[notes/published]", "\n  - a\n  - 5\n  - ''\n  - \"{{ x }}\""},
			want:  []string{"adapter-scope-invalid@5", "adapter-scope-invalid@''", "not-literal@{{"}},
		{name: "scope where none is needed is left alone", base: exampleAdapter,
			edits: []string{"  version: 1.2.3\n", "  version: 1.2.3\n  scope: 5\n"}},

		{name: "forbidden at any depth", base: exampleScoped,
			edits: []string{
				"[notes/published]", "[a, \"*\"]",
				"  version: 1.2.3\n", "  version: '1 ${X} *'\n  upstream_network: unix:/run/x\n  upstream_path: {a: [b, bash -c]}\n",
			},
			want: []string{
				"adapter-forbidden-surface@scope", "adapter-forbidden-surface@version",
				"adapter-forbidden-surface@upstream_network", "adapter-forbidden-surface@upstream_path",
			}},
		{name: "each marker", base: exampleScoped,
			edits: []string{
				"[notes/published]", "\n  - /x/docker.sock\n  - /var/run/x\n  - unix:x\n  - file:///x\n  - sh -c x\n  - bash -c x\n  - ${x}\n  - a*b\n  - /var/runner",
			},
			want: []string{
				"adapter-forbidden-surface@docker", "adapter-forbidden-surface@/var/run/",
				"adapter-forbidden-surface@unix", "adapter-forbidden-surface@file",
				"adapter-forbidden-surface@sh", "adapter-forbidden-surface@bash", "adapter-forbidden-surface@${",
				"adapter-forbidden-surface@a*b",
			}},
		{name: "what is invalid already is not reported again", base: exampleScoped,
			edits: []string{
				"type: s3_prefix", "type: '*'",
				"digest: sha256:9b2cf535f27731c974343645a3985328", "digest: sha256:*",
				path, "file:///x\n  specification_sha256",
			},
			want: []string{
				"adapter-type-invalid@type", "adapter-digest-invalid@digest",
				"adapter-specification-path-outside@path",
			}},
		{name: "what contains itself", base: exampleAdapter,
			edits: []string{"adapter:\n", "adapter: &a\n  upstream_network: *a\n"}},

		{name: "tools no mapping", base: exampleAdapter,
			edits: []string{exampleAdapter.lines("tools:\n", "--"), "tools: x\n"},
			want:  []string{"not-mapping@tools"}},
		{name: "tools empty", base: exampleAdapter,
			edits: []string{exampleAdapter.lines("tools:\n", "--"), "tools: {mutating_tools_enabled: false}\n"},
			want:  []string{"tools-allowlist-missing@tools", "tools-schema-sha256-missing@tools"}},
		{name: "tools null values", base: exampleAdapter,
			edits: []string{"[notes_search, notes_get]", "", "sha256:abcdef0123456789", ""},
			want:  []string{"tools-schema-sha256-missing@tools", "tools-allowlist-invalid@allowlist"}},
		{name: "tools templated", base: exampleAdapter,
			edits: []string{"[notes_search, notes_get]", "'{{ a }}'", "sha256:abcdef0123456789", "'{{ s }}'"},
			want:  []string{"not-literal@allowlist", "not-literal@schema"}},
	})
}

// A specification that is a link is none, wherever it leads.
func TestSpecificationIsNotReadThroughLinks(t *testing.T) {
	fsys := filesOf(string(exampleAdapter))
	const path = "roles/web-app-notes/files/mcp/openapi.json"
	fsys["elsewhere.json"] = fsys[path]
	fsys[path] = &fstest.MapFile{Data: []byte("../../../../elsewhere.json"), Mode: 0o777 | fs.ModeSymlink}
	wantFindings(t, fsys, "adapter-specification-not-found@path")

	fsys = filesOf(string(exampleAdapter))
	fsys["mcp/openapi.json"] = fsys[path]
	delete(fsys, path)
	fsys["roles/web-app-notes/files/mcp"] = &fstest.MapFile{Data: []byte("../../../mcp"), Mode: 0o777 | fs.ModeSymlink}
	wantFindings(t, fsys, "adapter-specification-not-found@path")
}
