package roleblock

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"
)

// mismatchRule runs for every deployable block; adapterRules only where implementation is adapter. The rule about
// forbidden surfaces comes last: it leaves values alone that another rule has reported.
var mismatchRule = rule{describe("role/implementation-mismatch", "Only one of implementation and classification says adapter",
	`An adapter has implementation: adapter and classification: adapter_server, and nothing else has either: one brings the rules
for the adapter's contract, the other tells readers that they hold.`,
	exampleServer.but("classification: native_server", "classification: adapter_server")),
	func(p *pass) {
		b := p.block
		isServer := b.classification.is("adapter_server")
		if b.implementation.state == undetermined || b.implementation.is("adapter") == isServer {
			return
		}
		at := b.classification.key.at
		if b.implementation.state == known {
			at = b.implementation.key.at
		}
		f := fault{place: p.at(at),
			message: "implementation is adapter, but classification is " + b.classification.text,
			fix:     "write classification: adapter_server"}
		if isServer {
			f.message, f.fix = "classification is adapter_server, but implementation is not adapter", "write implementation: adapter"
		}
		p.report(f)
	}}

var adapterRules = slices.Concat(contractRules, specificationRules, surfaceRules)

var contractRules = []rule{
	{describe("role/adapter-missing", "An adapter without its contract",
		`adapter pins what stands between the clients and the application: which image, in which version, exposing what.`,
		exampleScoped.but(exampleScoped.lines("adapter:\n", "limits:\n"), "")),
		func(p *pass) {
			if b := p.block; !b.sections["adapter"].present {
				p.report(fault{place: p.at(b.implementation.key.at),
					message: "implementation is adapter, but there is no adapter",
					fix:     "add adapter with " + allOf(adapterKeys)})
			}
		}},

	{describe("role/adapter-incomplete", "The adapter's contract lacks a key",
		`type, image, version and digest are needed, so that what runs is what was reviewed.`,
		exampleAdapter.but("  version: 1.2.3\n", "")),
		func(p *pass) { p.wantAll(p.block.sections["adapter"], adapterKeys) }},

	{describe("role/adapter-type-invalid", "No such type of adapter",
		`The type says how the adapter's surface is bounded; there are seven.`,
		exampleAdapter.but("type: openapi_allowlist", "type: openapi_alowlist")),
		func(p *pass) {
			p.judgeSectionWord(p.block.sections["adapter"], "type", adapterTypes)
		}},

	{describe("role/adapter-digest-invalid", "The digest of the image has the wrong form",
		`An image is pinned by "sha256:" and hexadecimal digits. A tag can be moved to another image.`,
		exampleAdapter.but("digest: sha256:9b2cf535f27731c974343645a3985328", "digest: latest")),
		func(p *pass) {
			p.judgeHash(p.block.sections["adapter"], "digest")
		}},

	{describe("role/adapter-digest-placeholder", "The digest of the image is a placeholder",
		`A digest of zeros pins nothing: there is no image with it.`,
		exampleAdapter.but("digest: sha256:9b2cf535f27731c974343645a3985328", "digest: sha256:00000000000000000000000000000000")),
		func(p *pass) {
			v, ok := p.block.sections["adapter"].literal("digest")
			if ok && isHash(v.value) && strings.Trim(v.value.text, "0") == "sha256:" {
				p.report(fault{place: p.at(v.key.at),
					message: "the digest is all zeros", fix: "write the digest of the image"})
			}
		}},

	{describe("role/adapter-scope-missing", "The adapter's reach is not bounded",
		`graphql_allowlist, named_query, s3_prefix and resource_readonly list in scope exactly what they reach: buckets, prefixes,
collections or queries.`,
		exampleScoped.but("  scope: [notes/published]\n", "")),
		func(p *pass) {
			s := p.block.sections["adapter"]
			if kind := s.word("type", scopedTypes); kind != "" && s.missingOrBlank("scope") {
				p.report(fault{place: p.at(s.key.at),
					message: "an adapter of type " + kind + " needs scope",
					fix:     "add scope: a list of what it may reach"})
			}
		}},

	{describe("role/adapter-scope-invalid", "The adapter's scope names nothing",
		`scope has at least one item, and every item is a name.`,
		exampleScoped.but("[notes/published]", "[]")),
		func(p *pass) {
			s := p.block.sections["adapter"]
			if v, ok := s.given("scope"); ok && s.word("type", scopedTypes) != "" && !s.missingOrBlank("scope") {
				p.judgeNames(v, "name each thing that the adapter may reach", func(string) string { return "" })
			}
		}},

	{describe("role/tools-allowlist-missing", "An adapter does not list its tools",
		`An adapter offers only what is listed in tools.allowlist.`,
		exampleAdapter.but("  allowlist: [notes_search, notes_get]\n", "")),
		func(p *pass) {
			p.wantInTools("allowlist", func(tools *section) bool { _, ok := tools.get("allowlist"); return !ok })
		}},

	{describe("role/tools-schema-sha256-missing", "An adapter does not pin the schema of its tools",
		`tools.schema_sha256 is the hash of what the tools accept, so that a change does not go unnoticed.`,
		exampleAdapter.but("  schema_sha256: sha256:abcdef0123456789\n", "")),
		func(p *pass) {
			p.wantInTools("schema_sha256", func(tools *section) bool { return tools.missing("schema_sha256") })
		}},
}

