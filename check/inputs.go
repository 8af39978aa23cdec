package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/secret"
)

// inputTypes are the types of inputs that hosts know.
var inputTypes = []string{"promptString", "pickString", "command"}

// judgeInputs judges the inputs of the block, and that ids are not given twice.
func (b *mcpBlock) judgeInputs() {
	for _, list := range all(b.block, "inputs") {
		b.duplicateIDs(list, "mcp/duplicate-input", "input")
		for _, in := range list.Elements() {
			if in.Is(jsontree.Object) {
				b.judgeInput(in)
			}
		}
	}
	for _, list := range all(b.block, "servers") {
		b.duplicateIDs(list, "mcp/duplicate-server", "server")
	}
}

func (b *mcpBlock) duplicateIDs(list jsontree.Value, rule, what string) {
	first := map[string]jsontree.Value{}
	all := elements(list)
	for i, e := range all {
		id := e.Get("id")
		if !nonEmptyString(id) {
			continue
		}
		if before, there := first[id.Str()]; there {
			mend := fix("give it an id of its own")
			if bytes.Equal(before.Raw(), e.Raw()) {
				mend = fixBy([]edit{removeElement(all, i)}, "remove one of the two, which are the same")
			}
			b.add(rule, at(id), fmt.Sprintf("the id %s is that of an earlier %s: readers disagree about which one counts", quote(id.Str()), what), mend)
			continue
		}
		first[id.Str()] = e
	}
}

func (b *mcpBlock) judgeInput(in jsontree.Value) {
	id, kind, def := in.Get("id"), in.Get("type"), in.Get("default")
	if !id.Exists() || id.Is(jsontree.String) && id.Empty() { // another type is the schema's to report
		b.add("mcp/input-id", opening(orElse(id, in)), "an input needs an id, by which ${input:ID} refers to it", fix(`add "id", or remove the input`))
	}
	if kind.Is(jsontree.String) && !slices.Contains(inputTypes, kind.Str()) {
		b.add("mcp/input-type", at(kind), "no host knows the input type "+quote(kind.Str()), nearestInputType(kind))
	}
	isSecret := in.Get("password").Is(jsontree.True) || credentialWord(id.Str()) != ""
	if isSecret && nonEmptyString(def) {
		b.claim(def)
		b.maskValue(def)
		b.add("mcp/input-default", at(def), "the input "+quote(id.Str())+" asks for a credential, and its default is one that everyone who downloads the package can read",
			fixBy(removeMember(in, "default"), "remove the default"))
	}
}

// plainTypes are what other formats call an input that the user types.
var plainTypes = []string{"", "input", "prompt", "string", "text"}

func nearestInputType(kind jsontree.Value) option {
	if !slices.Contains(plainTypes, strings.ToLower(kind.Str())) {
		return choose(kind, inputTypes, `write "promptString"`)
	}
	start, end := kind.Span()
	return fixBy([]edit{{start, end, `"promptString"`}}, `write "promptString"`)
}

// usedInputs returns the ids of the inputs that something in the manifest refers to: also in places where hosts fill
// nothing in, as their author counted on it.
func usedInputs(root jsontree.Value) map[string]bool {
	used := map[string]bool{}
	root.Walk(func(name, v jsontree.Value) bool {
		for _, text := range []jsontree.Value{name, v} {
			if text.Is(jsontree.String) {
				useInputs(used, text.Str())
			}
		}
		return name.Str() != "files" && name.Str() != "inputs"
	})
	return used
}

// useInputs notes the inputs that a text refers to, or was meant to: in a reference within a reference, or without its brace.
func useInputs(used map[string]bool, text string) {
	for _, r := range references(text) {
		used[r.id] = true
		if i := strings.LastIndex(r.id, refStart); i >= 0 {
			used[r.id[i+len(refStart):]] = true
		}
	}
	for _, at := range variables(text) {
		if id, ok := strings.CutPrefix(text[at[0]:at[1]], refStart); ok {
			used[id] = true
		}
	}
}

