package roleblock

import (
	"slices"
	"strconv"
	"strings"
)

// blockRules run for every block, whatever its classification.
var blockRules = []rule{
	{describe("role/duplicate-key", "A key is written twice",
		`The last one wins and the others are lost without a word, so what a reader sees first is not what counts. Keep one.`,
		exampleServer.but("direction: server\n", "direction: server\ntransport: streamable_http\n")),
		func(p *pass) {
			duplicateKeys(p, p.document.root, map[*node]bool{})
		}},

	{describe("role/unknown-key", "A key that a block does not have",
		`Nothing reads it, so what it is meant to say does not happen: a misspelt key counts as a missing one. Some keys are from older
versions, such as allowed_consumers: admission lives in meta/services.yml now.`,
		exampleServer.but("tools:\n", "allowed_consumers: [web-app-assistant]\ntools:\n")),
		func(p *pass) {
			unknownKeys(p, p.block.pairs, blockKeys, "a block")
			for _, sibling := range p.block.siblings {
				p.report(fault{place: p.at(sibling.key.at),
					message: "the key " + keyName(sibling.key) + " stands beside mcp, where only the block is read",
					fix:     "move it below mcp, or remove it"})
			}
			if !p.block.deployable() {
				return
			}
			for _, keys := range sectionKeys {
				if s := p.block.sections[keys.name]; s.open() {
					unknownKeys(p, s.pairs, slices.Concat(keys.required, keys.also), keys.name)
				}
			}
		}},

	{describe("role/not-literal", "A value is a template",
		`The block is read as it stands, by programs that expand no Jinja: the value would be the text between the braces. Only enabled
and shared may carry Jinja, and they are best left out.`,
		exampleServer.but("transport: sse\n", "transport: \"{{ NOTES_TRANSPORT }}\"\n")),
		func(p *pass) {
			w := literalWalk{pass: p, seen: map[*node]bool{}}
			for _, top := range p.block.pairs {
				if name := top.key.text; top.key.kind == mapping || name != "enabled" && name != "shared" {
					w.visit(top.value.node, top.key.at)
				}
			}
		}},
}

// duplicateKeys reports keys that repeat an earlier one of the same mapping.
func duplicateKeys(p *pass, n *node, seen map[*node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	first := map[key]pair{}
	for _, pair := range n.pairs {
		duplicateKeys(p, pair.key.node, seen)
		duplicateKeys(p, pair.value.node, seen)
		k, ok := pair.key.identity()
		if !ok || pair.key.isMerge() {
			continue
		}
		if earlier, has := first[k]; has {
			p.report(fault{place: p.at(pair.key.at),
				message: "the key " + keyName(pair.key) + " is already on line " + strconv.Itoa(p.document.line(earlier.key.at.start)),
				fix:     "keep one of them; as it is, the last one counts"})
			continue
		}
		first[k] = pair
	}
	for _, item := range n.items {
		duplicateKeys(p, item.node, seen)
	}
}

// maxSuggestions is the size up to which a mapping's keys are compared with those that may have been meant.
const maxSuggestions = 500

// unknownKeys reports the keys that are not accepted. The message says what has no such key.
func unknownKeys(p *pass, pairs []pair, accepted []string, what string) {
	var free []string // accepted keys that are not in use
	for _, name := range accepted {
		if !slices.ContainsFunc(pairs, func(q pair) bool { return q.key.isString() && q.key.text == name }) {
			free = append(free, name)
		}
	}
	for _, q := range pairs {
		if q.key.isString() && slices.Contains(accepted, q.key.text) {
			continue
		}
		f := fault{place: p.at(q.key.at), message: what + " has no key " + keyName(q.key), fix: "remove it"}
		if moved := retiredKeys[q.key.text]; moved != "" {
			f.fix = moved
		} else if q.key.isString() && len(pairs) <= maxSuggestions {
			if near, ok := nearest(q.key.text, free); ok {
				f.fix, f.edits = "write "+near, p.document.replace(q.key, near)
			}
		}
		p.report(f)
	}
}

// keyName shows a key in a message.
func keyName(k child) string {
	if k.kind != scalar {
		return "that is itself a collection"
	}
	return quote(k.text)
}

// literalWalk finds templates at any depth. Each node is visited once.
type literalWalk struct {
	*pass
	seen map[*node]bool
}

func (w *literalWalk) visit(n *node, at span) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	switch {
	case n.templated():
		w.report(fault{place: w.at(at),
			message: "the value is a Jinja template, which nobody expands here", fix: "write the value itself"})
	case n.kind == mapping:
		for _, q := range w.document.expand(n).pairs {
			w.visit(q.value.node, q.key.at)
		}
	case n.kind == sequence:
		for _, item := range n.items {
			w.visit(item.node, item.at)
		}
	}
}

