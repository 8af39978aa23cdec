package roleblock

import (
	"encoding/json"
	"slices"
	"strings"
)

// declared reports whether a role declares itself a client: by mcp_consumer on its own entity's entry.
func (r *role) declared() bool {
	own := r.services.entries[stringKey(r.entity)]
	return own != nil && own.consumer == granted
}

// admits reports whether a provider lets a declared client in: unless its entry for the client says otherwise.
func (r *role) admits(client *role) bool {
	if r == client {
		return false
	}
	e := r.services.entries[stringKey(client.entity)]
	return e == nil || e.consumer != denied
}

// admitted returns the declared clients that provider admits, by name.
func (m *Model) admitted(provider *role) []*role {
	var out []*role
	for _, client := range m.clients {
		if provider.admits(client) {
			out = append(out, client)
		}
	}
	return out
}

// aloneWithEntity reports whether no other declared client has the same entity.
func (m *Model) aloneWithEntity(client *role) bool {
	return !slices.ContainsFunc(m.clients, func(c *role) bool { return c != client && c.entity == client.entity })
}

// serves and consumes report what a role's block can do; without a block it can do nothing.
func (r *role) serves() bool   { return r.block != nil && r.block.serves }
func (r *role) consumes() bool { return r.block != nil && r.block.consumes }

// peers returns the roles whose presence switches r on, by name: the clients that a server admits, and the servers that
// admit a client.
func (m *Model) peers(r *role) []*role {
	var out []*role
	if r.serves() {
		out = m.admitted(r)
	}
	if r.consumes() && r.declared() {
		for _, server := range m.servers {
			if server.admits(r) {
				out = append(out, server)
			}
		}
	}
	slices.SortFunc(out, func(a, b *role) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(out)
}

// Presence is the value that enabled and shared have when a block leaves them out: an expression, or nothing for false.
type Presence string

// MarshalJSON writes the expression, or false.
func (p Presence) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("false"), nil
	}
	return json.Marshal(string(p))
}

// Derived returns the derived presence of every role with a block that can be deployed. What the block says itself in
// enabled and shared, and what meta/variants.yml says, is left aside.
func (m *Model) Derived() map[string]Presence {
	out := map[string]Presence{}
	for _, r := range m.roles {
		if r.block == nil {
			continue
		}
		out[r.name] = ""
		if peers := m.peers(r); len(peers) > 0 {
			out[r.name] = Presence(gateOf(names(peers)))
		}
	}
	return out
}

func names(roles []*role) []string {
	out := make([]string, len(roles))
	for i, r := range roles {
		out[i] = r.name
	}
	return out
}