// noteAsked remembers the inputs that are asked for a credential, by where they are used.
func (m *manifest) noteAsked(v jsontree.Value, parts []secret.Part, ctx secret.Context) {
	if len(parts) == 0 || m.servers == nil {
		return
	}
	where := quote(ctx.Key)
	if ctx.Kind == secret.Arg {
		where = "an argument"
	}
	i := 0
	for _, r := range references(v.Str()) {
		for i < len(parts) && parts[i].End <= r.start {
			i++
		}
		if i < len(parts) && parts[i].Start <= r.start && m.servers.asked[r.id] == "" {
			m.servers.asked[r.id] = where
		}
	}
}

// judgeInputUse judges the inputs by where they are used: not at all, or in the place of a credential.
func (b *mcpBlock) judgeInputUse() {
	for _, list := range all(b.block, "inputs") {
		inputs := elements(list)
		for i, in := range inputs {
			id := in.Get("id")
			if !nonEmptyString(id) {
				continue
			}
			if where := b.asked[id.Str()]; where != "" && !in.Get("password").Is(jsontree.True) && in.Get("type").Str() != "pickString" {
				b.add("mcp/input-not-hidden", at(id), fmt.Sprintf("the input %s becomes a credential, in %s, but the host shows what the user types, and may keep it in the clear", quote(id.Str()), where),
					fixBy(b.setMember(in, "password", "true"), `add "password": true`))
			}
			if !b.used[id.Str()] && !b.meant[id.Str()] {
				b.add("mcp/unused-input", at(id), "nothing refers to the input "+quote(id.Str())+": the user would be asked for a value that goes nowhere",
					fixBy(b.removeInput(inputs, i), "remove it, or write %s where it belongs", quote(refStart+id.Str()+"}")))
			}
		}
	}
}

func elements(list jsontree.Value) []jsontree.Value {
	var out []jsontree.Value
	for _, e := range list.Elements() {
		out = append(out, e)
	}
	return out
}

// removeInput is the edit that takes an input out of its list, and with the only one the list.
func (b *mcpBlock) removeInput(inputs []jsontree.Value, i int) []edit {
	if len(inputs) == 1 {
		return removeMember(b.block, "inputs")
	}
	return []edit{removeElement(inputs, i)}
}

// maxMeant bounds the references for which the input that was meant is looked for.
const maxMeant = 200

// declareOr is the mend of a reference that no input answers: the input that was meant, where one of nearly that id has
// nothing that refers to it, or one more.
func (b *mcpBlock) declareOr(r ref, p place, ctx valueContext) option {
	if isToken(r.id) {
		return fix("a reference holds the id of an input, and no credential: everyone who downloads the package could read it. Revoke it, and write the id of an input in its place")
	}
	if strings.Contains(r.id, refStart) {
		return fix("write one reference: hosts fill in none within another")
	}
	if b.searched++; b.searched <= maxMeant {
		if near := nearest(r.id, b.unused); near != "" {
			b.meant[near] = true
			quoted := jsonString(refStart + near + "}")
			return fixBy([]edit{{p.start, p.end, quoted[1 : len(quoted)-1]}}, "write %s, which is declared", quote(refStart+near+"}"))
		}
	}
	hidden := secret.CredentialName(r.id) || ctx.key != "" && secret.CredentialName(ctx.key)
	in := input{r.id, hidden}
	return b.mendWith([]input{in}, nil, "declare it: add `%s` to inputs", in.entry())
}

// unusedInputs returns the ids of inputs that nothing refers to, as many as suggestions are made from.
func unusedInputs(block jsontree.Value, used map[string]bool) []string {
	var ids []string
	for _, list := range all(block, "inputs") {
		for _, in := range list.Elements() {
			if id := in.Get("id"); nonEmptyString(id) && !used[id.Str()] && len(ids) < maxSuggestCandidates {
				ids = append(ids, id.Str())
			}
		}
	}
	return ids
}
