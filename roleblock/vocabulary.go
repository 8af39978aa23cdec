package roleblock

// The words of a block. All are case-sensitive.
var (
	deployable = []string{"native_server", "native_client", "native_both", "plugin_server", "sidecar_server", "adapter_server"}
	auditOnly  = []string{"adapter_candidate", "blocked", "enabler", "subordinate", "no_surface"}

	directions      = []string{"server", "client", "both"}
	transports      = []string{"streamable_http", "sse"}
	exposures       = []string{"internal", "public"}
	auths           = []string{"oidc", "app_password", "basic_auth", "bearer_token", "upstream_session", "none"}
	authSubjects    = []string{"user", "service_account", "administrator", "none"}
	implementations = []string{"native", "plugin", "sidecar", "adapter", "external"}

	credentialSources = []string{tokenStore, "credentials"}
	adapterTypes      = []string{"openapi_allowlist", "graphql_allowlist", "named_query", "s3_prefix", "prometheus_readonly",
		"n8n_workflow", "resource_readonly"}
	scopedTypes        = []string{"graphql_allowlist", "named_query", "s3_prefix", "resource_readonly"}
	specificationTypes = []string{"openapi_allowlist", "graphql_allowlist"}
	forbiddenMarkers   = []string{"docker.sock", "/var/run/", "unix:", "file://", "sh -c", "bash -c", "${", "*"}
)

// classificationDirections are the directions that fit a classification.
var classificationDirections = map[string][]string{
	"native_server":  {"server", "both"},
	"plugin_server":  {"server", "both"},
	"sidecar_server": {"server", "both"},
	"adapter_server": {"server", "both"},
	"native_client":  {"client", "both"},
	"native_both":    {"both"},
}

// The keys of a block and of the mappings in it.
var (
	blockKeys = []string{"bond", "enabled", "shared", "classification", "direction", "transport", "exposure", "auth", "auth_subject",
		"implementation", "credential", "endpoint", "tools", "supported_transports", "supported_auths", "adapter", "limits",
		"delegation", "reason", "mutating_proofs", "source_url"}

	credentialKeys = []string{"owner", "source", "key"}
	endpointKeys   = []string{"service_key", "path", "port_key"}
	adapterKeys    = []string{"type", "image", "version", "digest"}
	limitKeys      = []string{"request_bytes", "response_bytes", "timeout_seconds", "concurrent_requests", "page_size", "result_items",
		"stream_seconds"}
	proofKeys      = []string{"refresh", "revocation", "audience_binding"}
	delegationKeys = append([]string{"verified_version", "source_url"}, proofKeys...)
)

// sectionKeys are the mappings of a block, in their usual order, with the keys that each accepts.
var sectionKeys = []struct {
	name           string
	required, also []string
}{
	{"credential", credentialKeys, nil},
	{"endpoint", endpointKeys, []string{"host_header"}},
	{"adapter", adapterKeys, []string{"upstream_api_version", "specification_path", "specification_sha256", "scope", "upstream_network",
		"upstream_transport", "upstream_path"}},
	{"limits", limitKeys, nil},
	{"tools", nil, []string{"allowlist", "schema_sha256", "read_only_default", "mutating_tools_enabled", "mutating", "writer_allowlist",
		"upstream_serves", "categories", "read_probe"}},
	{"delegation", delegationKeys, nil},
}

// retiredKeys are keys of older blocks, with what to do about them.
var retiredKeys = map[string]string{
	"allowed_consumers": "remove it; admission lives in meta/services.yml now: clients set mcp_consumer, servers may refuse them",
	"supported_version": "remove it; versions are no longer part of the block",
	"minimum_version":   "remove it; versions are no longer part of the block",
	"key_credential":    "remove it; credential says where the secret is kept",
	"suffix":            "remove it; path is the whole path of the endpoint",
	"health_path":       "remove it; nothing probes it any more",
	"maturity":          "remove it; write a comment instead",
	"notes":             "remove it; write a comment instead",
}

const (
	administrator    = "administrator" // never the owner of a credential
	mcpRole          = "mcp"           // the RBAC role that grants use of the tools
	defaultTransport = "streamable_http"
	tokenStore       = "token_store" // the source of credentials that several roles could share
)
