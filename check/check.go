// Package check judges packages: it turns the problems of the container and the facts of the manifest into findings. It is
// the only entry point for that; the command, the Action and the bot give it the same bytes and get the same report.
package check

import (
	"context"
	"io/fs"
	"slices"
	"sync"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/published"
)

// Options sets how a Checker judges. The zero value is the registry's default.
type Options struct {
	Limits azp.Limits
	// Config is what the repository has decided; the defaults where nil.
	Config *config.Config
	// Trust, where not nil, is the set of keys against which signers are judged, beside those that Config trusts.
	Trust *azp.TrustStore
	// Published, where not nil, is what the registry holds already: what is submitted is judged against it.
	Published *published.Shelf
	// Account is the numeric GitHub id of whoever submits, to whom ids of unsigned packages belong; 0 where that is not known.
	Account int64
	// Probe, where something is in it, has servers asked what they offer.
	Probe Probe
}

// Checker judges packages. It is safe for concurrent use.
type Checker struct {
	limits    azp.Limits
	config    *config.Config
	published *published.Shelf
	account   int64
	// publishedIDs are the ids that the registry holds, read when they are first asked for.
	publishedIDs func() *idIndex
	trust        *azp.TrustStore
	deny         map[string]bool // digests of archives and keys of publishers
	probe        Probe
}

// New returns a Checker.
func New(opt Options) *Checker {
	c := &Checker{limits: opt.Limits, config: opt.Config, published: opt.Published, account: opt.Account, deny: map[string]bool{}, probe: opt.Probe}
	if c.config == nil {
		c.config = config.Default()
	}
	c.publishedIDs = sync.OnceValue(func() *idIndex { return newIDIndex(c.published.IDs()) })
	for _, name := range slices.Concat(c.config.Deny.Digests, c.config.Deny.Keys) {
		c.deny[name] = true
	}
	if opt.Trust != nil || len(c.config.Trust) > 0 {
		store := azp.NewTrustStore(c.config.Trust...)
		if opt.Trust != nil {
			store = store.Join(*opt.Trust)
		}
		c.trust = &store
	}
	return c
}

// severity returns the severity of a rule: the configured one, unless the rule is one of the format.
func (c *Checker) severity(id string) finding.Severity {
	r, ok := Rule(id)
	if !ok {
		panic("check: no catalogue entry for rule " + id) // a test walks all rules, so this is found there
	}
	return c.config.Severity(r)
}

// Target is a package that was found.
type Target struct {
	Path     string // under which it is reported: of the archive, the folder or the manifest, with forward slashes
	Location string // where it is in the tree
	Shape    finding.Shape
	// Folder is the name of the submission's folder, by which its id is judged; "" where the package is no submission or
	// lies loose.
	Folder string
	// Submission says that the package is submitted to a registry, so that the rules for submissions hold.
	Submission bool
	// Link says that the package is a link or special file, which is refused and not followed.
	Link bool
	// Sibling is the location of the manifest.json that stands beside an archive, "" where there is none.
	Sibling string
}

// Judge judges a package of a tree: a checkout, or the tree of a commit. In its folders links must show as such. The
// error is about reading alone.
func (c *Checker) Judge(ctx context.Context, tree fs.FS, t Target) (finding.Package, error) {
	if t.Link {
		rep := newReporter(c, t.Path, "")
		rep.add(string(azp.LinkInSource), place{}, "the submission is a link or special file: links are refused, not followed", fix("commit the files themselves"))
		return finding.Package{Path: t.Path, Shape: t.Shape, Findings: rep.findings()}, nil
	}
	switch t.Shape {
	case finding.Source:
		folder, err := fs.Sub(tree, t.Location)
		if err != nil {
			return finding.Package{}, err
		}
		return c.Source(ctx, t, folder)
	case finding.Manifest:
		data, err := c.readManifest(tree, t.Location)
		if err != nil {
			return finding.Package{}, err
		}
		return c.askManifest(ctx, t, data)
	default:
		r, size, closer, err := azp.OpenFile(tree, t.Location, c.limits)
		if err != nil {
			return finding.Package{}, err
		}
		defer closer.Close()
		return c.Built(ctx, t, r, size, c.readSibling(tree, t.Sibling))
	}
}

// Missing is the report on a place where no package is.
func (c *Checker) Missing(path string) finding.Package {
	rep := newReporter(c, path, "")
	rep.add(string(azp.ManifestMissing), place{}, "there is no package here: neither a manifest.json nor an .azp archive, nor folders of them", fix("add manifest.json, or correct the path"))
	return finding.Package{Path: path, Shape: finding.Source, Findings: rep.findings()}
}

// Unreadable is the report on a package that could not be read. Why is no fault of the package.
func (c *Checker) Unreadable(t Target) finding.Package {
	rep := newReporter(c, t.Path, "")
	rep.add("azp/unreadable", place{}, "the package could not be read, so nothing can be said about it", fix("look for the reason in the program's other output, and try again"))
	return finding.Package{Path: t.Path, Shape: t.Shape, Findings: rep.findings()}
}
