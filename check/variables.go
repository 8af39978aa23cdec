package check

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
	"github.com/azphalt/submissions/secret"
)

// maxVariable bounds the names of variables that are looked for.
const maxVariable = 200

// variables returns the places of what stands for something else in a string and is no input reference: variables of other
// programs, and references that lack their id or their brace.
func variables(s string) [][2]int {
	out := braced(s)
	rest := []byte(s)
	for _, at := range out {
		strike(rest[at[0]:at[1]])
	}
	for _, r := range references(s) {
		strike(rest[r.start:r.end])
	}
	known := len(out)
	for _, at := range otherVariable().FindAllSubmatchIndex(rest, -1) {
		out = append(out, [2]int{at[2], at[3]})
		strike(rest[at[2]:at[3]])
	}
	if bytes.ContainsFunc(rest, unicode.IsSpace) {
		return out[:known] // it may be a script, whose shell fills them in, or a template that the server itself fills in
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[0] - b[0] })
	return out
}

// otherVariable finds variables as shells, Windows and templates spell them: `$NAME`, `%NAME%`, `{{name}}`. The first two are
// in capitals: what is not is more often a pattern or a part of a password.
var otherVariable = lazyregexp.New(`(?:^|[\s"'=:/@,;])(\$[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]{2,}%|\{\{\s*[A-Za-z_][A-Za-z0-9_.-]*\s*\}\})`)

// strike takes the place of a part that is known already.
func strike(part []byte) {
	for i := range part {
		part[i] = '/'
	}
}

// braced returns the places of `${…}` in a string that are no input references.
func braced(s string) [][2]int {
	var out [][2]int
	last := strings.LastIndexByte(s, '}')
	for from := 0; ; {
		i := strings.Index(s[from:], "${")
		if i < 0 {
			return out
		}
		start := from + i
		from = start + len("${")
		if id, ok := strings.CutPrefix(s[start:], refStart); ok {
			from = start + len(refStart)
			switch {
			case strings.HasPrefix(id, "}"):
				from++
				out = append(out, [2]int{start, from})
			case last < from:
				from += nameLength(id)
				out = append(out, [2]int{start, from})
			}
			continue
		}
		if length := strings.IndexByte(s[from:min(len(s), from+maxVariable)], '}'); length >= 0 {
			from += length + 1
			out = append(out, [2]int{start, from})
		}
	}
}

// nameLength returns the length of the name that s starts with.
func nameLength(s string) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); end >= 0 {
		return end
	}
	return len(s)
}

// judgeVariables warns of variables that hosts don't fill in: they pass them on as they are.
func (b *mcpBlock) judgeVariables(v jsontree.Value, text string, ctx valueContext) {
	found := variables(text)
	if len(found) == 0 {
		return
	}
	offset := v.Offsets()
	credentials := slices.DeleteFunc(secret.Judge(text, secret.Context{Key: ctx.key, Kind: ctx.kind}).Matches, func(m secret.Match) bool { return m.Verdict != secret.Secret })
	for _, at := range found {
		for len(credentials) > 0 && credentials[0].End <= at[0] {
			credentials = credentials[1:]
		}
		if len(credentials) > 0 && credentials[0].Start < at[1] {
			continue // the credential in it is the finding
		}
		start, end := offset(at[0]), offset(at[1])
		if strings.HasPrefix(text[at[0]:], refStart) {
			b.brokenReference(within(v, start, end), text[at[0]:at[1]], ctx)
			continue
		}
		name, hidden := nameVariable(text[at[0]:at[1]])
		if hidden {
			b.mask(start, end)
		}
		b.add("mcp/variable-unsupported", within(v, start, end),
			fmt.Sprintf("%s uses %s in %s; hosts fill in ${input:…} alone and pass everything else on as it is", ctx.server, name, ctx.where),
			b.supported(text[at[0]:at[1]], start, end, ctx))
	}
}

// brokenReference warns of what was meant for an input reference and is none.
func (b *mcpBlock) brokenReference(p place, text string, ctx valueContext) {
	message := fmt.Sprintf("%s has a reference without an id in %s: hosts do not take it for one and pass it on as it is", ctx.server, ctx.where)
	mend := fix("write the id of an input between the colon and the brace")
	if id := text[len(refStart):]; id != "}" {
		message = fmt.Sprintf("%s has a reference in %s that no brace closes: hosts do not take it for one and pass it on as it is", ctx.server, ctx.where)
		mend = fix("close it with a brace, as in ${input:ID}")
		if _, declared := b.inputs[id]; declared {
			mend = fixBy([]edit{{p.end, p.end, "}"}}, "write %s", quote(text+"}"))
		}
	}
	b.add("mcp/variable-unsupported", p, message, mend)
}

// judgeName warns of references in the name of a variable or a header: hosts fill in values alone.
func (b *mcpBlock) judgeName(name jsontree.Value, ctx valueContext) {
	refs := references(name.Str())
	if len(refs) == 0 {
		return
	}
	offset := name.Offsets()
	b.add("mcp/variable-unsupported", within(name, offset(refs[0].start), offset(refs[0].end)),
		fmt.Sprintf("%s has an input reference in a name in %s; hosts fill in inputs in values alone", ctx.server, ctx.where), fix("write the name out, and refer to the input in its value"))
}

// variableName finds the name in a variable, behind what says where it comes from: `env:NAME`, `inputs.NAME`,
// `user_config.NAME`, `NAME:-default`.
var variableName = lazyregexp.New(`^(?:[$%<]?\{*)\s*(?:[A-Za-z_]+[:.])?\s*([A-Za-z_][A-Za-z0-9_-]*)\s*(:?[-=?+].*)?(?:\}+|%|>)?$`)

