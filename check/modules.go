package check

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/wasm"
)

// payload gives the bytes of a file of the package to read. Where it returns false there is nothing to say of the file: it
// is not there, or has a fault that is reported elsewhere. The error is about reading alone.
type payload func(path string, read func(io.Reader) error) (bool, error)

// archivePayload is the payload of an archive.
func archivePayload(p *azp.Package) payload {
	entries := map[string]*azp.Entry{}
	for _, e := range p.Entries {
		entries[e.Name] = e
	}
	return func(path string, read func(io.Reader) error) (bool, error) {
		e := entries[path]
		if e == nil || e.Broken || e.IsDir() {
			return false, nil
		}
		return p.StreamEntry(e, read)
	}
}

// sourcePayload is the payload of a source folder.
func sourcePayload(src *azp.SourceFolder) payload {
	return func(path string, read func(io.Reader) error) (bool, error) {
		if !src.Has(path) {
			return false, nil
		}
		f, err := src.Open(path)
		if err != nil {
			return false, err
		}
		defer f.Close()
		return true, read(f)
	}
}

// moduleUse is a server that runs a module of the package.
type moduleUse struct {
	server string         // as messages name it
	wasi   jsontree.Value // its transport
}

// module is WebAssembly in the package: a file that has its ending, or that a server runs.
type module struct {
	*wasm.Module
	file listedFile
	uses []moduleUse
	code []byte // where it was fetched and is small enough to be started

	access  wasm.Access              // all that its imports let it do
	names   map[wasm.Access][]string // of the imports that let it do that
	writes  bool                     // there are imports for changing files, beside those for opening them
	foreign []string                 // imports that are not of WASI
}

// Modules says what the WebAssembly of a package is, and judges nothing. The error is about reading alone.
func Modules(p *azp.Package) ([]finding.Module, error) {
	if !p.Manifest.Root().Exists() {
		return nil, nil
	}
	m := newManifest(newReporter(New(Options{}), "", ""), p.Manifest)
	m.listManifestFiles()
	modules, err := m.readModules(archivePayload(p))
	return describeModules(modules), err
}

// judgePrograms judges the WebAssembly of the package, without running it: each module by itself, and then what it can do
// against what the servers that run it ask the user to grant. Where somebody asks for it, servers are then asked what they
// offer. The error means that we could not look.
func (m *manifest) judgePrograms(ctx context.Context, open payload, out *finding.Package) error {
	modules, err := m.readModules(open)
	if err != nil {
		return err
	}
	for _, module := range modules {
		m.judgeModule(module)
		if !module.loads() || m.claimed[claim{module.file.place.in, module.file.place.start}] {
			continue // what it imports may not be all; or no host finds a file of that name, which has been said
		}
		for _, use := range module.uses {
			m.judgeUse(use, module)
		}
	}
	out.Modules = describeModules(modules)
	out.Offers, err = m.probe(ctx, open, modules)
	return err
}

// loads reports whether the module is whole and valid, so that its imports are all known.
func (m *module) loads() bool { return m.Kind != wasm.Other && m.Fault == nil && m.Unchecked == "" }

func (m *manifest) readModules(open payload) ([]*module, error) {
	var out []*module
	uses := m.moduleUses()
	for _, f := range m.files {
		if len(uses[f.path]) == 0 && strings.ToLower(path.Ext(f.path)) != ".wasm" {
			continue
		}
		var read *wasm.Module
		ok, err := open(f.path, func(r io.Reader) (err error) {
			read, err = wasm.Read(r)
			return err
		})
		if err != nil {
			return out, fmt.Errorf("reading %s: %w", quote(f.path), err)
		}
		if ok {
			out = append(out, newModule(read, f, uses[f.path]))
		}
	}
	return out, nil
}

