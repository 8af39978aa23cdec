package roleblock

import "slices"

// serverRules run for deployable blocks with direction server or both.
var serverRules = slices.Concat([]rule{
	{describe("role/auth-missing", "A server does not say how its clients authenticate",
		`Clients pick servers by what they can present, so the way must be written out; none is a way.`,
		exampleServer.but("auth: app_password\n", "")),
		wantKey("auth", oneOf(auths))},

	{describe("role/transport-missing", "A server does not say what it speaks",
		`Clients pick servers by transport. Where it is missing, discovery takes streamable_http, which may be wrong.`,
		exampleServer.but("transport: sse\n", "")),
		wantKey("transport", oneOf(transports))},
}, credentialRules, endpointRules)

// wantKey reports that the block lacks a key that its direction calls for.
func wantKey(name, values string) func(*pass) {
	return func(p *pass) {
		b := p.block
		if _, ok := b.get(name); !ok {
			p.report(fault{place: p.at(b.direction.key.at),
				message: "direction is " + b.direction.text + ", but the block has no " + name, fix: "add " + name + ": " + values})
		}
	}
}

var credentialRules = []rule{
	{describe("role/credential-missing", "A server names no credential",
		`credential says under which identity and key the secret is kept that clients present. It holds no secret itself.`,
		exampleServer.but(exampleServer.lines("credential:\n", "endpoint:"), "")),
		wantKey("credential", "{owner: …, source: …, key: …}")},

	{describe("role/credential-incomplete", "The credential lacks a key",
		`owner is a dedicated identity without login, source is where the secret is kept, key its name there. All three are needed.`,
		exampleServer.but("  key: web-app-notes\n", "")),
		func(p *pass) {
			p.wantAll(p.block.sections["credential"], credentialKeys)
		}},

	{describe("role/credential-owner-administrator", "The credential belongs to the administrator",
		`Whoever holds it could do everything. The owner is a dedicated identity that cannot log in.`,
		exampleServer.but("owner: mcp-web-app-notes", "owner: administrator")),
		func(p *pass) {
			if s := p.block.sections["credential"]; s.text("owner") == administrator {
				owner, _ := s.literal("owner")
				p.report(fault{place: p.at(owner.key.at), message: "the owner of the credential is administrator",
					fix: "name an identity of its own, as in owner: mcp-<role>"})
			}
		}},

	{describe("role/credential-source-invalid", "No such source of credentials",
		`token_store looks in the store of the owner, credentials in the role's own secrets.`,
		exampleServer.but("source: token_store", "source: tokenstore")),
		func(p *pass) {
			p.judgeSectionWord(p.block.sections["credential"], "source", credentialSources)
		}},
}

// judgeSectionWord reports a value in a section that is there and is none of the words.
func (p *pass) judgeSectionWord(s *section, name string, words []string) {
	v, ok := s.literal(name)
	if !ok || v.value.isString() && slices.Contains(words, v.value.text) {
		return
	}
	f := fault{place: p.at(v.key.at), value: v.value.node, message: notAWord(name, v.value, words)}
	f.fix, f.edits = p.document.suggest(v.value, words)
	p.report(f)
}

