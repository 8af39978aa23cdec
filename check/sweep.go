package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/secret"
)

// sweepMinimum is the length in UTF-16 units from which a literal under a credential's name blocks a package.
const sweepMinimum = 8

// judgeSecrets is the secret scan of the sweep (the format, section 6): a literal under a credential's name, anywhere in
// the manifest outside files.
func (m *manifest) judgeSecrets() {
	m.root.Walk(func(name, v jsontree.Value) bool {
		key := name.Str()
		if key == "files" {
			return false
		}
		if v.Is(jsontree.String) && name.Exists() {
			m.sweepValue(key, v)
		}
		return true
	})
}

func (m *manifest) sweepValue(key string, v jsontree.Value) {
	word := credentialWord(key)
	if word == "" || m.isClaimed(v) {
		return
	}
	text := v.Str()
	if jsontree.UTF16Len(text) < sweepMinimum || hasReference(references(text)) || len(text) >= 7 && strings.EqualFold(text[:7], "sha256-") {
		return
	}
	m.claim(v)
	m.maskValue(v)
	var message string
	verdict := secret.Judge(text, secret.Context{Key: key}).Verdict
	switch verdict {
	case secret.Placeholder:
		message = fmt.Sprintf("%s holds a placeholder under the name of a credential", quote(key))
	case secret.Benign:
		message = fmt.Sprintf("%s has a name that is kept for credentials, because it contains %q; the value does not look like one, but the registry goes by the name", quote(key), word)
	default:
		message = quote(key) + " is a literal where a credential belongs: everyone who downloads the package can read it. If it was ever valid, revoke it"
	}
	m.add("sweep/secret", at(v), message, m.sweepMend(key, v, verdict))
}

// sweepMend is the mend of a literal under a credential's name. A value that is no credential is for its author to move.
func (m *manifest) sweepMend(key string, v jsontree.Value, verdict secret.Verdict) option {
	const words = "remove the value, rename the field, or let the host ask for the value"
	start, end := v.Span()
	switch {
	case verdict == secret.Benign:
		return fix(words)
	case m.kind != "mcp":
		return fixBy([]edit{{start, end, `""`}}, words)
	}
	b := m.serverBlock()
	in := input{b.names.of(secret.InputID(key), v.Str()), true}
	return b.mendWith([]input{in}, []edit{{start, end, jsonString(in.reference())}}, "%s: write %s", words, in.said())
}

// capabilities is the whole capability model: what an extension can be granted in the editor. Grants of an MCP server are
// another vocabulary.
var capabilities = []string{"canvas", "layers", "bitmap", "selection", "color", "params", "assets", "time", "audio", "storage"}

// judgeCapabilities is the capability scope and the capability audit of the sweep.
func (m *manifest) judgeCapabilities() {
	list := m.root.Get("capabilities")
	if m.isClaimed(list) {
		return // a header carries none, which has been said
	}
	if m.manifestPath == "" && list.Empty() && list.Exists() && !list.Is(jsontree.Null) {
		// The sweep goes through the list of a package without asking whether it is one.
		m.claim(list)
		m.add("manifest/type", at(list), "capabilities is "+list.Kind().String()+"; want an array of strings", fix("write the capabilities as a list, or remove the field"))
	}
	for _, c := range list.Elements() {
		if !c.Is(jsontree.String) || !slices.Contains(capabilities, c.Str()) {
			m.claim(c)
			message := "no host can grant the capability " + describe(c) + "; the capabilities are " + strings.Join(capabilities, ", ")
			m.add("sweep/capability-scope", opening(c), message, choose(c, capabilities, "remove it"))
		}
	}
	if (m.kind == "code" || m.kind == "mixed") && hasLength(list) && !m.contributes() {
		m.add("sweep/capability-audit", opening(list), "the package asks for capabilities, yet contributes no filter, tool, command or transition that could use them", fix("declare what the code contributes, or drop the capabilities"))
	}
}

func (m *manifest) contributes() bool {
	for _, point := range []string{"filters", "tools", "commands", "transitions"} {
		if hasLength(m.root.Get("contributes", point)) {
			return true
		}
	}
	return false
}
