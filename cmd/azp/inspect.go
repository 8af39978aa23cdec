package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
	"github.com/azphalt/submissions/secret"
)

func newInspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show what is in a package",
		Long: `inspect shows what a package says of itself, how hosts would reach its servers, what it asks for, who signed it, and its
entries. It judges nothing: that is what verify is for.`,
		Example: "  azp inspect com.example.my-package-1.0.0.azp",
		Args:    exactly(1, "one FILE, an .azp archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, f, err := openPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			modules, err := check.Modules(p)
			if err != nil {
				return err
			}
			view := inspect(p, modules)
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(view)
			}
			text := view.text()
			if n := len(p.Problems); n > 0 {
				text += fmt.Sprintf("\nThe package has faults (%d): run `azp verify %s`.\n", n, args[0])
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// packageView is what inspect shows. All text of the package in it is made visible.
type packageView struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Version  string       `json:"version"`
	Kind     string       `json:"kind"`
	License  string       `json:"license"`
	Compat   string       `json:"compat"`
	Digest   string       `json:"digest"`
	Size     int64        `json:"size"`
	Unpacked int64        `json:"unpacked"`
	Signed   bool         `json:"signed"`
	Chain    []keyView    `json:"chain,omitempty"` // the author's key, then the counter-signers'
	Inputs   []inputView  `json:"inputs,omitempty"`
	Servers  []serverView `json:"servers,omitempty"`
	Offers   []string     `json:"offers,omitempty"`

	Modules []finding.Module `json:"modules,omitempty"`
	Entries []entryView      `json:"entries"`
}

type keyView struct {
	PublicKey string `json:"publicKey"`
	KeyID     string `json:"keyId,omitempty"`
}

type inputView struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	Secret      bool   `json:"secret"`
}

// serverView is a server with its transports in the order in which a host tries them.
type serverView struct {
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
	Grants     []string `json:"grants,omitempty"`
}

type entryView struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Packed int64  `json:"packed"`
}

func inspect(p *azp.Package, modules []finding.Module) *packageView {
	root := p.Manifest.Root()
	text := func(path ...string) string { return visible(root.Get(path...)) }
	v := &packageView{
		ID: text("id"), Name: text("name"), Version: text("version"), Kind: text("kind"), License: text("license"), Compat: text("compat"),
		Digest: p.Digest.String(), Size: p.Size, Signed: p.Signed, Entries: []entryView{}, Modules: modules,
	}
	for _, e := range p.Entries {
		v.Unpacked += e.Size
		v.Entries = append(v.Entries, entryView{source.Visible(e.Name), e.Size, e.Packed})
	}
	if s := p.Signature; s != nil {
		v.Chain = append(v.Chain, keyView{s.PublicKey.String(), visibleName(s.KeyID)})
		for _, cs := range s.Chain {
			v.Chain = append(v.Chain, keyView{cs.PublicKey.String(), visibleName(cs.KeyID)})
		}
	}
	for _, in := range root.Get("mcp", "inputs").Elements() {
		v.Inputs = append(v.Inputs, inputView{
			ID: visible(in.Get("id")), Description: visible(in.Get("description")), Secret: in.Get("password").Is(jsontree.True),
		})
	}
	for _, s := range root.Get("mcp", "servers").Elements() {
		v.Servers = append(v.Servers, viewServer(s))
	}
	v.Offers = viewOffers(root.Get("mcp", "offers"))
	return v
}

// visible is a string of the manifest as it can be shown: without what can't be seen, and without credentials.
func visible(v jsontree.Value) string {
	return visibleName(secret.Judge(v.Str(), secret.Context{Kind: secret.URL}).Conceal(v.Str(), source.Masked))
}

// visibleName is a name as it can be shown.
func visibleName(name string) string { return source.Visible(secret.Conceal(name, source.Masked)) }

// viewServer lists transports in the order of the format: module, native launch, remote.
func viewServer(s jsontree.Value) serverView {
	out := serverView{ID: visible(s.Get("id"))}
	add := func(kind string, v jsontree.Value) {
		if v.Is(jsontree.String) {
			out.Transports = append(out.Transports, kind+" "+visible(v))
		}
	}
	wasi := s.Get("local", "wasi")
	if module := wasi.Get("module"); module.Empty() {
		add("wasi", wasi.Get("remoteUrl"))
	} else {
		add("wasi", module)
	}
	for _, g := range wasi.Get("grants").Elements() {
		out.Grants = append(out.Grants, visible(g))
	}
	add("desktop", s.Get("local", "platforms", "desktop", "command"))
	add("android", s.Get("local", "platforms", "android", "component"))
	add("remote", s.Get("remote", "url"))
	return out
}

func viewOffers(offers jsontree.Value) []string {
	var out []string
	for m := range offers.Members() {
		name := visibleName(m.Name())
		switch {
		case m.Value.Is(jsontree.Array):
			var names []string
			for _, e := range m.Value.Elements() {
				names = append(names, visible(e))
			}
			out = append(out, name+": "+strings.Join(names, ", "))
		case m.Value.Is(jsontree.True):
			out = append(out, name)
		}
	}
	return out
}

// text is the view in two tables: what the manifest says, and the entries.
func (v *packageView) text() string {
	var b strings.Builder // takes everything, so that its writers can't fail
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	row("package", strings.TrimSpace(v.ID+" "+v.Version))
	row("name", v.Name)
	row("kind", v.Kind)
	row("license", v.License)
	row("compat", v.Compat)
	row("digest", v.Digest)
	row("size", fmt.Sprintf("%d bytes, %d unpacked", v.Size, v.Unpacked))
	for i, k := range v.Chain {
		label := "signed by"
		if i > 0 {
			label = "vouched for by"
		}
		row(label, strings.TrimSpace(k.PublicKey+" "+k.KeyID))
	}
	if !v.Signed {
		row("signed by", "nobody")
	}
	for _, in := range v.Inputs {
		kind := "asks for"
		if in.Secret {
			kind = "asks for (secret)"
		}
		row(kind, strings.TrimSuffix(in.ID+": "+in.Description, ": "))
	}
	for _, s := range v.Servers {
		row("server", s.ID)
		for i, transport := range s.Transports {
			row(fmt.Sprintf("  %d.", i+1), transport)
		}
		row("  grants", strings.Join(s.Grants, ", "))
	}
	for _, o := range v.Offers {
		row("offers", o)
	}
	for _, m := range v.Modules {
		row("module", m.Path)
		row("  is", annotate.ModuleWords(&m))
		row("  grants", strings.Join(m.Grants, ", "))
		for _, g := range m.Imports {
			row("  "+g.Group, strings.Join(g.Names, ", "))
		}
		row("  exports", strings.Join(m.Exports, ", "))
	}
	_ = t.Flush()
	b.WriteByte('\n')
	t = tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "size\tpacked\t  entry")
	for _, e := range v.Entries {
		fmt.Fprintf(t, "%d\t%d\t  %s\n", e.Size, e.Packed, e.Name)
	}
	_ = t.Flush()
	return b.String()
}