func newModule(read *wasm.Module, file listedFile, uses []moduleUse) *module {
	m := &module{Module: read, file: file, uses: uses, names: map[wasm.Access][]string{}}
	for _, i := range read.Imports {
		if !i.Provided() {
			m.foreign = append(m.foreign, i.String())
			continue
		}
		m.access |= i.Access
		m.writes = m.writes || i.Access&(wasm.ReadFiles|wasm.WriteFiles) == wasm.WriteFiles
		for _, access := range []wasm.Access{wasm.ReadFiles, wasm.WriteFiles, wasm.Network} {
			if i.Access&access != 0 && !slices.Contains(m.names[access], i.Name) {
				m.names[access] = append(m.names[access], i.Name)
			}
		}
	}
	return m
}

// moduleUses are the servers that run a module of the package, by its path.
func (m *manifest) moduleUses() map[string][]moduleUse {
	uses := map[string][]moduleUse{}
	if m.kind != "mcp" {
		return uses
	}
	for i, server := range m.root.Get("mcp", "servers").Elements() {
		wasi := server.Get("local", "wasi")
		if module := wasi.Get("module"); nonEmptyString(module) {
			uses[module.Str()] = append(uses[module.Str()], moduleUse{serverName(i, server), wasi})
		}
	}
	return uses
}

// judgeModule judges a module by itself.
func (m *manifest) judgeModule(module *module) {
	name, place := quote(module.file.path), module.file.place
	switch {
	case module.Looks == wasm.LFSPointer: // which has a rule of its own
	case module.Kind == wasm.Other:
		message := name + " is no WebAssembly: hosts can't load it"
		if module.Looks != "" {
			message = name + " is no WebAssembly, but " + module.Looks + ": hosts can't load it"
		}
		m.add("wasm/not-wasm", place, message, fix("put the module itself there, as the compiler wrote it"))
	case module.Fault != nil:
		m.add("wasm/invalid", place, fmt.Sprintf("hosts can't load %s, a WebAssembly %s that is not valid: at byte %d, %s", name, module.Kind, module.Fault.Offset, module.Fault.Reason),
			fix("build the module again, and see that it is copied whole and as it is"))
	case module.Unchecked != "":
		m.add("wasm/not-checked", place, fmt.Sprintf("%s uses %s, which is not checked here and which hosts may not know", name, module.Unchecked),
			fix("build for WebAssembly 2.0 where the compiler can"))
	}
}

// judgeUse compares what a module uses with what a server asks for.
func (m *manifest) judgeUse(use moduleUse, module *module) {
	value := use.wasi.Get("module")
	runs := use.server + " runs " + quote(value.Str())
	if !module.Starts {
		want := "a function _start that takes and gives nothing"
		if module.Kind == wasm.Component {
			want = "the interface wasi:cli/run"
		}
		m.add("wasm/no-start", at(value), runs+", which no host can start: it does not export "+want, fix("build it as a program (a command), not as a library (a reactor)"))
	}
	if len(module.foreign) > 0 {
		m.add("wasm/import-unknown", at(value), runs+", which needs what no host of WASI provides: "+nameSome(module.foreign),
			fix("build it for WASI (wasip1 or wasm32-wasip2), without what is particular to one host"))
	}
	m.judgeGrantsOf(use, module)
}

// grantOf says which grant lets a server do what.
var grantOf = []struct {
	grant  string
	access wasm.Access
	what   string
}{
	{"fs:read", wasm.ReadFiles, "read files"},
	{"fs:write", wasm.WriteFiles, "write files"},
	{"net", wasm.Network, "use the network"},
	{"env", wasm.ReadEnvironment, "read the environment"},
	{"exec", 0, "start programs"}, // of which WASI knows nothing
}

