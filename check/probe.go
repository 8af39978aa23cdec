package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
	"github.com/azphalt/submissions/internal/source"
	"github.com/azphalt/submissions/secret"
	"github.com/azphalt/submissions/wasm"
)

// Probe says how servers are asked what they offer, which is done only where somebody asks for it: it runs their code, or
// speaks to the network. What is nil is not done. Package probe has the functions.
//
// The functions return a [*ProbeFailure] where the server is at fault; any other error means that we could not look.
type Probe struct {
	Start   func(context.Context, Launch) (*Answer, error)
	Connect func(context.Context, Remote) (*Answer, error)
	// Fetch gets what is at an address. What it is, is not to be believed.
	Fetch func(ctx context.Context, url string) (io.ReadCloser, error)
}

// Asked reports whether anything is to be done.
func (p Probe) Asked() bool { return p.Start != nil || p.Connect != nil || p.Fetch != nil }

// ProbeFailure is how a server, or an address, failed.
type ProbeFailure struct {
	Reason string // the end of a sentence about it, without text of a stranger's
}

func (f *ProbeFailure) Error() string { return f.Reason }

// Launch is a server to be started: a module for WASI, and what a host would pass to it. Inputs are filled with stand-ins.
type Launch struct {
	Module []byte
	Args   []string // without the program's name
	Env    map[string]string
}

// Remote is a server on the network. Inputs are filled with stand-ins.
type Remote struct {
	Type    string // "http" or "sse"
	URL     string
	Headers map[string]string
}

// Answer is what a server says that it offers. All its text is a stranger's.
type Answer struct {
	Name, Version, Instructions string
	Tools, Resources, Prompts   []Offered
}

// Offered is a tool, resource or prompt.
type Offered struct {
	Name, Title, Description string
	Schema                   string // of what a tool or prompt takes, as JSON
}

// maxProbedModule bounds the modules that are started, in bytes: compiling takes many times the memory.
const maxProbedModule = 32 << 20

// maxProbedTable bounds the tables of such a module, in elements.
const maxProbedTable = 1 << 20

// prober asks the servers of one package.
type prober struct {
	*manifest
	ctx     context.Context
	open    payload
	modules map[string]*module // of the package, by path

	offers  []finding.Offer
	answers []*Answer
	silent  bool // a server was not asked, or did not answer
}

// probe asks the servers of a package what they offer and compares it with what the manifest says. The error means that we
// could not look.
func (m *manifest) probe(ctx context.Context, open payload, modules []*module) ([]finding.Offer, error) {
	if !m.c.probe.Asked() || m.kind != "mcp" {
		return nil, nil
	}
	p := &prober{manifest: m, ctx: ctx, open: open, modules: map[string]*module{}}
	for _, module := range modules {
		p.modules[module.file.path] = module
	}
	for i, server := range m.root.Get("mcp", "servers").Elements() {
		asked := len(p.answers)
		if err := p.server(serverName(i, server), server); err != nil {
			return nil, err
		}
		p.silent = p.silent || asked == len(p.answers)
	}
	p.compare()
	return p.offers, nil
}

// server asks one server in each of the ways that were asked for.
func (p *prober) server(name string, server jsontree.Value) error {
	if wasi := server.Get("local", "wasi"); wasi.Is(jsontree.Object) {
		module, err := p.moduleOf(name, wasi)
		if err == nil && module != nil && p.c.probe.Start != nil {
			err = p.start(name, server, module)
		}
		if err != nil {
			return err
		}
	}
	remote := server.Get("remote")
	url := remote.Get("url")
	if p.c.probe.Connect == nil || !nonEmptyString(url) || p.isClaimed(url) || len(references(url.Str())) > 0 {
		return nil
	}
	answer, err := p.c.probe.Connect(p.ctx, Remote{Type: remote.Get("type").Str(), URL: url.Str(), Headers: p.filledRecord(remote.Get("headers"))})
	return p.answered(name, "remote", server, url, answer, err)
}

// moduleOf returns the module that a server runs, read and judged; nil where there is none that could be started.
func (p *prober) moduleOf(name string, wasi jsontree.Value) (*module, error) {
	value := wasi.Get("module")
	if nonEmptyString(value) {
		return p.modules[value.Str()], nil
	}
	url := wasi.Get("remoteUrl")
	if p.c.probe.Fetch == nil || !nonEmptyString(url) || p.isClaimed(url) || len(references(url.Str())) > 0 {
		return nil, nil
	}
	return p.fetch(name, wasi)
}

