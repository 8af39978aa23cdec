package roleblock

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// example is a small tree as a txtar archive, without faults.
type example string

// trees are the examples of a rule: a good tree, and what makes a bad one of it. Most runs look at neither, so the texts are
// made when they are asked for.
type trees struct {
	good     example
	old, new string // the bad tree has the new text in place of the old one, which stands in the good one exactly once
}

func (t trees) bad() string {
	if strings.Count(string(t.good), t.old) != 1 {
		panic("example: not exactly one " + t.old)
	}
	return strings.Replace(string(t.good), t.old, t.new, 1)
}

// but makes the bad tree of a rule from a good one, by replacing what stands in it exactly once.
func (e example) but(old, new string) trees { return trees{e, old, new} }

// with makes another good tree in the same way.
func (e example) with(old, new string) example { return example(e.but(old, new).bad()) }

// lines returns the text from one word up to another.
func (e example) lines(from, to string) string {
	_, rest, found := strings.Cut(string(e), from)
	cut, _, ends := strings.Cut(rest, to)
	if !found || !ends {
		panic("example: nothing from " + from + " to " + to)
	}
	return from + cut
}

// description is the entry of a rule; its examples stand beside it.
type description struct {
	finding.Rule
	trees trees
}

// whole returns the entry with the texts of the examples.
func (d description) whole() finding.Rule {
	d.Bad, d.Good = d.trees.bad(), string(d.trees.good)
	return d.Rule
}

// describe is the entry of a rule that is an error.
func describe(id, title, why string, t trees) description {
	return description{finding.Rule{ID: id, Severity: finding.Error, Title: title, Why: why}, t}
}

// exampleClient is a role that consumes; every server needs one.
const exampleClient example = `-- roles/web-app-assistant/meta/mcp.yml --
classification: native_client
direction: client
implementation: native
supported_transports: [streamable_http, sse]
supported_auths: [app_password, bearer_token, oidc]
-- roles/web-app-assistant/meta/services.yml --
assistant:
  mcp_consumer: true
`

// exampleServer is a role that serves the client.
const exampleServer example = `-- roles/web-app-notes/meta/mcp.yml --
classification: native_server
direction: server
transport: sse
exposure: internal
auth: app_password
auth_subject: service_account
implementation: native
credential:
  owner: mcp-web-app-notes
  source: token_store
  key: web-app-notes
endpoint:
  service_key: notes
  path: /mcp
  port_key: http
tools:
  read_only_default: true
  mutating_tools_enabled: false
-- roles/web-app-notes/meta/services.yml --
notes:
  ports:
    internal:
      http: 8080
assistant:
  enabled: "{{ 'web-app-assistant' in group_names }}"
  shared: "{{ 'web-app-assistant' in group_names }}"
` + exampleClient

// exampleTwins are two servers.
var exampleTwins = exampleServer +
	example(strings.ReplaceAll(exampleServer.lines("-- roles/web-app-notes", "-- roles/web-app-assistant"), "notes", "wiki"))

// examplePublic is a server on the role's own vhost.
var examplePublic = exampleServer.with("exposure: internal\n", `exposure: public
limits:
  request_bytes: 65536
  response_bytes: 1048576
  timeout_seconds: 15
  concurrent_requests: 4
  page_size: 100
  result_items: 500
  stream_seconds: 300
`)

// exampleDelegated is a server that acts as the user who asks.
var exampleDelegated = exampleServer.with("auth_subject: service_account\n", `auth_subject: user
delegation:
  verified_version: 2.4.0
  source_url: https://notes.example.invalid/docs/oauth
  refresh: true
  revocation: true
  audience_binding: true
`)

// exampleAdapter is a server in front of an API that knows nothing of MCP.
const exampleAdapter example = `-- roles/web-app-notes/files/mcp/openapi.json --
{"openapi": "3.1.0"}
-- roles/web-app-notes/meta/mcp.yml --
classification: adapter_server
direction: server
transport: streamable_http
exposure: internal
auth: bearer_token
auth_subject: service_account
implementation: adapter
credential:
  owner: mcp-web-app-notes
  source: credentials
  key: gateway_bearer
endpoint:
  service_key: notes-gateway
  path: /mcp
  port_key: http
adapter:
  type: openapi_allowlist
  image: registry.example.invalid/mcp-adapter
  version: 1.2.3
  digest: sha256:9b2cf535f27731c974343645a3985328
  specification_path: roles/web-app-notes/files/mcp/openapi.json
  specification_sha256: sha256:d0406f9a8748397bc09620d98bcca2757050c5ce3cd11f5a411150316b170669
limits:
  request_bytes: 65536
  response_bytes: 1048576
  timeout_seconds: 15
  concurrent_requests: 4
  page_size: 100
  result_items: 500
  stream_seconds: 300
tools:
  allowlist: [notes_search, notes_get]
  schema_sha256: sha256:abcdef0123456789
  read_only_default: true
  mutating_tools_enabled: false
-- roles/web-app-notes/meta/services.yml --
notes-gateway:
  ports:
    internal:
      http: 8080
assistant:
  enabled: "{{ 'web-app-assistant' in group_names }}"
  shared: "{{ 'web-app-assistant' in group_names }}"
` + exampleClient

// exampleScoped is an adapter that reaches no more than what it lists.
var exampleScoped = exampleAdapter.with("type: openapi_allowlist\n", `type: s3_prefix
  scope: [notes/published]
`)

// exampleUsers grants a user the tools of one application.
const exampleUsers example = `-- users.yml --
users:
  alice:
    roles: [editor]
    application_roles:
      web-app-notes: [mcp]
`
