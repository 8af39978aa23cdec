package check

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/secret"
)

// valueContext says where in a server a value stands.
type valueContext struct {
	server string // "server "x"", for messages
	where  string // "desktop.args", "remote.headers"
	key    string // name of the variable or header; "" for an argument
	kind   secret.Kind
	// command says that it is the command of a launch, in which hosts fill in nothing.
	command bool
}

// judgeValue judges a string that the host fills in: an argument, the value of a variable or of a header.
func (b *mcpBlock) judgeValue(v jsontree.Value, ctx valueContext) {
	if !v.Is(jsontree.String) {
		return // a wrong type is the schema's to report
	}
	text := v.Str()
	refs := references(text)
	b.judgeReferences(v, refs, ctx)
	if word := credentialWord(ctx.key); ctx.key != "" && word != "" && !hasReference(refs) {
		b.literalSecret(v, word, ctx)
		return
	}
	b.judgeVariables(v, text, ctx)
	b.judgeMachinePath(v, text, ctx)
}

// judgeReferences reports references that no input answers, each at its own place.
func (b *mcpBlock) judgeReferences(v jsontree.Value, refs []ref, ctx valueContext) {
	if len(refs) == 0 {
		return
	}
	offset := v.Offsets()
	for _, r := range refs {
		_, declared := b.inputs[r.id]
		p := within(v, offset(r.start), offset(r.end))
		switch {
		case r.long:
			b.longReference(p, declared, ctx)
		case !declared:
			message := fmt.Sprintf("%s refers to the input %s in %s, which the manifest does not declare: the host would have nothing to ask the user for", ctx.server, quote(r.id), ctx.where)
			b.add("mcp/undeclared-input", p, message, b.declareOr(r, p, ctx))
		}
	}
}

// longReference reports a reference that the format does not take for one.
func (b *mcpBlock) longReference(p place, declared bool, ctx valueContext) {
	rule := "mcp/reference-unusable"
	if declared {
		rule = "mcp/reference-long"
	}
	b.add(rule, p, fmt.Sprintf("%s has a reference in %s whose id is longer than %d characters: hosts do not take it for a reference and pass it on as it is", ctx.server, ctx.where, maxRefUnits), fix("give the input a shorter id"))
}

// literalSecret reports a value under a name that asks for an input. What the value looks like decides the words: the
// name alone decides the rule.
func (b *mcpBlock) literalSecret(v jsontree.Value, word string, ctx valueContext) {
	b.claim(v)
	b.maskValue(v)
	id := inputID(ctx.key)
	start, end := v.Span()
	edits := append(b.declareInputUnlessThere(id, true), edit{start, end, jsonString(refStart + id + "}")})
	name := fmt.Sprintf("%s of %s (%s)", quote(ctx.key), ctx.server, ctx.where)
	var message string
	verdict := secret.Judge(v.Str(), secret.Context{Key: ctx.key, Kind: ctx.kind}).Verdict
	switch {
	case v.Empty():
		message = name + " is empty: a value of this name has to come from an input, so that the host asks the user for it"
	case verdict == secret.Placeholder:
		message = name + " holds a placeholder, which the server would get as it is: declare an input, so that the host asks the user for the value"
	case verdict == secret.Benign:
		message = fmt.Sprintf("%s has a name that asks for an input, because it contains %q; the value does not look like a credential, but the registry goes by the name", name, word)
	default:
		message = name + " is a literal where a credential belongs: everyone who downloads the package can read it. If it was ever valid, revoke it"
	}
	mend := fmt.Sprintf("write %s as the value and declare the input: `%s`", quote(refStart+id+"}"), inputEntry(id, true))
	if verdict == secret.Benign && !v.Empty() {
		mend = fmt.Sprintf("rename the variable, pass the value as an argument, or use an input: %s and `%s`", quote(refStart+id+"}"), inputEntry(id, true))
	}
	b.add("mcp/literal-secret", at(v), message, fixBy(edits, "%s", mend))
}

// inputID makes an input id from the name of a variable or header: GITHUB_TOKEN becomes github-token.
func inputID(key string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(key) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
		if out.Len() >= maxInputID {
			break
		}
	}
	if id := strings.Trim(out.String(), "-"); id != "" {
		return id
	}
	return "secret"
}

const maxInputID = 60

// inputEntry is how an input is declared.
func inputEntry(id string, password bool) string {
	if password {
		return fmt.Sprintf(`{ "id": %s, "type": "promptString", "description": %s, "password": true }`, jsonString(id), jsonString(inputDescription(id)))
	}
	return fmt.Sprintf(`{ "id": %s, "type": "promptString", "description": %s }`, jsonString(id), jsonString(inputDescription(id)))
}

func inputDescription(id string) string {
	words := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// declareInputUnlessThere is declareInput, and nothing where the input is declared.
func (b *mcpBlock) declareInputUnlessThere(id string, password bool) []edit {
	if _, ok := b.inputs[id]; ok {
		return nil
	}
	return b.declareInput(id, password)
}

// declareInput is the edit that declares an input: put in front of those that are there, or into a new list at the start
// of the block.
func (b *mcpBlock) declareInput(id string, password bool) []edit {
	entry := inputEntry(id, password)
	if list, ok := b.block.Member("inputs"); ok {
		if !list.Value.Is(jsontree.Array) {
			return nil
		}
		start, _ := list.Value.Span()
		separator := ""
		for range list.Value.Elements() { // counting them all, for each of many, would take long
			separator = ", "
			break
		}
		return []edit{{start + 1, start + 1, entry + separator}}
	}
	if !b.block.Is(jsontree.Object) {
		return nil
	}
	start, _ := b.block.Span()
	return []edit{{start + 1, start + 1, ` "inputs": [` + entry + `],`}}
}