// nameVariable shows a variable by its name alone, as what follows it may be a credential. Where the name looks like one
// itself, nothing of it may be seen.
func nameVariable(text string) (shown string, hidden bool) {
	at := variableName().FindStringSubmatchIndex(text)
	switch {
	case secret.Judge(strings.Trim(text, "${}%<>"), secret.Context{}).Verdict == secret.Secret:
		return "a variable", true
	case at == nil:
		return "a variable", false
	case at[4] >= 0:
		return quote(text[:at[4]] + "…}"), false
	default:
		return quote(text), false
	}
}

// supported is the mend of a variable: the input that comes nearest to it, which is declared where it is not there.
func (b *mcpBlock) supported(text string, start, end int, ctx valueContext) option {
	if ctx.command {
		return fix("name a program that is found on the PATH, and pass what the user enters as an argument")
	}
	at := variableName().FindStringSubmatchIndex(text)
	if _, hidden := nameVariable(text); hidden || at == nil || at[4] >= 0 {
		return fix("declare an input and write ${input:ID}")
	}
	name := text[at[2]:at[3]]
	id := secret.InputID(name)
	if _, ok := b.inputs[name]; ok {
		id = name
	}
	in := input{id, secret.CredentialName(name) || ctx.key != "" && secret.CredentialName(ctx.key)}
	quoted := jsonString(in.reference())
	edits := []edit{{start, end, quoted[1 : len(quoted)-1]}}
	if _, ok := b.inputs[id]; ok {
		return fixBy(edits, "write %s: the input is declared", quoted)
	}
	return b.mendWith([]input{in}, edits, "write %s", in.said())
}

// machinePath finds paths that hold on the author's machine alone: home folders, drives of Windows, and where other
// systems mount those.
var machinePath = lazyregexp.New(`(?:^|[=,;:\s"']|file://)(` +
	`(?:/Users/|/home/|/root/|/Volumes/|/mnt/[A-Za-z]/)[^/\s"']*` +
	`|[A-Za-z]:[\\/][^\\/\s"']*|\\\\[^\\/\s"']+\\[^\\/\s"']+)`)

// pathProgram finds the program at the end of a path.
var pathProgram = lazyregexp.New(`[\\/]([A-Za-z0-9_.+-]+)$`)

// judgeMachinePath warns of the author's own paths. They work nowhere else, and tell the author's name.
func (b *mcpBlock) judgeMachinePath(v jsontree.Value, text string, ctx valueContext) {
	at := machinePath().FindStringSubmatchIndex(text)
	if at == nil {
		return
	}
	offset := v.Offsets()
	mend := fix("ask for the path with an input, or have the server find it by itself")
	switch {
	case ctx.command:
		mend = b.onPath(v, text)
	case ctx.kind == secret.Env && ctx.key != "" || ctx.own:
		mend = b.askForPath(v, text, at[2], ctx, mend)
	}
	b.add("mcp/machine-path", within(v, offset(at[2]), offset(at[3])),
		fmt.Sprintf("%s has a path of one machine in %s: it exists nowhere else, and it may tell a user's name", ctx.server, ctx.where), mend)
}

// ownPath finds an argument or value that is a path as a whole, but for the option in front of it.
var ownPath = lazyregexp.New(`^(?:--?([A-Za-z][A-Za-z0-9_-]*)=)?((?:/|[A-Za-z]:[\\/])[^\s"'=:,;$%]*)$`)

// askForPath is the mend of a path that the server is given: an input that asks for it. A path to code is none that the user
// could know.
func (b *mcpBlock) askForPath(v jsontree.Value, text string, from int, ctx valueContext, otherwise option) option {
	found := ownPath().FindStringSubmatchIndex(text)
	if found == nil || found[4] != from || isCode(text[from:]) || slices.Contains(codeExtensions, strings.ToLower(path.Ext(text))) {
		return otherwise
	}
	name := ctx.key
	if name == "" && found[2] >= 0 {
		name = text[found[2]:found[3]]
	}
	if name == "" {
		name = "path"
	}
	in := input{b.names.of(secret.InputID(name), text[from:]), false}
	if _, taken := b.inputs[in.id]; taken || secret.CredentialName(name) {
		return otherwise
	}
	offset, quoted := v.Offsets(), jsonString(in.reference())
	return b.mendWith([]input{in}, []edit{{offset(from), offset(len(text)), quoted[1 : len(quoted)-1]}}, "ask for the path with an input: write %s", in.said())
}

// interpreters are programs that everyone who can run a server has on the PATH.
var interpreters = []string{"node", "npx", "npm", "bun", "bunx", "deno", "python", "python3", "uv", "uvx", "pipx", "docker", "podman", "java", "ruby", "go", "dotnet"}

// onPath is the mend of a command with a path: the program by its name, where that is one of a known kind.
func (b *mcpBlock) onPath(v jsontree.Value, text string) option {
	name := pathProgram().FindStringSubmatch(text)
	if name == nil {
		return fix("use a command that is found on the PATH")
	}
	program := strings.TrimSuffix(strings.ToLower(name[1]), ".exe")
	if !slices.Contains(interpreters, program) || isVirtual().MatchString(text) {
		return fix("use a command that is found on the PATH, such as %s", quote(name[1]))
	}
	start, end := v.Span()
	return fixBy([]edit{{start, end, jsonString(program)}}, "write %s, which is found on the PATH", quote(program))
}

// isVirtual finds a virtual environment of Python, which has packages of its own: the program elsewhere is another one.
var isVirtual = lazyregexp.New(`(?i)[\\/](?:\.?venv|env|virtualenvs|envs|conda|miniconda3?)[\\/]`)
