package roleblock

import (
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/lazyregexp"
)

// deployableRules run for every block with a classification that can be deployed.
var deployableRules = slices.Concat(shapeOfBlockRules, trustRules, delegationRules, limitRules, []rule{mismatchRule})

var shapeOfBlockRules = []rule{
	{describe("role/not-mapping", "A part of the block is no mapping",
		`credential, endpoint, adapter, limits, tools and delegation are mappings of keys and values. Leave a part out rather than empty.`,
		exampleServer.but("tools:\n  read_only_default: true\n  mutating_tools_enabled: false\n", "tools: [search]\n")),
		func(p *pass) {
			for _, keys := range sectionKeys {
				s := p.block.sections[keys.name]
				if s.present && !s.open() && !s.value.templated() {
					p.report(fault{place: p.at(s.key.at),
						message: s.name + " is " + shown(s.value) + ", not a mapping of keys and values",
						fix:     "write its keys below it, or remove it"})
				}
			}
		}},

	{describe("role/direction-missing", "The block does not say whether the role serves or consumes",
		`direction decides whether the rules for servers or for clients hold.`,
		exampleClient.but("direction: client\n", "")),
		func(p *pass) {
			if p.block.direction.state == absent {
				p.report(fault{place: p.at(p.block.classification.key.at),
					message: "the block has no direction", fix: "add direction: " + oneOf(directions)})
			}
		}},

	{describe("role/direction-contradicts-classification", "Direction and classification disagree",
		`A *_server serves, so its direction is server or both; a native_client consumes, so it is client or both; native_both is both.`,
		exampleClient.but("classification: native_client", "classification: native_both")),
		func(p *pass) {
			b := p.block
			fitting := classificationDirections[b.classification.text]
			if b.direction.state == known && !b.direction.is(fitting...) {
				p.report(fault{place: p.at(b.direction.key.at),
					message: "a " + b.classification.text + " has the direction " + oneOf(fitting) + ", not " + b.direction.text,
					fix:     "correct direction or classification, whichever is wrong"})
			}
		}},

	{describe("role/bond-invalid", "bond is no positive integer",
		`bond is the strength of a tie between services: 1 or more.`,
		exampleServer.with("classification: native_server", "bond: 1\nclassification: native_server").but("bond: 1", "bond: 0")),
		func(p *pass) {
			if v, ok := p.block.get("bond"); ok && !v.value.templated() && !v.value.isPositive() {
				fix, edits := p.document.unquoted(v.value, (*node).isPositive, "write a number, as in bond: 1")
				p.report(fault{place: p.at(v.key.at),
					message: "bond is " + shown(v.value) + "; it must be a whole number above zero", fix: fix, edits: edits})
			}
		}},

	{describe("role/presence-invalid", "enabled or shared is neither a boolean nor Jinja",
		`Both are derived: a surface is there while a peer that uses it is deployed. Leave them out, or override them with true, false
or a Jinja expression in quotes.`,
		exampleServer.with("direction: server", "shared: true\ndirection: server").but("shared: true", "shared: 1")),
		func(p *pass) {
			for _, v := range presenceKeys(p.block) {
				if !isBoolean(v.value.node) && !(v.value.isString() && hasJinja(v.value.text)) {
					fix, edits := p.document.unquoted(v.value, isBoolean, "remove it, as it is derived from the role's peers")
					p.report(fault{place: p.at(v.key.at),
						message: v.key.text + " is " + shown(v.value) + "; it must be true, false or a Jinja expression in quotes",
						fix:     fix, edits: edits})
				}
			}
		}},

	{describe("role/presence-hand-gated", "enabled or shared repeats what is derived",
		`Both are derived from the admitted clients as "{{ '<client>' in group_names or … }}". A hand-written gate is a second source of
the same fact and drifts as soon as a client is added or refused.`,
		exampleServer.but("direction: server\n",
			"direction: server\nenabled: \"{{ 'web-app-assistant' in group_names }}\"\n")),
		func(p *pass) {
			for _, v := range presenceKeys(p.block) {
				if v.value.isString() && hasJinja(v.value.text) && strings.Contains(v.value.text, "group_names") {
					p.report(fault{place: p.at(v.key.at),
						message: v.key.text + " is gated by hand on group_names, from which it is derived anyway",
						fix:     "remove it", edits: p.document.deleteLine(v)})
				}
			}
		}},
}

// presenceKeys returns enabled and shared where they are given.
func presenceKeys(b *block) []pair {
	var out []pair
	for _, name := range []string{"enabled", "shared"} {
		if v, ok := b.get(name); ok {
			out = append(out, v)
		}
	}
	return out
}