var endpointRules = []rule{
	{describe("role/endpoint-missing", "A server has no endpoint",
		`endpoint says on which service, port and path the server is reached.`,
		exampleServer.but(exampleServer.lines("endpoint:\n", "tools:"), "")),
		wantKey("endpoint", "{service_key: …, path: …, port_key: …}")},

	{describe("role/endpoint-incomplete", "The endpoint lacks a key",
		`service_key, path and port_key make the address together.`,
		exampleServer.but("  path: /mcp\n", "")),
		func(p *pass) {
			p.wantAll(p.block.sections["endpoint"], endpointKeys)
		}},

	{describe("role/endpoint-host-header-not-boolean", "host_header is no boolean",
		`host_header is true where the endpoint stands behind the role's own vhost. It may be left out.`,
		exampleServer.but("  port_key: http\n", "  port_key: http\n  host_header: notes.example.invalid\n")),
		func(p *pass) {
			if s := p.block.sections["endpoint"]; s.open() && !s.missing("host_header") {
				p.wantBoolean(s, "host_header")
			}
		}},

	{describe("role/endpoint-service-unknown", "The endpoint names no service of the role",
		`service_key is the key of an entry in the role's own meta/services.yml; host and port of the endpoint come from it.`,
		exampleServer.but("service_key: notes", "service_key: note")),
		func(p *pass) {
			v, ok := p.block.sections["endpoint"].literal("service_key")
			if !ok || !p.role.services.readable || p.endpointService() != nil {
				return
			}
			f := fault{place: p.at(v.key.at),
				message: "meta/services.yml of this role has no service " + quote(v.value.text),
				fix:     "name one of its entries, or add one"}
			if near, ok := nearest(v.value.text, p.role.services.names()); ok {
				f.fix, f.edits = "write "+quote(near), p.document.replaceName(v.value, near)
			}
			p.report(f)
		}},

	{describe("role/endpoint-port-unresolved", "The endpoint names no port of its service",
		`port_key is a key below ports.local or ports.internal of that service. Other groups of ports do not count.`,
		exampleServer.but("port_key: http", "port_key: https")),
		func(p *pass) {
			v, ok := p.block.sections["endpoint"].literal("port_key")
			service := p.endpointService()
			if !ok || service == nil {
				return
			}
			k, _ := v.value.identity()
			_, local := service.port(portsLocal, k)
			_, internal := service.port(portsInternal, k)
			if local || internal {
				return
			}
			fix := "add the port below ports.internal"
			if names := service.portNames(); len(names) > 0 {
				fix = "write " + oneOf(names) + ", or add the port"
			}
			p.report(fault{place: p.at(v.key.at),
				message: "the service has no port " + quote(v.value.text) + " below ports.local or ports.internal", fix: fix})
		}},
}

// endpointService returns the service that the endpoint names, nil where that is not certain.
func (p *pass) endpointService() *entry {
	v, ok := p.block.sections["endpoint"].literal("service_key")
	if !ok || !p.role.services.readable {
		return nil
	}
	k, _ := v.value.identity()
	return p.role.services.service(k)
}

// clientRules run for deployable blocks with direction client or both, and about those with direction client.
var clientRules = []rule{
	{describe("role/supported-transports-missing", "A client does not say what it speaks",
		`Discovery gives a client only servers that speak one of its transports: without a list, none.`,
		exampleClient.but("supported_transports: [streamable_http, sse]\n", "")),
		wantKey("supported_transports", "a list of "+oneOf(transports))},

	{describe("role/supported-auths-missing", "A client does not say how it can authenticate",
		`Discovery gives a client only servers whose auth it can present: without a list, none.`,
		exampleClient.but("supported_auths: [app_password, bearer_token, oidc]\n", "")),
		wantKey("supported_auths", "a list of "+oneOf(auths))},

	{describe("role/supported-transports-invalid", "The list of transports names something else",
		`It is a list of streamable_http and sse, with at least one of them.`,
		exampleClient.but("[streamable_http, sse]", "[streamable-http, sse]")),
		func(p *pass) { p.judgeWords("supported_transports", transports) }},

	{describe("role/supported-auths-invalid", "The list of ways to authenticate names something else",
		`It is a list of the values that auth can have, with at least one of them.`,
		exampleClient.but("[app_password, bearer_token, oidc]", "[app_password, kerberos]")),
		func(p *pass) { p.judgeWords("supported_auths", auths) }},

	{describe("role/client-declares-endpoint", "A client has an endpoint",
		`A role that only consumes serves nothing that could be reached. A role that does both has direction: both.`,
		exampleClient.but("implementation: native\n",
			"implementation: native\nendpoint:\n  service_key: assistant\n  path: /mcp\n  port_key: http\n")),
		func(p *pass) {
			if e := p.block.sections["endpoint"]; e.present && p.block.direction.is("client") {
				p.report(fault{place: p.at(e.key.at),
					message: "direction is client, but there is an endpoint", fix: "remove it, or write direction: both"})
			}
		}},
}

// judgeWords reports a list that is none or empty, and its items that are none of the words.
func (p *pass) judgeWords(name string, words []string) {
	v, ok := p.block.get(name)
	if !ok || v.value.templated() {
		return
	}
	if v.value.kind != sequence || len(v.value.items) == 0 {
		p.report(fault{place: p.at(v.key.at),
			message: name + " is " + shownList(v.value) + "; it must be a list of " + oneOf(words),
			fix:     "write a list, as in " + name + ": [" + words[0] + "]"})
		return
	}
	for _, item := range v.value.items {
		if item.templated() || item.isString() && slices.Contains(words, item.text) {
			continue
		}
		f := fault{place: p.at(item.at), message: notAWord("an item of "+name, item, words)}
		f.fix, f.edits = p.document.suggest(item, words)
		p.report(f)
	}
}
