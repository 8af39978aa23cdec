package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
	"github.com/azphalt/submissions/secret"
)

// maxVariable bounds the names of variables that are looked for.
const maxVariable = 200

// variables returns the places of `${…}` in a string that are no input references.
func variables(s string) [][2]int {
	var out [][2]int
	for from := 0; ; {
		i := strings.Index(s[from:], "${")
		if i < 0 {
			return out
		}
		start := from + i
		from = start + len("${")
		if strings.HasPrefix(s[start:], refStart) {
			continue
		}
		if length := strings.IndexByte(s[from:min(len(s), from+maxVariable)], '}'); length >= 0 {
			from += length + 1
			out = append(out, [2]int{start, from})
		}
	}
}

// judgeVariables warns of variables that hosts don't fill in: they pass them on as they are.
func (b *mcpBlock) judgeVariables(v jsontree.Value, text string, ctx valueContext) {
	found := variables(text)
	if len(found) == 0 {
		return
	}
	offset := v.Offsets()
	for _, at := range found {
		start, end := offset(at[0]), offset(at[1])
		name, hidden := nameVariable(text[at[0]:at[1]])
		if hidden {
			b.mask(start, end)
		}
		b.add("mcp/variable-unsupported", within(v, start, end),
			fmt.Sprintf("%s uses %s in %s; hosts fill in ${input:…} alone and pass everything else on as it is", ctx.server, name, ctx.where),
			b.supported(text[at[0]:at[1]], start, end, ctx))
	}
}

// variableName finds the name in a variable, behind what says where it comes from: `env:NAME`, `inputs.NAME`,
// `user_config.NAME`, `NAME:-default`.
var variableName = lazyregexp.New(`^\$\{\s*(?:[A-Za-z_]+[:.])?\s*([A-Za-z_][A-Za-z0-9_-]*)\s*(:?[-=?+].*)?\}$`)

// nameVariable shows a variable by its name alone, as what follows it may be a credential. Where the name looks like one
// itself, nothing of it may be seen.
func nameVariable(text string) (shown string, hidden bool) {
	at := variableName().FindStringSubmatchIndex(text)
	switch {
	case secret.Judge(text[len("${"):len(text)-1], secret.Context{}).Verdict == secret.Secret:
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
	if ctx.command {
		mend = b.onPath(v, text)
	}
	b.add("mcp/machine-path", within(v, offset(at[2]), offset(at[3])),
		fmt.Sprintf("%s has a path of one machine in %s: it exists nowhere else, and it may tell a user's name", ctx.server, ctx.where), mend)
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