// vocabularyRules are about classification and the words that do not depend on it. They, too, run for every block.
var vocabularyRules = []rule{
	{describe("role/classification-missing", "The block does not say what the role is",
		`classification decides which rules hold, so without it the rest is not checked. It is one of native_server, native_client,
native_both, plugin_server, sidecar_server and adapter_server.`,
		exampleClient.but("classification: native_client\n", "")),
		func(p *pass) {
			if at, missing := missingClassification(p.block); missing {
				p.report(fault{place: p.at(at),
					message: "the block has no classification", fix: "add classification: " + oneOf(deployable)})
			}
		}},

	{describe("role/classification-not-deployable", "A role that cannot serve has no block",
		`The word comes from the audit of roles. It says that there is nothing to deploy, so there must be no meta/mcp.yml.`,
		exampleClient.but("classification: native_client\n", "classification: no_surface\n")),
		func(p *pass) {
			if c := p.block.classification; c.is(auditOnly...) {
				p.report(fault{place: p.at(c.key.at),
					message: quote(c.text) + " is a verdict of the audit; a role with it is not deployed with MCP",
					fix:     "delete meta/mcp.yml, or write " + oneOf(deployable)})
			}
		}},

	{describe("role/classification-invalid", "No such classification",
		`See classification-missing for the six that there are.`,
		exampleServer.but("native_server", "native_sever")),
		func(p *pass) {
			if c := p.block.classification; c.state == undetermined && !c.value.isNull() {
				p.judgeWord(c, deployable)
			}
		}},

	{describe("role/direction-invalid", "No such direction",
		`A role is a server, a client or both.`,
		exampleClient.but("direction: client", "direction: consumer")),
		func(p *pass) { p.judgeWord(p.block.direction, directions) }},

	{describe("role/transport-invalid", "No such transport",
		`An endpoint speaks streamable_http or sse. A stdio server is a process that its client starts, with the client's files and
network and no endpoint that could be authenticated, routed or probed; it is never deployed.`,
		exampleServer.but("transport: sse", "transport: stdio")),
		func(p *pass) { p.judgeWord(p.block.transport, transports) }},

	{describe("role/exposure-invalid", "No such exposure",
		`An endpoint is internal to the container network or public on the role's vhost.`,
		exampleServer.but("exposure: internal", "exposure: intern")),
		func(p *pass) { p.judgeWord(p.block.exposure, exposures) }},

	{describe("role/auth-invalid", "No such way to authenticate",
		`The ways are oidc, app_password, basic_auth, bearer_token, upstream_session and none.`,
		exampleServer.but("auth: app_password", "auth: app-password")),
		func(p *pass) { p.judgeWord(p.block.auth, auths) }},

	{describe("role/auth-subject-invalid", "No such subject",
		`The subject is whom the server acts as: the user, a service_account, an administrator or none.`,
		exampleServer.but("auth_subject: service_account", "auth_subject: robot")),
		func(p *pass) { p.judgeWord(p.block.subject, authSubjects) }},

	{describe("role/implementation-invalid", "No such implementation",
		`The implementation is native, plugin, sidecar, adapter or external.`,
		exampleServer.but("implementation: native\ncredential", "implementation: built-in\ncredential")),
		func(p *pass) {
			p.judgeWord(p.block.implementation, implementations)
		}},
}

// missingClassification says where a missing classification is reported.
func missingClassification(b *block) (at span, missing bool) {
	switch c := b.classification; {
	case c.state != absent:
		return c.key.at, c.value.isNull()
	case b.wrapper != nil:
		return b.wrapper.key.at, true
	case b.root == nil, b.root.kind == scalar && b.root.text == "": // nothing but comments
		return span{}, true
	case b.root.kind == mapping && len(b.root.pairs) > 0:
		return b.root.pairs[0].key.at, true
	}
	return b.root.at, true
}

// judgeWord reports a value that is there and is none of the words.
func (p *pass) judgeWord(c choice, words []string) {
	if c.state != undetermined || c.value.templated() {
		return
	}
	f := fault{place: p.at(c.key.at), value: c.value.node}
	f.fix, f.edits = p.document.suggest(c.value, words)
	f.message = notAWord(c.key.text, c.value, words)
	p.report(f)
}

// notAWord says that a value is none of the words.
func notAWord(name string, v child, words []string) string {
	subject := name + " is " + shown(v)
	if v.kind == scalar && v.text == "stdio" {
		return subject + ", which has no endpoint to deploy; it must be " + oneOf(words)
	}
	return subject + "; it must be " + oneOf(words)
}

// shown describes a value in a message.
func shown(v child) string {
	switch {
	case v.kind == mapping:
		return "a mapping"
	case v.kind == sequence:
		return "a list"
	case v.isNull():
		return "empty"
	case v.isString():
		return quote(v.text)
	case v.typ() == typeBool:
		return "the boolean " + strings.ToLower(v.text)
	case v.typ() == typeInt && len(v.text) < 20:
		return "the number " + v.text
	}
	return "no text but " + quote(v.text)
}
