package roleblock

import (
	"slices"
	"strings"
)

// Model is what a tree of roles declares: who serves, who consumes, who admits whom. It holds no places and no secrets.
type Model struct {
	roles   []*role // by name
	clients []*role // those that declare themselves, by name
	servers []*role // those with a server-capable block that can be deployed, by name
	byName  map[string]*role
}

// role is one role of a tree.
type role struct {
	name, entity string
	services     services
	block        *facts // nil without a block that can be deployed
}

func newModel(subjects []*subject) *Model {
	m := &Model{byName: map[string]*role{}}
	for _, s := range subjects {
		m.roles = append(m.roles, s.role)
		m.byName[s.name] = s.role
		if s.role.declared() {
			m.clients = append(m.clients, s.role)
		}
		if s.role.serves() {
			m.servers = append(m.servers, s.role)
		}
	}
	return m
}

// facts are what other roles and the discovery need of a block that can be deployed.
type facts struct {
	serves, consumes                    bool
	transport, exposure, auth, subject  word
	supportedTransports, supportedAuths words
	credential                          credential
	endpoint                            endpoint
	enabled, shared                     presence
}

// word is a value from a vocabulary; the text is there also where it is none of it.
type word struct {
	state state
	text  string
}

// words is a list of them, as a set; undetermined where the list or an item is not as it should be.
type words struct {
	state state
	set   map[string]bool // also of items that are no words
}

// credential names the secret of a provider. What is missing, templated or of unknown source is empty.
type credential struct{ owner, source, key string }

// complete reports whether a secret can be looked up.
func (c credential) complete() bool {
	return c.owner != "" && c.owner != administrator && c.source != "" && c.key != ""
}

// endpoint says where a provider listens.
type endpoint struct {
	service     string
	path        string
	serviceKey  key
	portKey     key
	addressable bool // service_key and port_key are scalars
}

// marks are the spans of keys at which rules about several roles report.
type marks struct{ direction, transport, auth, owner span }

func (b *block) marks() marks {
	m := marks{direction: b.direction.key.at, transport: b.transport.key.at, auth: b.auth.key.at}
	if owner, ok := b.sections["credential"].literal("owner"); ok {
		m.owner = owner.key.at
	}
	return m
}

func (b *block) facts() *facts {
	return &facts{
		serves: b.serves(), consumes: b.consumes(),
		transport: b.transport.word(), exposure: b.exposure.word(), auth: b.auth.word(), subject: b.subject.word(),
		supportedTransports: b.words("supported_transports", transports),
		supportedAuths:      b.words("supported_auths", auths),
		credential:          b.credential(),
		endpoint:            b.endpoint(),
		enabled:             b.presence("enabled"),
		shared:              b.presence("shared"),
	}
}

func (c choice) word() word { return word{c.state, c.text} }

// words reads a list of words.
func (b *block) words(name string, vocabulary []string) words {
	p, ok := b.get(name)
	if !ok {
		return words{}
	}
	w := words{state: undetermined, set: map[string]bool{}}
	if p.value.kind != sequence {
		return w
	}
	good := 0
	for _, item := range p.value.items {
		if item.isString() {
			w.set[item.text] = true
			if slices.Contains(vocabulary, item.text) {
				good++
			}
		}
	}
	if good > 0 && good == len(p.value.items) {
		w.state = known
	}
	return w
}

func (b *block) credential() credential {
	s := b.sections["credential"]
	return credential{owner: s.text("owner"), source: s.word("source", credentialSources), key: s.text("key")}
}

func (b *block) endpoint() endpoint {
	s := b.sections["endpoint"]
	var e endpoint
	service, serviceOK := s.literal("service_key")
	port, portOK := s.literal("port_key")
	if serviceOK && portOK {
		e.addressable = true
		e.service = service.value.text
		e.serviceKey, _ = service.value.identity()
		e.portKey, _ = port.value.identity()
	}
	if path, ok := s.literal("path"); ok {
		e.path = path.value.text
	}
	return e
}

// presence is what a block says in enabled or shared.
type presence struct {
	kind  presenceKind
	peers []string // of a gate, the roles that it names
}

type presenceKind uint8

const (
	derived presenceKind = iota // nothing that counts
	on
	off
	gated // by the presence of other roles, in the form in which it is derived
)

func (b *block) presence(name string) presence {
	p, ok := b.get(name)
	if !ok {
		return presence{}
	}
	if yes, ok := p.value.boolean(); ok {
		if yes {
			return presence{kind: on}
		}
		return presence{kind: off}
	}
	if !p.value.isString() || !hasJinja(p.value.text) {
		return presence{}
	}
	if peers, ok := parseGate(p.value.text); ok {
		return presence{kind: gated, peers: peers}
	}
	return presence{kind: on}
}

// gateOf is the expression that is true while one of the peers is deployed.
func gateOf(peers []string) string {
	var out strings.Builder
	for i, peer := range peers {
		if i > 0 {
			out.WriteString(" or ")
		}
		out.WriteString(gate(peer))
	}
	return "{{ " + out.String() + " }}"
}

// gate is the test for the presence of one role.
func gate(role string) string { return "'" + role + "' in group_names" }

// parseGate is the inverse of gateOf.
func parseGate(s string) (peers []string, ok bool) {
	s, ok = strings.CutPrefix(strings.TrimSpace(s), "{{")
	if !ok {
		return nil, false
	}
	if s, ok = strings.CutSuffix(s, "}}"); !ok {
		return nil, false
	}
	for test := range strings.SplitSeq(s, " or ") {
		name, ok := strings.CutSuffix(strings.TrimSpace(test), "' in group_names")
		if !ok || !strings.HasPrefix(name, "'") || strings.ContainsAny(name[1:], "'") {
			return nil, false
		}
		peers = append(peers, name[1:])
	}
	return peers, true
}
