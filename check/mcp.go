package check

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/secret"
)

// judgeMCP runs the rules of kind "mcp" (the format, section 4).
func (m *manifest) judgeMCP() {
	block, ok := m.blockOf("mcp")
	if !ok {
		return
	}
	m.judgeHeader("mcp")
	servers := block.Get("servers")
	if !servers.Is(jsontree.Array) || servers.Len() == 0 {
		m.claim(orElse(servers, block))
		m.add("mcp/no-servers", opening(orElse(servers, block)), `an mcp package needs "servers", an array with at least one server`, fix(`add "servers": [ { "id": "…", … } ]`))
		return
	}
	s := m.serverBlock()
	for _, list := range all(block, "servers") {
		for i, server := range list.Elements() {
			s.judgeServer(i, server)
		}
	}
	s.judgeInputs()
	m.judgePayload()
}

// mcpBlock is the mcp block while it is judged.
type mcpBlock struct {
	*manifest
	block  jsontree.Value
	inputs map[string]jsontree.Value // declared inputs by id
	starts []start                   // the command lines of the servers
	pinned map[string]string         // see notePinned

	names    inputNames        // of the inputs that mends declare
	used     map[string]bool   // ids of the inputs that something refers to
	asked    map[string]string // where the inputs are used that are asked for credentials, by id
	unused   []string          // ids of inputs that nothing refers to
	meant    map[string]bool   // those of them that a reference to another id may have meant
	searched int               // references for which that was looked for
}

// serverBlock returns the mcp block.
func (m *manifest) serverBlock() *mcpBlock {
	if m.servers == nil {
		block, used := m.root.Get("mcp"), usedInputs(m.root)
		m.servers = &mcpBlock{
			manifest: m, block: block, inputs: declaredInputs(block),
			names: newInputNames(), used: used, asked: map[string]string{}, unused: unusedInputs(block, used), meant: map[string]bool{},
		}
		m.inputList = m.servers.listInputs()
	}
	return m.servers
}

// declaredInputs returns the inputs of a block. Only strings are ids.
func declaredInputs(block jsontree.Value) map[string]jsontree.Value {
	inputs := map[string]jsontree.Value{}
	for _, list := range all(block, "inputs") {
		for _, in := range list.Elements() {
			if id := in.Get("id"); id.Is(jsontree.String) {
				inputs[id.Str()] = in
			}
		}
	}
	return inputs
}

// serverName is what messages call a server.
func serverName(index int, server jsontree.Value) string {
	if id := server.Get("id"); nonEmptyString(id) {
		return "server " + quote(id.Str())
	}
	return fmt.Sprintf("server %d", index+1)
}

// judgeServer judges one server: how a host reaches it.
func (b *mcpBlock) judgeServer(index int, server jsontree.Value) {
	id := server.Get("id")
	name := serverName(index, server)
	if !nonEmptyString(id) {
		b.claim(orElse(id, server))
		b.add("mcp/server-id", opening(orElse(id, server)), "a server needs an id, a string that is not empty", fix(`add "id", a name of its own within the package`))
	}
	local, remote := server.Get("local"), server.Get("remote")
	if local.Empty() && remote.Empty() {
		b.add("mcp/no-transport", opening(server), name+" can't be reached: it needs local or remote, at least one of them", fix(`add "remote": { "type": "http", "url": "…" }, or "local" with what is to be run`))
	}
	for _, local := range all(server, "local") {
		if !local.Empty() {
			b.judgeLocal(name, local)
		}
	}
	for _, remote := range all(server, "remote") {
		if !remote.Empty() {
			b.judgeRemote(name, remote)
		}
	}
}

// judgeLocal judges the ways to run a server on the device.
func (b *mcpBlock) judgeLocal(name string, local jsontree.Value) {
	if local.Get("wasi").Empty() && local.Get("platforms").Empty() {
		b.claim(local)
		b.add("mcp/local-empty", opening(local), name+" has a local transport without content: it needs wasi or platforms, at least one of them", fix("add one of them, or remove local"))
	}
	for _, wasi := range all(local, "wasi") {
		if !wasi.Empty() {
			b.judgeWASI(name, wasi)
		}
	}
	for _, platforms := range all(local, "platforms") {
		b.judgePlatforms(name, platforms)
	}
}