// judgeGrantsOf compares the grants of a server with what its module can do.
func (m *manifest) judgeGrantsOf(use moduleUse, module *module) {
	granted := map[string]bool{}
	grants := use.wasi.Get("grants")
	for _, g := range grants.Elements() {
		granted[g.Str()] = granted[g.Str()] || g.Is(jsontree.String)
	}
	if module.access&wasm.Network != 0 && !granted["net"] {
		m.ungranted("wasm/net-ungranted", use, module.names[wasm.Network], "net")
	}
	switch {
	case granted["fs:write"]: // whoever may write is let in; hosts give no files that can be written and not read
	case module.writes:
		m.ungranted("wasm/files-ungranted", use, module.names[wasm.WriteFiles], "fs:write")
	case module.access&wasm.ReadFiles != 0 && !granted["fs:read"]:
		m.ungranted("wasm/files-ungranted", use, module.names[wasm.ReadFiles], "fs:read")
	}
	if len(module.foreign) > 0 {
		return // by which it may do anything
	}
	list := elements(grants)
	for i, g := range list {
		if !g.Is(jsontree.String) {
			continue
		}
		for _, known := range grantOf {
			if g.Str() == known.grant && module.access&known.access == 0 {
				m.unusedGrant(use, list, i, known.what)
			}
		}
	}
}

// ungranted reports that a module uses what its server does not ask for.
func (m *manifest) ungranted(rule string, use moduleUse, names []string, grant string) {
	place, grants := use.wasi.Get("module"), use.wasi.Get("grants")
	_, end := place.Span()
	insert := edit{end, end, fmt.Sprintf(`, "grants": [%s]`, jsonString(grant))}
	switch {
	case grants.Is(jsontree.Array) && grants.Len() > 0:
		place = grants
		for _, last := range grants.Elements() {
			_, end = last.Span()
		}
		insert = edit{end, end, ", " + jsonString(grant)}
	case grants.Is(jsontree.Array):
		place = grants
		start, end := grants.Span()
		insert = edit{start, end, "[" + jsonString(grant) + "]"}
	}
	mend := fixBy([]edit{insert}, "add %s to grants, or build the module without that", quote(grant))
	if grants.Exists() && !grants.Is(jsontree.Array) {
		mend = fix("write grants as a list, with %s in it", quote(grant))
	}
	message := fmt.Sprintf("%s runs a module that uses %s, without asking for the grant %s: the user is not told, and it fails at work", use.server, nameSome(names), quote(grant))
	m.add(rule, opening(place), message, mend)
}

func (m *manifest) unusedGrant(use moduleUse, grants []jsontree.Value, i int, what string) {
	grant := grants[i]
	m.add("wasm/grant-unused", at(grant), fmt.Sprintf("%s asks for the grant %s, but its module has nothing by which it could %s", use.server, quote(grant.Str()), what),
		fixBy([]edit{removeElement(grants, i)}, "remove the grant: ask for no more than the server needs"))
}

// What of a module is shown, at most.
const (
	maxShownImports = 100 // of a group
	maxShownExports = 20
)

// describeModules says in a report what was found out about modules.
func describeModules(modules []*module) []finding.Module {
	var out []finding.Module
	for _, m := range modules {
		if m.Kind != wasm.Other {
			out = append(out, describeModule(m))
		}
	}
	return out
}

func describeModule(m *module) finding.Module {
	out := finding.Module{Path: shown(m.file.path), Size: m.Size, Form: string(m.Kind), Valid: m.Fault == nil && m.Unchecked == "", Starts: m.Starts}
	groups := map[string][]string{}
	for _, i := range m.Imports {
		group, name := string(i.Group), shown(i.Name)
		if !i.Provided() {
			group, name = finding.ForeignImports, shown(i.String())
		} else if version := shown(i.Version); out.WASI < version {
			out.WASI = version
		}
		if names := groups[group]; len(names) < maxShownImports && !slices.Contains(names, name) {
			groups[group] = append(names, name)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		out.Imports = append(out.Imports, finding.ImportGroup{Group: group, Names: groups[group]})
	}
	for _, name := range m.Exports[:min(len(m.Exports), maxShownExports)] {
		out.Exports = append(out.Exports, shown(name))
	}
	for _, use := range m.uses {
		for _, g := range use.wasi.Get("grants").Elements() {
			if name := shown(g.Str()); name != "" && !slices.Contains(out.Grants, name) && len(out.Grants) < maxShownImports {
				out.Grants = append(out.Grants, name)
			}
		}
	}
	return out
}
