package roleblock

// servicesRules are about the meta/services.yml of any role.
var servicesRules = []rule{
	{describe("role/mcp-consumer-not-boolean", "mcp_consumer is no boolean",
		`true declares a client on its own entry, false refuses one on a server's. Anything else, a quoted "true" for one, neither declares
nor admits.`,
		exampleClient.but("mcp_consumer: true", "mcp_consumer: \"true\"")),
		func(p *pass) {
			for _, entry := range serviceEntries(p.document) {
				if entry.value.kind != mapping {
					continue
				}
				if v, ok := p.document.expand(entry.value.node).get("mcp_consumer"); ok && !isBoolean(v.value.node) {
					p.notBoolean(v)
				}
			}
		}},
}

// usersRules are about files of users, of the tree and of roles.
var usersRules = []rule{
	{describe("role/rbac-mcp-unscoped", "The role mcp is granted everywhere",
		`Reaching the tools of an application is a grant of its own, the role mcp of that application. In the unscoped list of a user's
roles it would hold for every application, also for those to come.`,
		exampleUsers.but("roles: [editor]", "roles: [editor, mcp]")),
		func(p *pass) {
			for _, user := range unwrap(p.document, "users").pairs {
				if user.value.kind != mapping {
					continue
				}
				roles, ok := p.document.expand(user.value.node).get("roles")
				if !ok || p.judged[roles.value.node] {
					continue
				}
				items := roles.value.items
				if roles.value.kind == scalar {
					items = []child{roles.value}
				}
				for _, item := range items {
					if item.isString() && item.text == mcpRole {
						p.report(fault{place: p.at(item.at), about: user.key.text, value: roles.value.node,
							message: "the user " + quote(user.key.text) + " gets the role mcp for all applications",
							fix:     "grant it below application_roles, to each application that is meant"})
					}
				}
			}
		}},
}