// start starts a server in the sandbox, if its module can be.
func (p *prober) start(name string, server jsontree.Value, module *module) error {
	wasi := server.Get("local", "wasi")
	value := wasi.Get("module")
	if module.Kind == wasm.Other || module.Fault != nil || module.loads() && (len(module.foreign) > 0 || !module.Starts) {
		return nil //nolint:nilerr // it can't be started, which has been said
	}
	if why := unprobed(module); why != "" {
		p.add("offers/not-asked", at(value), name+" was not asked what it offers: "+why, fix("nothing needs to be mended; a reviewer has to look for themselves"))
		return nil
	}
	code, err := p.bytesOf(module)
	if err != nil || code == nil {
		return err
	}
	launch := Launch{Module: code, Args: []string{}, Env: p.filledRecord(wasi.Get("env"))}
	for _, arg := range wasi.Get("args").Elements() {
		if arg.Is(jsontree.String) {
			launch.Args = append(launch.Args, p.filled(arg.Str()))
		}
	}
	answer, err := p.c.probe.Start(p.ctx, launch)
	return p.answered(name, "wasi", server, value, answer, err)
}

// unprobed says why a module is not started; "" where it is.
func unprobed(module *module) string {
	switch {
	case module.Unchecked != "":
		return "its module could not be checked"
	case module.Kind == wasm.Component:
		return "the sandbox runs modules, not components"
	case module.Size > maxProbedModule:
		return fmt.Sprintf("its module has more than %d MiB", maxProbedModule>>20)
	case module.Tables > maxProbedTable || module.TablesGrow:
		return "its module has tables without bounds, which the sandbox could not hold"
	default:
		return ""
	}
}

// bytesOf returns the bytes of a module; nil where they can't be had, which has been said.
func (p *prober) bytesOf(module *module) (code []byte, err error) {
	if module.code != nil {
		return module.code, nil
	}
	_, err = p.open(module.file.path, func(r io.Reader) (err error) {
		code, err = io.ReadAll(io.LimitReader(r, maxProbedModule))
		return err
	})
	return code, err
}

// filledRecord returns an object of strings with stand-ins for the inputs.
func (p *prober) filledRecord(record jsontree.Value) map[string]string {
	out := map[string]string{}
	for m := range record.Members() {
		if m.Value.Is(jsontree.String) {
			out[m.Name()] = p.filled(m.Value.Str())
		}
	}
	return out
}

// standIn is what an input without a default is filled with.
const standIn = "example"

// filled puts stand-ins in place of the references to inputs: the default that the manifest gives, or a plain word.
func (p *prober) filled(text string) string {
	var b strings.Builder
	end := 0
	for _, r := range references(text) {
		b.WriteString(text[end:r.start])
		end = r.end
		if def := p.serverBlock().inputs[r.id].Get("default"); nonEmptyString(def) {
			b.WriteString(def.Str())
		} else {
			b.WriteString(standIn)
		}
	}
	return b.String() + text[end:]
}

// answered takes what came of asking a server.
func (p *prober) answered(name, transport string, server, place jsontree.Value, answer *Answer, err error) error {
	if failure, ok := errors.AsType[*ProbeFailure](err); ok {
		mend := fix("start it with an empty folder, no network and stand-ins for its inputs, and see that it answers all the same")
		if transport == "remote" {
			mend = fix("see that the address begins with https://, is a public one, and answers MCP with stand-ins for its inputs; a server that asks for a login has no fault to mend")
		}
		p.add("offers/no-answer", at(place), name+" was asked what it offers, and "+failure.Reason, mend)
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking %s: %w", name, err)
	}
	c := &concealer{left: maxConcealed}
	answer = c.names(answer)
	p.answers = append(p.answers, answer)
	p.offers = append(p.offers, c.describe(server, transport, answer))
	p.judgeTextOf(name, place, answer)
	if c.found {
		p.add("offers/credential", at(place), "what "+name+" says of itself holds what looks like a literal credential, which everybody who installs it can read. If it was ever valid, revoke it",
			fix("have the server take it from an input, and keep it out of all that it says"))
	}
	return nil
}

// compare compares what the servers offer with what the manifest says of it. Of servers that were not asked nothing is
// known: then something may be there that seems to be missing.
func (p *prober) compare() {
	offers := p.root.Get("mcp", "offers")
	if len(p.answers) == 0 || !offers.Is(jsontree.Object) {
		return
	}
	for _, list := range []struct {
		name string
		of   func(*Answer) []Offered
	}{
		{"tools", func(a *Answer) []Offered { return a.Tools }},
		{"resources", func(a *Answer) []Offered { return a.Resources }},
		{"prompts", func(a *Answer) []Offered { return a.Prompts }},
	} {
		there := map[string]bool{}
		for _, a := range p.answers {
			for _, o := range list.of(a) {
				there[o.Name] = true
			}
		}
		p.compareList(list.name, offers, there)
	}
}

// compareList compares one list: names, or whether there are any.
func (p *prober) compareList(name string, offers jsontree.Value, there map[string]bool) {
	list := offers.Get(name)
	switch {
	case list.Is(jsontree.True) && len(there) == 0 && !p.silent:
		p.add("offers/missing", at(list), "the manifest offers "+name+", and the servers have none", fix("write false, or offer them"))
	case list.Is(jsontree.False) && len(there) > 0, !list.Exists() && len(there) > 0 && name == "tools":
		p.extra(name, orElse(list, offers), slices.Sorted(maps.Keys(there)))
	case list.Is(jsontree.Array):
		p.compareNames(name, list, there)
	}
}

