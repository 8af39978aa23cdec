package roleblock

import (
	"fmt"
	"io"
	"strings"
)

// The reasons of a pair of which one role is not there: without such a block, or switched off. Discovery has no words for
// that, as such a provider is in neither of its lists.
const (
	ProviderAbsent Reason = "provider_absent"
	ClientAbsent   Reason = "client_absent"
)

// Matrix says, as far as the tree alone tells, which client reaches which provider: with every role deployed and every
// secret that is named in place.
type Matrix struct {
	Clients   []string   `json:"clients"` // roles that declare themselves or have a client-capable block, by name
	Providers []Provider `json:"providers"`
}

// Provider is a role with a server-capable block.
type Provider struct {
	ID      string     `json:"id"`      // the role
	Reached []string   `json:"reached"` // by these clients
	Barred  []Rejected `json:"barred"`  // the other clients, with the first reason
}

// Matrix computes who reaches whom.
func (m *Model) Matrix() Matrix {
	out := Matrix{Clients: []string{}, Providers: []Provider{}}
	clients := m.consumers()
	out.Clients = append(out.Clients, names(clients)...)
	for _, provider := range m.servers {
		p := Provider{ID: provider.name, Reached: []string{}, Barred: []Rejected{}}
		outlook := m.outlook(provider)
		for _, client := range clients {
			if client == provider {
				continue
			}
			if reason := outlook.reason(client); reason != "" {
				p.Barred = append(p.Barred, Rejected{client.name, reason})
			} else {
				p.Reached = append(p.Reached, client.name)
			}
		}
		out.Providers = append(out.Providers, p)
	}
	return out
}

// outlook is what is the same for all clients of a provider.
type outlook struct {
	provider           *role
	present, reachable bool
}

func (m *Model) outlook(provider *role) outlook {
	return outlook{provider, m.present(provider, nil), provider.url() != ""}
}

// reason is what keeps a client away.
func (o outlook) reason(client *role) Reason {
	reason := refusal(o.provider, client)
	switch {
	case reason != "":
	case !o.present:
		reason = ProviderAbsent
	case !o.reachable:
		reason = EndpointUnreachable
	}
	return reason
}

// consumers returns the roles that are, or mean to be, clients, by name.
func (m *Model) consumers() []*role {
	var out []*role
	for _, r := range m.roles {
		if r.declared() || r.consumes() {
			out = append(out, r)
		}
	}
	return out
}

// WriteText writes the matrix for a person at a terminal: a line for each provider, then what keeps the others away.
func (x Matrix) WriteText(w io.Writer) error {
	var out strings.Builder
	for _, p := range x.Providers {
		fmt.Fprintf(&out, "%s: reached by %s\n", visible(p.ID), orNone(p.Reached, visible))
		for _, g := range byReason(p.Barred) {
			fmt.Fprintf(&out, "  %s: %s\n", g.reason, orNone(g.clients, visible))
		}
	}
	if len(x.Providers) == 0 {
		out.WriteString("No role serves MCP.\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteMarkdown writes the matrix as a table.
func (x Matrix) WriteMarkdown(w io.Writer) error {
	var out strings.Builder
	if len(x.Providers) == 0 {
		out.WriteString("No role serves MCP.\n")
	} else {
		out.WriteString("| provider | reached by | barred |\n|---|---|---|\n")
	}
	for _, p := range x.Providers {
		var barred []string
		for _, g := range byReason(p.Barred) {
			barred = append(barred, fmt.Sprintf("%s: %s", g.reason, orNone(g.clients, code)))
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", code(p.ID), orNone(p.Reached, code), strings.Join(barred, "<br>"))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// reasonGroup are the clients that one reason keeps away.
type reasonGroup struct {
	reason  Reason
	clients []string
}

// reasonOrder is that in which a matrix shows its reasons: that in which they are looked for.
var reasonOrder = []Reason{
	NotAllowed, TransportUnsupported, AuthUnsupported, CredentialMissing, ProviderAbsent, EndpointUnreachable,
}

func byReason(barred []Rejected) []reasonGroup {
	var out []reasonGroup
	for _, reason := range reasonOrder {
		g := reasonGroup{reason: reason}
		for _, b := range barred {
			if b.Reason == reason {
				g.clients = append(g.clients, b.ID)
			}
		}
		if len(g.clients) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// orNone joins names.
func orNone(names []string, show func(string) string) string {
	if len(names) == 0 {
		return "none"
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	return strings.Join(shown, ", ")
}

// code shows a name as code in a Markdown table.
func code(name string) string {
	name = strings.NewReplacer("`", "'", "|", `\|`).Replace(visible(name))
	return "`" + name + "`"
}
