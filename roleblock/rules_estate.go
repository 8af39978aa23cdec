package roleblock

import (
	"slices"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// estateRules are about a server-capable role among all roles of the tree.
var estateRules = []rule{
	{describe("role/credential-shared", "Two servers use the same secret",
		`They name the same key in the token store of the same owner, so whoever may use one holds the key to the other. Discovery stops at
such a pair. Keys of source credentials are looked up in each role's own secrets and may have the same name.`,
		exampleTwins.but("owner: mcp-web-app-wiki\n  source: token_store\n  key: web-app-wiki\n",
			"owner: mcp-web-app-notes\n  source: token_store\n  key: web-app-notes\n")),
		func(p *pass) {
			if earlier := p.lint.holders[p.role.credentialID()]; earlier != "" && earlier != p.role.name {
				p.report(fault{place: p.role.blockFile.at(p.role.marks.owner), about: earlier,
					message: "owner and key of the credential are those of " + quote(earlier), fix: "give each server an owner or a key of its own"})
			}
		}},

	{describe("role/no-admitted-client", "A server that nobody may use",
		`A role declares itself a client by mcp_consumer: true on its own entry in its meta/services.yml; every server admits it, unless the
server's entry for the client says mcp_consumer: false. A server that admits nobody is never switched on.`,
		exampleServer.but("  mcp_consumer: true\n", "  mcp_consumer: false\n")),
		func(p *pass) {
			if p.role.serves() && p.role.services.readable && len(p.lint.model.admitted(p.role.role)) == 0 {
				p.report(fault{place: p.role.blockFile.at(p.role.marks.direction),
					message: "no client is admitted: no other role declares itself one, or all are refused",
					fix:     "set mcp_consumer: true on a client's own entry in its meta/services.yml, or remove a refusal"})
			}
		}},

	{describe("role/consumer-entry-missing", "A server has no entry for a client",
		`Every server carries an entry for every declared client in its meta/services.yml, gated on the client's presence, so that a run that
deploys one plans the other too. A refused client needs the entry as well: it is where mcp_consumer: false stands.`,
		exampleServer.but(`assistant:
  enabled: "{{ 'web-app-assistant' in group_names }}"
  shared: "{{ 'web-app-assistant' in group_names }}"
`, "")),
		func(p *pass) {
			for _, client := range p.declaredClients() {
				if p.role.services.service(stringKey(client.entity)) == nil {
					p.report(fault{place: p.role.blockFile.at(p.role.marks.direction), about: client.name,
						message: "meta/services.yml of this role has no entry " + quote(client.entity) + " for the client " + quote(client.name),
						fix:     entryFor(client)})
				}
			}
		}},

	{describe("role/consumer-entry-not-gated", "The entry for a client does not depend on the client",
		`enabled and shared of the entry hold '<client>' in group_names, so that the edge exists exactly while the client is deployed.`,
		exampleServer.but("  enabled: \"{{ 'web-app-assistant' in group_names }}\"\n", "  enabled: true\n")),
		func(p *pass) {
			for _, client := range p.declaredClients() {
				if e := p.role.services.service(stringKey(client.entity)); e != nil {
					p.wantGate(client, e, "enabled", e.enabled)
					p.wantGate(client, e, "shared", e.shared)
				}
			}
		}},

	warning(rule{describe("role/consumer-transport-unsupported", "An admitted client does not speak the server's transport",
		`The client will not find the server: discovery refuses it with transport_unsupported. Nothing else breaks, so this is a warning.`,
		exampleServer.but("supported_transports: [streamable_http, sse]", "supported_transports: [streamable_http]")),
		func(p *pass) {
			p.wantFit(p.role.marks.transport, "transport",
				func(f *facts) word { return f.transport }, func(f *facts) words { return f.supportedTransports })
		}}),

	warning(rule{describe("role/consumer-auth-unsupported", "An admitted client cannot present the server's auth",
		`The client will not find the server: discovery refuses it with auth_unsupported. Nothing else breaks, so this is a warning.`,
		exampleServer.but("supported_auths: [app_password, bearer_token, oidc]", "supported_auths: [oidc]")),
		func(p *pass) {
			p.wantFit(p.role.marks.auth, "auth",
				func(f *facts) word { return f.auth }, func(f *facts) words { return f.supportedAuths })
		}}),
}

func warning(r rule) rule {
	r.Severity = finding.Warning
	return r
}

// declaredClients returns the clients for which a server needs entries; none where its services could not be read.
func (p *pass) declaredClients() []*role {
	if !p.role.serves() || !p.role.services.readable {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.lint.model.clients), func(c *role) bool { return c == p.role.role })
}

// entryFor words the entry that a server needs for a client.
func entryFor(client *role) string {
	if !isPlainName(client.name) {
		return "add it, with enabled and shared gated on the client's presence"
	}
	return "add the entry " + client.entity + ", with enabled and shared: " + quotedGate(client)
}

// quotedGate is the value of the flags in a server's entry for a client.
func quotedGate(client *role) string { return `"` + gateOf([]string{client.name}) + `"` }

// wantGate reports a flag of an entry that does not depend on the client.
func (p *pass) wantGate(client *role, e *entry, name string, f flag) {
	if strings.Contains(f.text, gate(client.name)) {
		return
	}
	out := fault{place: p.role.servicesFile.at(f.at), about: client.name,
		message: name + " does not depend on the client " + quote(client.name), fix: "gate it on the client's presence"}
	if !f.present {
		out.place = p.role.servicesFile.at(e.at)
		out.message = "the entry for the client " + quote(client.name) + " has no " + name
	}
	if isPlainName(client.name) {
		out.fix = "write " + name + ": " + quotedGate(client)
		if p.lint.model.aloneWithEntity(client) {
			out.edits = p.role.servicesFile.setFlag(e, f, name, quotedGate(client))
		}
	}
	p.report(out)
}

// wantFit reports the admitted clients whose list lacks the server's word.
func (p *pass) wantFit(at span, name string, of func(*facts) word, supported func(*facts) words) {
	if !p.role.serves() || of(p.role.block).state != known {
		return
	}
	w := of(p.role.block)
	for _, client := range p.lint.model.admitted(p.role.role) {
		if !client.consumes() {
			continue
		}
		if list := supported(client.block); list.state == known && !list.set[w.text] {
			p.report(fault{place: p.role.blockFile.at(at), about: client.name,
				message: "the admitted client " + quote(client.name) + " does not support the " + name + " " + w.text,
				fix:     "add it to supported_" + name + "s of the client, if it can do that, or refuse the client"})
		}
	}
}

// credentialID is what two servers must not have in common; nothing where that can't be said from the tree alone.
func (r *role) credentialID() credential {
	if !r.serves() || !r.block.credential.complete() || r.block.credential.source != tokenStore {
		return credential{}
	}
	return r.block.credential
}

// firstHolders returns, for each secret, the first role that uses it.
func firstHolders(m *Model) map[credential]string {
	out := map[credential]string{}
	for _, r := range m.servers {
		if id := r.credentialID(); id != (credential{}) && out[id] == "" {
			out[id] = r.name
		}
	}
	return out
}