func (b *mcpBlock) judgePlatforms(name string, platforms jsontree.Value) {
	if !platforms.Is(jsontree.Object) {
		return // a wrong type is the schema's to report
	}
	desktops, androids := all(platforms, "desktop"), all(platforms, "android")
	launchable := false
	for _, desktop := range desktops {
		if desktop.Empty() {
			continue
		}
		launchable = true
		if command := desktop.Get("command"); command.Empty() {
			b.claim(orElse(command, desktop))
			b.add("mcp/desktop-command", opening(orElse(command, desktop)), name+" has a desktop launch without a command", fix(`add "command", the program to start; its arguments stand in args`))
		}
		b.judgeLaunch(name, "desktop", desktop)
		b.starts = append(b.starts, start{name, desktop})
	}
	for _, android := range androids {
		if android.Empty() {
			continue
		}
		launchable = true
		if component := android.Get("component"); component.Empty() {
			b.claim(orElse(component, android))
			b.add("mcp/android-component", opening(orElse(component, android)), name+" has an android launch without a component", fix(`add "component", such as "com.example.app/.McpService"`))
		}
		b.judgeLaunch(name, "android", android)
	}
	if !launchable {
		b.add("mcp/platforms-empty", opening(platforms), name+" names no platform it can be launched on: platforms needs desktop or android", fix("add desktop, which stands for Linux, macOS and Windows, or android"))
	}
}

// judgeLaunch judges the arguments and the environment of a launch.
func (b *mcpBlock) judgeLaunch(name, where string, program jsontree.Value) {
	for _, env := range all(program, "env") {
		b.judgeRecord(name, where+".env", secret.Env, env)
	}
	for _, args := range all(program, "args") {
		own := ownArgs(program)
		for i, arg := range args.Elements() {
			b.judgeValue(arg, valueContext{server: name, where: where + ".args", kind: secret.Arg, own: i >= own})
		}
	}
}

// ownArgs returns the index from which on arguments are those of a server whose program is fetched; more than there are for
// all others.
func ownArgs(desktop jsontree.Value) int {
	line, _ := lineOf(desktop, desktop.Get("command"))
	packages := line.Packages()
	if len(packages) == 0 {
		return len(line.Args)
	}
	return packages[len(packages)-1].Arg + 1
}

// judgeWASI judges a module: bundled, or remote with a digest.
func (b *mcpBlock) judgeWASI(name string, wasi jsontree.Value) {
	module, url, checksum := wasi.Get("module"), wasi.Get("remoteUrl"), wasi.Get("checksum")
	switch {
	case !module.Is(jsontree.String):
		b.claim(orElse(module, wasi))
		b.add("mcp/wasi-module", opening(orElse(module, wasi)), name+` needs a module: a path in the package, or "" for one that is fetched`, fix(`add "module"; with "" also remoteUrl and checksum`))
	case module.Empty():
		if url.Empty() {
			b.claim(orElse(url, module))
			b.add("mcp/wasi-remote-url", at(orElse(url, module)), name+" has a module that is fetched, but no remoteUrl to fetch it from", fix(`add "remoteUrl", an address that starts with https://, or name a module in the package`))
		}
		if checksum.Empty() {
			b.claim(orElse(checksum, orElse(url, module)))
			b.add("mcp/wasi-checksum", at(orElse(checksum, orElse(url, module))), name+" has a module that is fetched, but no checksum to recognise it by", fix(`add "checksum": "sha256-" and the 64 hex digits of its SHA-256`))
		}
		if size := wasi.Get("byteSize"); !size.Exists() && nonEmptyString(url) && nonEmptyString(checksum) {
			mend := fix(`add "byteSize", its length in bytes`)
			if size, known := b.sizeOf(checksum.Str()); known {
				mend = b.addSize(wasi, size)
			}
			b.add("mcp/byte-size-missing", at(url), name+" has a module that is fetched, and does not say how big it is", mend)
		}
	case !b.has(module.Str()):
		b.claim(module)
		b.unlistedModule(name, module)
	}
	b.judgeChecksum(name, checksum)
	b.judgeURL(name, "remoteUrl", url)
	b.judgeLaunch(name, "wasi", wasi)
	b.judgeGrants(name, wasi.Get("grants"))
}

// addSize is the mend of a module that does not say its size.
func (m *manifest) addSize(wasi jsontree.Value, size int64) option {
	text := strconv.FormatInt(size, 10)
	return fixBy(m.setMember(wasi, "byteSize", text), `add "byteSize": %s`, text)
}

// unlistedModule reports a module that is not in the package, with the path that may have been meant.
func (b *mcpBlock) unlistedModule(name string, module jsontree.Value) {
	mend := fix("add the file, or correct the path")
	message := name + " runs the module " + quote(module.Str()) + ", which is not in the package"
	if near := nearestPath(module.Str(), b.files); near != "" {
		start, end := module.Span()
		mend = fixBy([]edit{{start, end, jsonString(near)}}, "use %s, which is there", quote(near))
		message += "; did you mean " + quote(near) + "?"
		b.suggested[near] = true
	}
	b.add("mcp/wasi-module-unlisted", at(module), message, mend)
}