// missingOrBlank reports whether a key for a collection is absent or has no value to speak of.
func (s *section) missingOrBlank(name string) bool {
	v, ok := s.get(name)
	return !ok || v.value.isNull() || v.value.isBlank()
}

// wantInTools reports a key that an adapter's tools lack.
func (p *pass) wantInTools(name string, lacks func(*section) bool) {
	b, tools := p.block, p.block.sections["tools"]
	switch {
	case !tools.present:
		p.report(fault{place: p.at(b.implementation.key.at),
			message: "implementation is adapter, but there is no tools." + name, fix: "add tools with " + name})
	case tools.open() && lacks(tools):
		p.report(fault{place: p.at(tools.key.at),
			message: "implementation is adapter, but tools lacks " + name, fix: "add " + name + " below tools"})
	}
}

var specificationRules = []rule{
	{describe("role/adapter-specification-missing", "The adapter has no specification",
		`openapi_allowlist and graphql_allowlist are derived from a specification that is checked in with the role.`,
		exampleAdapter.but("  specification_path: roles/web-app-notes/files/mcp/openapi.json\n", "")),
		wantSpecification("specification_path")},

	{describe("role/adapter-specification-path-outside", "The specification is not one of the role's files",
		`specification_path is a path from the root of the tree to below the role's own files/. What is elsewhere, or fetched, can change
without a change to the role.`,
		exampleAdapter.but("specification_path: roles/web-app-notes/files", "specification_path: files")),
		func(p *pass) {
			v, ok := p.block.sections["adapter"].literal("specification_path")
			if ok && !isInside(p.role.name, v.value.text) {
				p.report(fault{place: p.at(v.key.at),
					message: "specification_path is " + shown(v.value) + ", which is not in this role's files/",
					fix:     "check the file in and write its path, as in " + quote(rolePath(p.role.name, "files/mcp/openapi.json")),
					value:   v.value.node})
			}
		}},

	{describe("role/adapter-specification-not-found", "The specification is not there",
		`The path is right in form, but no regular file has it. Symbolic links are not followed.`,
		exampleAdapter.but("files/mcp/openapi.json\n  specification_sha256", "files/mcp/openapi.yaml\n  specification_sha256")),
		func(p *pass) {
			v, name, ok := p.specification()
			if ok && !p.lint.isFile(name) {
				p.report(fault{place: p.at(v.key.at),
					message: "there is no file " + quote(v.value.text), fix: "check it in, or correct the path"})
			}
		}},

	{describe("role/adapter-specification-sha256-missing", "The specification is not pinned",
		`specification_sha256 is the hash of the specification's bytes, so that the two cannot drift apart.`,
		exampleAdapter.but("  specification_sha256: sha256:d0406f9a8748397bc09620d98bcca2757050c5ce3cd11f5a411150316b170669\n", "")),
		wantSpecification("specification_sha256")},

	{describe("role/adapter-specification-sha256-invalid", "The hash of the specification has the wrong form",
		`A hash is "sha256:" and hexadecimal digits, 64 of them for a file.`,
		exampleAdapter.but("specification_sha256: sha256:", "specification_sha256: ")),
		func(p *pass) {
			p.judgeHash(p.block.sections["adapter"], "specification_sha256")
		}},

	{describe("role/adapter-specification-sha256-mismatch", "The specification is not the one that was pinned",
		`The hash of the file differs from the pin. Either the file was changed without a review of what the adapter exposes, or the pin
was not renewed. Line ends count: the hash is over the raw bytes.`,
		exampleAdapter.but("sha256:d0406f9a", "sha256:e0406f9a")),
		func(p *pass) {
			pin, ok := p.block.sections["adapter"].literal("specification_sha256")
			_, name, given := p.specification()
			if !ok || !given || !isHash(pin.value) || !p.lint.isFile(name) {
				return
			}
			if sum := p.lint.sum(name); sum != "" && !strings.EqualFold(sum, pin.value.text) {
				p.report(fault{place: p.at(pin.key.at),
					message: "the specification has the hash " + sum + ", not the one that is pinned",
					fix:     "review the change of the file, then renew the pin"})
			}
		}},
}