func (p *prober) compareNames(name string, list jsontree.Value, there map[string]bool) {
	similar := map[string]string{} // names that are there by what is left of them without case and punctuation
	for n := range there {
		similar[bareName(n)] = n
	}
	extra := maps.Clone(there)
	for _, e := range list.Elements() {
		if !e.Is(jsontree.String) {
			continue
		}
		near := similar[bareName(e.Str())]
		delete(extra, e.Str())
		switch {
		case there[e.Str()]:
		case near != "":
			delete(extra, near)
			start, end := e.Span()
			p.add("offers/differing", at(e), fmt.Sprintf("the manifest offers %s among the %s; the server calls it %s", quote(e.Str()), name, quote(near)), fixBy([]edit{{start, end, jsonString(near)}}, "write %s", quote(near)))
		case !p.silent:
			p.add("offers/missing", at(e), fmt.Sprintf("the manifest offers %s among the %s; no server has it", quote(e.Str()), name), fix("take it out, or have the server offer it"))
		}
	}
	if len(extra) > 0 {
		p.extra(name, list, slices.Sorted(maps.Keys(extra)))
	}
}

func (p *prober) extra(name string, place jsontree.Value, names []string) {
	p.add("offers/extra", opening(place), fmt.Sprintf("the servers have %s of which the manifest says nothing: %s", name, nameSome(names)), p.addNames(name, names))
}

// maxAddedNames bounds the names that a mend adds by itself.
const maxAddedNames = 100

// plainName finds names that can't be mistaken for anything else: a server may call its tools what it likes.
var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$`)

// addNames is the mend that adds names to a list of the offers, or makes one of them.
func (p *prober) addNames(name string, names []string) option {
	const mend = "add their names to %s, so that users know before they install"
	if len(names) > maxAddedNames || slices.ContainsFunc(names, func(n string) bool { return !plainName().MatchString(n) }) {
		return fix(mend, name)
	}
	added := make([]string, len(names))
	for i, n := range names {
		added[i] = jsonString(n)
	}
	offers := p.root.Get("mcp", "offers")
	if list := offers.Get(name); list.Is(jsontree.Array) {
		return fixBy([]edit{p.addElements(list, added)}, mend, name)
	}
	return fixBy(p.setMember(offers, name, "["+strings.Join(added, ", ")+"]"), mend, name)
}

// bareName is what is left of a name without case and punctuation.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// What of an answer is shown, at most.
const (
	maxShownOffers      = 200 // of each list
	maxShownDescription = 2000
	maxShownSchema      = 4000
)

// maxConcealed bounds the text of an answer that is looked through for credentials; none that is not is shown.
const maxConcealed = 1 << 20

// concealer takes credentials out of what a server says.
type concealer struct {
	left  int // bytes that may still be looked through
	found bool
}

// conceal returns a text without what looks like a credential, cut to so many bytes; nothing once too much was looked through.
func (c *concealer) conceal(text string, limit int) string {
	text = text[:min(len(text), limit)]
	if c.left -= len(text); c.left < 0 {
		return ""
	}
	var out strings.Builder
	end := 0
	_ = secret.Text(strings.NewReader(text), func(m secret.TextMatch) { // fails as its reader does
		if m.Start >= end {
			out.WriteString(text[end:m.Start] + source.Masked([]byte(text[m.Start:m.End])))
			end, c.found = m.End, true
		}
	})
	return out.String() + text[end:]
}

// show makes a text fit for a report. More is looked through than is shown, as a credential is only one as a whole.
func (c *concealer) show(text string, limit int) string {
	return shownUpTo(c.conceal(text, 2*limit), limit)
}

// maxOfferedName bounds the names by which what is offered is known, in bytes.
const maxOfferedName = 4 << 10

// names returns an answer in which no name holds a credential: names are put into messages.
func (c *concealer) names(a *Answer) *Answer {
	out := *a
	for _, list := range []*[]Offered{&out.Tools, &out.Resources, &out.Prompts} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Name = c.conceal((*list)[i].Name, maxOfferedName)
		}
	}
	return &out
}

func (c *concealer) describe(server jsontree.Value, transport string, a *Answer) finding.Offer {
	return finding.Offer{
		Server: shown(server.Get("id").Str()), Transport: transport, Name: c.show(strings.TrimSpace(a.Name+" "+a.Version), maxShown), Instructions: c.show(a.Instructions, maxShownDescription),
		Tools: c.list(a.Tools), Resources: c.list(a.Resources), Prompts: c.list(a.Prompts),
	}
}

func (c *concealer) list(list []Offered) (out []finding.Offered) {
	for _, o := range list[:min(len(list), maxShownOffers)] {
		out = append(out, finding.Offered{Name: shown(o.Name), Title: c.show(o.Title, maxShown), Description: c.show(o.Description, maxShownDescription), Schema: c.show(o.Schema, maxShownSchema)})
	}
	return out
}
