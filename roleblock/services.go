package roleblock

import (
	"slices"
	"strings"
)

// services are the entries of a role's meta/services.yml.
type services struct {
	readable bool // the file is absent or could be read
	entries  map[key]*entry
}

// entry is one service. Entries whose value is no mapping are kept for their name.
type entry struct {
	at       span // its key
	mapping  bool
	inner    int // where the first key in it stands; 0 in a flow mapping, or where there is none
	consumer consent
	enabled  flag
	shared   flag
	ports    []port
}

// consent is what an entry's mcp_consumer says.
type consent uint8

const (
	unsaid  consent = iota // no such key
	granted                // true
	denied                 // anything else
)

// flag is a key that switches an entry.
type flag struct {
	present bool
	at      span   // the key
	token   span   // the value, where it can be replaced
	text    string // of a string
}

// port is a key under ports.local or ports.internal.
type port struct {
	namespace string
	key       key
	name      string
	number    int64 // 0 unless the value is an integer
}

// The namespaces of ports in which an endpoint's port is looked up.
const (
	portsLocal    = "local"
	portsInternal = "internal"
)

// entry returns the service that a scalar names, nil where there is none with a mapping.
func (s *services) service(k key) *entry {
	if e := s.entries[k]; e != nil && e.mapping {
		return e
	}
	return nil
}

// port returns the port of that key in the namespace.
func (e *entry) port(namespace string, k key) (port, bool) {
	for _, p := range e.ports {
		if p.namespace == namespace && p.key == k {
			return p, true
		}
	}
	return port{}, false
}

// names returns the names of the services.
func (s *services) names() []string {
	var out []string
	for k, e := range s.entries {
		if name, ok := strings.CutPrefix(string(k), "s"); ok && e.mapping {
			out = append(out, name)
		}
	}
	return out
}

// maxNames is the number of names that a message lists.
const maxNames = 8

// portNames returns the first few names of the ports in which an endpoint's is looked up, as they are shown.
func (e *entry) portNames() []string {
	var out []string
	for _, p := range e.ports {
		if name := quote(p.name); len(out) < maxNames && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unwrap returns the pairs of a file that may have its content under the only key of the root.
func unwrap(d *document, wrapper string) *fields {
	if d.root == nil || d.root.kind != mapping {
		return &fields{}
	}
	f := d.expand(d.root)
	if p, ok := f.get(wrapper); ok && len(f.pairs) == 1 && p.value.kind == mapping {
		return d.expand(p.value.node)
	}
	return f
}

// serviceEntries returns the pairs of meta/services.yml.
func serviceEntries(d *document) []pair { return unwrap(d, "services").pairs }

// readServices takes what the lint needs from meta/services.yml.
func readServices(d *document) services {
	s := services{entries: map[key]*entry{}}
	for _, p := range serviceEntries(d) {
		if k, ok := p.key.identity(); ok {
			s.entries[k] = d.entry(p)
		}
	}
	s.readable = d.readable() && !d.overspent()
	return s
}

func (d *document) entry(p pair) *entry {
	e := &entry{at: p.key.at}
	if p.value.kind != mapping {
		return e
	}
	e.mapping = true
	if !p.value.flow && len(p.value.pairs) > 0 {
		e.inner = p.value.pairs[0].key.at.start
	}
	f := d.expand(p.value.node)
	if c, ok := f.get("mcp_consumer"); ok {
		e.consumer = denied
		if yes, _ := c.value.boolean(); yes {
			e.consumer = granted
		}
	}
	e.enabled, e.shared = d.flag(f, "enabled"), d.flag(f, "shared")
	if ports, ok := f.get("ports"); ok && ports.value.kind == mapping {
		spaces := d.expand(ports.value.node)
		for _, namespace := range []string{portsLocal, portsInternal} {
			if space, ok := spaces.get(namespace); ok && space.value.kind == mapping {
				e.ports = d.appendPorts(e.ports, namespace, space.value.node)
			}
		}
	}
	return e
}

func (d *document) flag(f *fields, name string) flag {
	p, ok := f.get(name)
	if !ok {
		return flag{}
	}
	out := flag{present: true, at: p.key.at}
	out.token, _ = d.token(p.value)
	if p.value.isString() {
		out.text = p.value.text
	}
	return out
}

func (d *document) appendPorts(ports []port, namespace string, n *node) []port {
	for _, p := range d.expand(n).pairs {
		if k, ok := p.key.identity(); ok {
			number, _ := p.value.integer()
			ports = append(ports, port{namespace, k, p.key.text, number})
		}
	}
	return ports
}