// judgeChecksum asks for the one form of a digest.
func (b *mcpBlock) judgeChecksum(name string, checksum jsontree.Value) {
	if checksum.Empty() || !checksum.Is(jsontree.String) {
		return
	}
	text := checksum.Str()
	if _, ok := azp.ParseDigest(text); ok || b.isClaimed(checksum) {
		return
	}
	b.claim(checksum)
	var opts []option
	if right, ok := rightDigest(text); ok {
		start, end := checksum.Span()
		opts = append(opts, fixBy([]edit{{start, end, jsonString(right)}}, "write it as %s", quote(right)))
	} else {
		opts = append(opts, fix(`write "sha256-" and the 64 lower-case hex digits of the SHA-256`))
	}
	b.add("mcp/wasi-checksum-form", at(checksum), "the module checksum of "+name+` has not the form "sha256-" and 64 lower-case hex digits`, opts...)
}

// judgeRemote judges a server that is reached over the network.
func (b *mcpBlock) judgeRemote(name string, remote jsontree.Value) {
	url, kind := remote.Get("url"), remote.Get("type")
	if url.Empty() {
		b.claim(orElse(url, remote))
		b.add("mcp/remote-url", opening(orElse(url, remote)), name+" has a remote transport without a url", fix(`add "url", an address that starts with https://`))
	}
	if kind.Str() != "http" && kind.Str() != "sse" {
		b.claim(orElse(kind, remote))
		message := "the remote type of " + name + ` has to be "http" or "sse"`
		if kind.Is(jsontree.String) && !kind.Empty() {
			message += ", not " + quote(kind.Str())
		}
		mend := fix(`write "http", or "sse" where the server offers only that`)
		if strings.HasPrefix(strings.ToLower(kind.Str()), "streamable") { // as other hosts call it
			start, end := kind.Span()
			mend = fixBy([]edit{{start, end, `"http"`}}, `write "http"`)
		}
		b.add("mcp/remote-type", opening(orElse(kind, remote)), message, mend)
	}
	for _, url := range all(remote, "url") {
		b.judgeURL(name, "url", url)
	}
	for _, headers := range all(remote, "headers") {
		b.judgeRecord(name, "remote.headers", secret.Header, headers)
	}
}

// judgeRecord judges an object of strings: environment variables or headers.
func (b *mcpBlock) judgeRecord(name, where string, kind secret.Kind, record jsontree.Value) {
	for m := range record.Members() {
		ctx := valueContext{server: name, where: where, key: m.Name(), kind: kind}
		b.judgeName(m.Key, ctx)
		b.judgeValue(m.Value, ctx)
	}
	for _, e := range record.Elements() { // a wrong type hides no other fault
		b.judgeValue(e, valueContext{server: name, where: where, kind: kind})
	}
}

// judgePayload reports code that nothing in the manifest refers to: a header carries what it declares, so that a reviewer
// sees everything that could run.
func (m *manifest) judgePayload() {
	if m.manifestPath != "" {
		return // there are no files to look at
	}
	mentioned := map[string]bool{}
	for member := range m.root.Members() {
		if member.Name() == "files" {
			continue
		}
		member.Value.Walk(func(_, v jsontree.Value) bool {
			if v.Is(jsontree.String) {
				mentioned[v.Str()] = true
			}
			return true
		})
	}
	for _, f := range m.files {
		if isCode(f.path) && !mentioned[f.path] && !m.suggested[f.path] {
			m.add("mcp/extra-payload", f.place, "the package is a header, yet carries "+quote(f.path)+", which looks like code and which nothing in the manifest refers to", fix("remove the file, or refer to it where it belongs"))
		}
	}
}

var (
	codeFolders    = []string{"bin", "code", "lib", "server", "script", "scripts", "src"}
	codeExtensions = []string{".wasm", ".wat", ".exe", ".dll", ".so", ".dylib", ".jar", ".class", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".php", ".lua", ".sh", ".bash", ".ps1", ".bat", ".cmd", ".com", ".apk", ".node"}
)

// isCode reports whether a file has the place or the name of something that runs.
func isCode(file string) bool {
	folder, _, nested := strings.Cut(file, "/")
	return nested && slices.Contains(codeFolders, strings.ToLower(folder)) || slices.Contains(codeExtensions, strings.ToLower(path.Ext(file)))
}
