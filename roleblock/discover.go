package roleblock

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Reason says why a client does not get a provider. The words are stable.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	NotAllowed           Reason = "consumer_not_allowed"
	TransportUnsupported Reason = "transport_unsupported"
	AuthUnsupported      Reason = "auth_unsupported"
	CredentialMissing    Reason = "credential_missing"
	EndpointUnreachable  Reason = "endpoint_unreachable"
)

// CredentialShared is why a discovery is aborted.
const CredentialShared Reason = "credential_shared"

// Selected is a provider that a client gets.
type Selected struct {
	ID          string  `json:"id"` // the role
	URL         string  `json:"url"`
	Transport   string  `json:"transport"` // with hyphens
	Auth        string  `json:"auth"`
	AuthSubject *string `json:"auth_subject"`
	Owner       string  `json:"owner"`
}

// Rejected is a provider that a client does not get.
type Rejected struct {
	ID     string `json:"id"` // the role
	Reason Reason `json:"reason"`
}

// Abort says that two providers have the same owner and secret, so that no list can be trusted.
type Abort struct {
	Reason    Reason    `json:"reason"`
	Owner     string    `json:"owner"`
	Providers [2]string `json:"providers"` // the earlier, then the later
}

// Discovery is what a client finds: two lists by role, or an abort.
type Discovery struct {
	Client   string
	Selected []Selected
	Rejected []Rejected
	Abort    *Abort
}

// MarshalJSON writes the client and either the lists or the abort.
func (d Discovery) MarshalJSON() ([]byte, error) {
	if d.Abort != nil {
		return json.Marshal(struct {
			Client string `json:"client"`
			Abort  *Abort `json:"abort"`
		}{d.Client, d.Abort})
	}
	return json.Marshal(struct {
		Client   string     `json:"client"`
		Selected []Selected `json:"selected"`
		Rejected []Rejected `json:"rejected"`
	}{d.Client, append([]Selected{}, d.Selected...), append([]Rejected{}, d.Rejected...)})
}

// Discover computes what a client finds in an estate. The error tells that the tree has no such role.
func (m *Model) Discover(client string, e Estate) (Discovery, error) {
	consumer := m.byName[client]
	if consumer == nil {
		return Discovery{}, fmt.Errorf("discovery: there is no role %s", quote(client))
	}
	type identity struct {
		owner  string
		secret Secret
	}
	d := Discovery{Client: client}
	holders := map[identity]string{}
	deployed := e.deployed()
	for _, provider := range m.servers {
		if provider == consumer || deployed != nil && !deployed(provider.name) || !m.present(provider, deployed) {
			continue
		}
		reason := refusal(provider, consumer)
		secret, ok := e.secret(provider.name, provider.block.credential)
		if reason == "" && !ok {
			reason = CredentialMissing
		}
		if reason != "" {
			d.Rejected = append(d.Rejected, Rejected{provider.name, reason})
			continue
		}
		id := identity{provider.block.credential.owner, secret}
		if earlier, taken := holders[id]; taken {
			return Discovery{Client: client, Abort: &Abort{CredentialShared, id.owner, [2]string{earlier, provider.name}}}, nil
		}
		holders[id] = provider.name
		if url := provider.url(); url != "" {
			d.Selected = append(d.Selected, provider.selected(url))
		} else {
			d.Rejected = append(d.Rejected, Rejected{provider.name, EndpointUnreachable})
		}
	}
	return d, nil
}

// refusal returns the first reason against a pair, short of secret and endpoint.
func refusal(provider, consumer *role) Reason {
	switch {
	case !consumer.declared() || !provider.admits(consumer):
		return NotAllowed
	case !consumer.supports(func(f *facts) words { return f.supportedTransports }, provider.transport()):
		return TransportUnsupported
	case !consumer.supports(func(f *facts) words { return f.supportedAuths }, provider.block.auth.text):
		return AuthUnsupported
	case !provider.block.credential.complete():
		return CredentialMissing
	}
	return ""
}

// supports reports whether a list of the role's block has a word.
func (r *role) supports(list func(*facts) words, word string) bool {
	if r.block == nil || word == "" {
		return false
	}
	return list(r.block).set[word]
}

// transport is what a provider speaks.
func (r *role) transport() string {
	if r.block.transport.state == absent {
		return defaultTransport
	}
	return r.block.transport.text
}

// url returns the address of a provider's endpoint, nothing where it can't be reached.
func (r *role) url() string {
	e := r.block.endpoint
	service := r.services.service(e.serviceKey)
	if !e.addressable || e.path == "" || service == nil {
		return ""
	}
	namespaces := [2]string{portsLocal, portsInternal}
	if r.block.exposure.text == "internal" {
		namespaces = [2]string{portsInternal, portsLocal}
	}
	for _, namespace := range namespaces {
		if p, ok := service.port(namespace, e.portKey); ok {
			if p.number == 0 {
				return ""
			}
			return "http://" + e.service + ":" + strconv.FormatInt(p.number, 10) + e.path
		}
	}
	return ""
}

func (r *role) selected(url string) Selected {
	s := Selected{
		ID: r.name, URL: url, Transport: strings.ReplaceAll(r.transport(), "_", "-"), Auth: r.block.auth.text,
		Owner: r.block.credential.owner,
	}
	if r.block.subject.text != "" {
		s.AuthSubject = &r.block.subject.text
	}
	return s
}

// present reports whether a provider is switched on while the deployed roles are there; nil stands for all.
func (m *Model) present(r *role, deployed func(string) bool) bool {
	return m.switched(r, r.block.enabled, deployed) && m.switched(r, r.block.shared, deployed)
}

func (m *Model) switched(r *role, p presence, deployed func(string) bool) bool {
	switch p.kind {
	case on:
		return true
	case off:
		return false
	case gated:
		return anyDeployed(p.peers, deployed)
	}
	return anyDeployed(names(m.peers(r)), deployed)
}

func anyDeployed(roles []string, deployed func(string) bool) bool {
	for _, name := range roles {
		if deployed == nil || deployed(name) {
			return true
		}
	}
	return false
}

// WriteText writes a discovery for a person.
func (d Discovery) WriteText(w io.Writer) error {
	var out strings.Builder
	if a := d.Abort; a != nil {
		fmt.Fprintf(&out, "%s: discovery stops, as %s and %s have the same owner %s and the same secret (%s)\n",
			visible(d.Client), visible(a.Providers[0]), visible(a.Providers[1]), visible(a.Owner), a.Reason)
	}
	for _, s := range d.Selected {
		fmt.Fprintf(&out, "%s: %s at %s (%s, %s)\n",
			visible(d.Client), visible(s.ID), visible(s.URL), visible(s.Transport), visible(s.Auth))
	}
	for _, r := range d.Rejected {
		fmt.Fprintf(&out, "%s: not %s: %s\n", visible(d.Client), visible(r.ID), r.Reason)
	}
	if out.Len() == 0 {
		fmt.Fprintf(&out, "%s: no provider is deployed\n", visible(d.Client))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
