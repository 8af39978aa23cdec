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
	// own says that it is an argument for the server itself, not for what starts it.
	own bool
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
	name := fmt.Sprintf("%s of %s (%s)", quote(ctx.key), ctx.server, ctx.where)
	var message string
	result := secret.Judge(v.Str(), secret.Context{Key: ctx.key, Kind: ctx.kind})
	switch {
	case v.Empty():
		message = name + " is empty: a value of this name has to come from an input, so that the host asks the user for it"
	case result.Verdict == secret.Placeholder:
		message = name + " holds a placeholder, which the server would get as it is: declare an input, so that the host asks the user for the value"
	case result.Verdict == secret.Benign:
		message = fmt.Sprintf("%s has a name that asks for an input, because it contains %q; the value does not look like a credential, but the registry goes by the name", name, word)
	default:
		message = name + " is a literal where a credential belongs: everyone who downloads the package can read it. If it was ever valid, revoke it"
	}
	b.add("mcp/literal-secret", at(v), message, b.inputInstead(v, result, ctx))
}

// inputInstead is the mend of a value under a name that asks for an input: inputs in the place of its credentials, so that
// a word such as Bearer stays, or one in the place of all of it.
func (b *mcpBlock) inputInstead(v jsontree.Value, result secret.Result, ctx valueContext) option {
	var inputs []input
	var edits []edit
	var said []string
	offset := v.Offsets()
	for _, match := range result.Matches {
		in := input{b.names.of(match.InputID, v.Str()[match.Start:match.End]), true}
		inputs, said = append(inputs, in), append(said, in.said())
		edits = append(edits, edit{offset(match.Start), offset(match.End), in.reference()})
	}
	if len(edits) == 0 {
		in := input{b.names.of(secret.InputID(ctx.key), v.Str()), true}
		inputs, said = append(inputs, in), append(said, in.said())
		start, end := v.Span()
		edits = append(edits, edit{start, end, jsonString(in.reference())})
	}
	if result.Verdict == secret.Benign && !v.Empty() {
		return b.mendWith(inputs, edits, "rename the variable, pass the value as an argument, or use an input: %s", strings.Join(said, "; "))
	}
	return b.mendWith(inputs, edits, "write %s", strings.Join(said, "; "))
}
