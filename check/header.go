package check

import (
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
)

// blockOf finds the block that a kind needs. Where it is missing, nothing further of the kind can be judged.
func (m *manifest) blockOf(kind string) (jsontree.Value, bool) {
	block := m.root.Get(kind)
	if block.Empty() {
		m.claim(orElse(block, m.root))
		m.add(kind+"/block-missing", opening(orElse(block, m.root)), quoteKind(kind)+" needs a block "+quote(kind), fix("add %s", blockHint[kind]))
		return block, false
	}
	return block, true
}

// blockHint says what to write into a manifest of a kind.
var blockHint = map[string]string{
	"app":    `"app": { "platforms": { … }, "handoffs": [ … ] }`,
	"mcp":    `"mcp": { "servers": [ … ] }`,
	"pack":   `"pack": { "entries": [ … ] }`,
	"skill":  `"skill": { "skills": [ … ] }`,
	"script": `"script": { "interpreter": "…", "entry": "…" }`,
}

func quoteKind(kind string) string { return "a package of kind " + quote(kind) }

// What a header may not carry besides: what would run in the editor's sandbox, and what is for it.
var (
	codeFields    = []string{"entry", "runtime"}
	contentFields = []string{"capabilities", "assets"}
)

// headers are the kinds that are headers alone, each with a block of its name.
var headers = []string{"app", "mcp", "pack", "skill", "script"}

// isForeign reports whether a field of the manifest is one that a package of this kind must not have.
func isForeign(field, kind string) bool {
	return field != kind && slices.Contains(headers, kind) && slices.Contains(slices.Concat(codeFields, contentFields, headers), field)
}

// judgeHeader reports the fields that a header may not carry: what would run in the editor's sandbox, and the blocks of
// other kinds.
func (m *manifest) judgeHeader(kind string) {
	rule := kind + "/header-only"
	for _, name := range codeFields {
		if v := m.root.Get(name); !v.Empty() {
			m.claim(v)
			m.add(rule, opening(v), quoteKind(kind)+" must not declare entry or runtime, which are for code that the editor loads", fix("remove entry and runtime"))
			break
		}
	}
	for _, name := range contentFields {
		if v := m.root.Get(name); !v.Empty() && hasLength(v) {
			m.claim(v)
			m.add(rule, opening(v), quoteKind(kind)+" must not declare "+quote(name), fix("remove %s", quote(name)))
		}
	}
	for _, block := range headers {
		if v := m.root.Get(block); block != kind && !v.Empty() {
			m.claim(v)
			m.add(rule, opening(v), quoteKind(kind)+" must not carry the block of another kind, "+quote(block), fix("remove %s, or submit it as a package of its own", block))
		}
	}
}

// hasLength reports whether a value is a list with something in it, in the wide sense in which the reference asks for a
// length: text has one, and so has an object that claims one.
func hasLength(v jsontree.Value) bool {
	switch v.Kind() {
	case jsontree.Array:
		return v.Len() > 0
	case jsontree.String:
		return len(v.Str()) > 0
	case jsontree.Object:
		n := v.Get("length")
		return !n.Empty() && !strings.HasPrefix(string(n.Raw()), "-")
	default:
		return false
	}
}

// nonEmptyString reports whether a value is a string with at least one character.
func nonEmptyString(v jsontree.Value) bool { return v.Is(jsontree.String) && !v.Empty() }

// blank reports whether a string holds nothing but the white space of ECMAScript.
func blank(s string) bool { return strings.Trim(s, ecmaSpace) == "" }

// ecmaSpace is the white space of ECMAScript, which is not that of Unicode: it has U+FEFF and not U+0085.
const ecmaSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