func wantSpecification(name string) func(*pass) {
	return func(p *pass) {
		s := p.block.sections["adapter"]
		if kind := s.word("type", specificationTypes); kind != "" && s.missing(name) {
			p.report(fault{place: p.at(s.key.at),
				message: "an adapter of type " + kind + " needs " + name, fix: "add " + name + " below adapter"})
		}
	}
}

// specification returns where the specification is, as written and as a path of the tree, if it is one of the role's files.
func (p *pass) specification() (v pair, name string, ok bool) {
	v, ok = p.block.sections["adapter"].literal("specification_path")
	if !ok || !isInside(p.role.name, v.value.text) {
		return pair{}, "", false
	}
	return v, path.Clean(v.value.text), true
}

var surfaceRules = []rule{
	{describe("role/adapter-forbidden-surface", "The adapter reaches for something forbidden",
		`No adapter gets at the container runtime, local sockets and files, a shell, the environment or everything at once. So no text in
adapter holds docker.sock, /var/run/, unix:, file://, sh -c, bash -c, ${ or *.`,
		exampleScoped.but("[notes/published]", "[\"notes/*\"]")),
		func(p *pass) {
			if s := p.block.sections["adapter"]; s.open() {
				surfaceWalk{p, map[*node]bool{}}.visit(s.value.node, s.key.at)
			}
		}},
}

// surfaceWalk finds texts with forbidden markers. Each node is visited once.
type surfaceWalk struct {
	*pass
	seen map[*node]bool
}

func (w surfaceWalk) visit(n *node, at span) {
	if w.seen[n] || w.judged[n] || n.templated() {
		return
	}
	w.seen[n] = true
	switch n.kind {
	case mapping:
		for _, q := range w.document.expand(n).pairs {
			w.visit(q.value.node, q.key.at)
		}
	case sequence:
		for _, item := range n.items {
			w.visit(item.node, item.at)
		}
	default:
		marker := slices.IndexFunc(forbiddenMarkers, func(m string) bool { return strings.Contains(n.text, m) })
		if n.isString() && marker >= 0 {
			w.report(fault{place: w.at(at),
				message: "the text holds " + quote(forbiddenMarkers[marker]) + ", which no adapter may reach",
				fix:     "name exactly what the adapter needs, without it"})
		}
	}
}

// isFile reports whether a path is a regular file of the tree.
func (l *lint) isFile(name string) bool {
	found, err := l.find(name)
	l.note(err)
	return found.isFile()
}

// sum returns the hash of a file's bytes as a pin.
func (l *lint) sum(name string) string {
	f, err := l.Open(name)
	if err != nil {
		l.note(err)
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		l.note(err)
		return ""
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