var trustRules = []rule{
	{describe("role/auth-none-not-internal", "An endpoint without authentication is not internal",
		`Whoever reaches it may use it, so it must not be reachable from outside the container network. exposure: internal has to be
written out.`,
		exampleServer.with("auth: app_password", "auth: none").with("[app_password, bearer_token, oidc]", "[none]").
			but("exposure: internal\n", "")),
		func(p *pass) {
			if b := p.block; b.auth.is("none") && (b.exposure.state == absent || b.exposure.is("public")) {
				p.report(fault{place: p.at(b.auth.key.at),
					message: "auth is none, but exposure is not internal",
					fix:     "write exposure: internal, or choose another auth"})
			}
		}},

	{describe("role/privileged-subject-mutating", "A privileged subject may change data",
		`A service account or an administrator acts with rights that the user who asks may not have. Its tools must only read, and the
block must say so: tools.mutating_tools_enabled: false.`,
		exampleServer.but("  mutating_tools_enabled: false\n", "  mutating_tools_enabled: true\n")),
		func(p *pass) {
			b := p.block
			if b.subject.is("service_account", administrator) && mayMutate(b.sections["tools"]) {
				p.report(fault{place: p.at(b.subject.key.at),
					message: "auth_subject is " + b.subject.text + ", but tools.mutating_tools_enabled is not false",
					fix:     "write mutating_tools_enabled: false below tools"})
			}
		}},

	{describe("role/tools-flag-not-boolean", "A switch of the tools is no boolean",
		`read_only_default and mutating_tools_enabled are true or false, without quotes: a quoted "false" is a text, and a text counts as
true.`,
		exampleServer.but("mutating_tools_enabled: false", "mutating_tools_enabled: \"false\"")),
		func(p *pass) {
			for _, name := range []string{"read_only_default", "mutating_tools_enabled"} {
				p.wantBoolean(p.block.sections["tools"], name)
			}
		}},

	{describe("role/tools-allowlist-invalid", "The list of tools names no tools",
		`tools.allowlist names every tool that may be used. It has at least one name, and no name is blank or a pattern.`,
		exampleAdapter.but("[notes_search, notes_get]", "[\"notes_*\"]")),
		func(p *pass) {
			if v, ok := p.block.sections["tools"].given("allowlist"); ok {
				p.judgeNames(v, "name each tool", func(name string) string {
					if strings.Contains(name, "*") {
						return "the pattern " + quote(name) + " names no single tool"
					}
					return ""
				})
			}
		}},

	{describe("role/tools-schema-sha256-invalid", "The hash of the tools' schema has the wrong form",
		`A hash is "sha256:" and hexadecimal digits, 64 of them at most. It pins what the tools accept, so that a change does not go
unnoticed.`,
		exampleAdapter.but("schema_sha256: sha256:abcdef0123456789", "schema_sha256: md5:abcdef0123456789")),
		func(p *pass) {
			p.judgeHash(p.block.sections["tools"], "schema_sha256")
		}},
}

// mayMutate reports whether it is certain that the tools are not held to reading.
func mayMutate(tools *section) bool {
	if !tools.present {
		return true
	}
	if !tools.open() {
		return false
	}
	v, ok := tools.get("mutating_tools_enabled")
	if !ok {
		return true
	}
	on, _ := v.value.boolean()
	return on
}

// given returns a key of an open section that is there and not templated, whatever its value.
func (s *section) given(name string) (pair, bool) {
	if !s.open() {
		return pair{}, false
	}
	v, ok := s.get(name)
	return v, ok && !v.value.templated()
}

// wantBoolean reports a key that is there and no boolean.
func (p *pass) wantBoolean(s *section, name string) {
	if v, ok := s.given(name); ok && !isBoolean(v.value.node) {
		p.notBoolean(v)
	}
}

// notBoolean reports a key as one that should be a boolean.
func (p *pass) notBoolean(v pair) {
	fix, edits := p.document.unquoted(v.value, isBoolean, "write true or false")
	p.report(fault{place: p.at(v.key.at),
		message: v.key.text + " is " + shown(v.value) + "; it must be true or false, without quotes", fix: fix, edits: edits})
}

// judgeNames reports a list that is none or empty, and its items that are no names. The function objects to further ones.
func (p *pass) judgeNames(v pair, fix string, objection func(name string) string) {
	if v.value.kind != sequence || len(v.value.items) == 0 {
		p.report(fault{place: p.at(v.key.at),
			message: v.key.text + " is " + shownList(v.value) + "; it must be a list with at least one item", fix: fix,
			value: v.value.node})
		return
	}
	for _, item := range v.value.items {
		if item.templated() {
			continue
		}
		var message string
		switch {
		case !item.isString():
			message = "an item of " + v.key.text + " is " + shown(item) + "; items are texts"
		case item.isBlank():
			message = "an item of " + v.key.text + " is blank"
		default:
			message = objection(item.text)
		}
		if message != "" {
			p.report(fault{place: p.at(item.at), message: message, fix: fix, value: item.node})
		}
	}
}

// shownList describes a value where a list is due.
func shownList(v child) string {
	if v.kind == sequence && len(v.items) == 0 {
		return "an empty list"
	}
	return shown(v)
}

// hashPattern is the form of a pin. The length is not fixed.
var hashPattern = lazyregexp.New(`^sha256:[0-9a-fA-F]{1,64}$`)

// isHash reports whether a literal is a pin.
func isHash(v child) bool { return v.isString() && hashPattern().MatchString(v.text) }

var bareHash = lazyregexp.New(`^[0-9a-fA-F]{64}$`)

// judgeHash reports a pin that has the wrong form.
func (p *pass) judgeHash(s *section, name string) {
	v, ok := s.literal(name)
	if !ok || isHash(v.value) {
		return
	}
	f := fault{place: p.at(v.key.at), value: v.value.node,
		message: name + " is " + shown(v.value) + `; a hash is "sha256:" and up to 64 hexadecimal digits`,
		fix:     "write the hash in that form"}
	if bareHash().MatchString(v.value.text) {
		f.fix, f.edits = `put "sha256:" before it`, p.document.replace(v.value, "sha256:"+v.value.text)
	}
	p.report(f)
}
