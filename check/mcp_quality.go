package check

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
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
		b.add("mcp/variable-unsupported", within(v, offset(at[0]), offset(at[1])),
			fmt.Sprintf("%s uses %s in %s; hosts fill in ${input:…} alone and pass everything else on as it is", ctx.server, quote(text[at[0]:at[1]]), ctx.where),
			fix("declare an input and write ${input:ID}"))
	}
}

// machinePath finds paths that hold on the author's machine alone: home folders and Windows drives.
var machinePath = lazyregexp.New(`(?:^|[=,;:\s"'])((?:/Users/|/home/|/root/)[^/\s"']*|[A-Za-z]:[\\/][^\\/\s"']*)`)

// judgeMachinePath warns of the author's own paths. They work nowhere else, and tell the author's name.
func (b *mcpBlock) judgeMachinePath(v jsontree.Value, text string, ctx valueContext) {
	at := machinePath().FindStringSubmatchIndex(text)
	if at == nil {
		return
	}
	offset := v.Offsets()
	b.add("mcp/machine-path", within(v, offset(at[2]), offset(at[3])),
		fmt.Sprintf("%s has a path of one machine in %s: it exists nowhere else, and it may tell a user's name", ctx.server, ctx.where),
		fix("ask for the path with an input, or use a command that is found on the PATH"))
}

// judgeCommand judges the command of a desktop launch.
func (b *mcpBlock) judgeCommand(name string, desktop jsontree.Value) {
	for _, command := range all(desktop, "command") {
		if !command.Is(jsontree.String) {
			continue
		}
		ctx := valueContext{server: name, where: "desktop.command"}
		text := command.Str()
		b.judgeMachinePath(command, text, ctx)
		b.judgeVariables(command, text, ctx)
		if len(references(text)) > 0 {
			b.add("mcp/command-reference", at(command), name+" has an input reference in its command; hosts fill in inputs in args, env and headers alone", fix("name the program, and pass what the user enters as an argument"))
		}
	}
}

// blessedGrants are the grants that the format names. Others are allowed: the vocabulary is open.
var blessedGrants = []string{"fs:read", "fs:write", "net", "env", "exec"}

// judgeGrants warns of grants that no host may know. Grants are what the user permits the server; they have nothing to do
// with the capabilities of an editor extension.
func (b *mcpBlock) judgeGrants(name string, grants jsontree.Value) {
	for _, g := range grants.Elements() {
		if !g.Is(jsontree.String) || slices.Contains(blessedGrants, g.Str()) {
			continue
		}
		message := name + " asks for the grant " + quote(g.Str()) + ", which is not one of " + strings.Join(blessedGrants, ", ") + ": hosts may not know it"
		b.add("mcp/grant-unknown", at(g), message, choose(g, blessedGrants, "use one of them where it fits"))
	}
}

// templateBrace finds the braces of another templating language in a URL.
var templateBrace = lazyregexp.New(`(?:^|[^$])(\{[^}]*\}?)`)

// judgeURL judges the address of a server or module.
func (b *mcpBlock) judgeURL(name, field string, v jsontree.Value) {
	if !nonEmptyString(v) || b.isClaimed(v) {
		return
	}
	text := v.Str()
	if refs := references(text); len(refs) > 0 {
		b.urlReferences(name, field, v, text, refs)
		return
	}
	if at := templateBrace().FindStringSubmatchIndex(text); at != nil {
		offset := v.Offsets()
		b.add("mcp/url-invalid", within(v, offset(at[2]), offset(at[3])), fmt.Sprintf("%s has %s in its %s, which nothing fills in: the address leads nowhere", name, quote(text[at[2]:at[3]]), field), fix("write the address out"))
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "" && u.Host == "" && isHTTP(u.Scheme):
		b.add("mcp/url-invalid", at(v), "the "+field+" of "+name+" is not a URL", fix("write an address that starts with https://"))
	case !isHTTP(u.Scheme):
		b.add("mcp/url-invalid", at(v), fmt.Sprintf("the %s of %s has to start with https:// (or http:// for a loopback address)", field, name), fix("write an address that starts with https://"))
	case strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()):
		b.add("mcp/url-not-https", at(v), fmt.Sprintf("the %s of %s is not encrypted: whoever is on the way can read and change what is sent", field, name), fix("use https://"))
	}
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") || ip != nil && ip.IsLoopback()
}

// urlReferences reports references in a URL, which hosts need not fill in. One that no input answers leaves a wrong
// address for certain, unless the whole host is left to the user.
func (b *mcpBlock) urlReferences(name, field string, v jsontree.Value, text string, refs []ref) {
	offset := v.Offsets()
	for _, r := range refs {
		p := within(v, offset(r.start), offset(r.end))
		_, declared := b.inputs[r.id]
		if _, path, ok := strings.Cut(text[:r.start], "://"); !declared && ok && path != "" {
			b.add("mcp/url-undeclared-input", p, fmt.Sprintf("%s refers to the input %s in its %s, which the manifest does not declare: the address leads nowhere", name, quote(r.id), field),
				fixBy(b.declareInput(r.id, false), "declare it: add `%s` to inputs", inputEntry(r.id, false)))
			continue
		}
		b.add("mcp/url-reference", p, fmt.Sprintf("%s has an input reference in its %s; the format has hosts fill in inputs in args, env and headers alone", name, field),
			fix("pass what the user enters in a header, or write the address out"))
	}
}

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
	seen := map[string]bool{}
	for _, e := range list.Elements() {
		id := e.Get("id")
		if !nonEmptyString(id) {
			continue
		}
		if seen[id.Str()] {
			b.add(rule, at(id), fmt.Sprintf("the id %s is that of an earlier %s: readers disagree about which one counts", quote(id.Str()), what), fix("give it an id of its own"))
		}
		seen[id.Str()] = true
	}
}

func (b *mcpBlock) judgeInput(in jsontree.Value) {
	id, kind, def := in.Get("id"), in.Get("type"), in.Get("default")
	if !nonEmptyString(id) && !id.Exists() {
		b.add("mcp/input-id", opening(in), "an input needs an id, by which ${input:ID} refers to it", fix(`add "id", or remove the input`))
	}
	if kind.Is(jsontree.String) && !slices.Contains(inputTypes, kind.Str()) {
		b.add("mcp/input-type", at(kind), "no host knows the input type "+quote(kind.Str()), choose(kind, inputTypes, `write "promptString"`))
	}
	secret := in.Get("password").Is(jsontree.True) || credentialWord(id.Str()) != ""
	if secret && nonEmptyString(def) {
		b.claim(def)
		b.maskValue(def)
		b.add("mcp/input-default", at(def), "the input "+quote(id.Str())+" asks for a credential, and its default is one that everyone who downloads the package can read", fix("remove the default"))
	}
}
