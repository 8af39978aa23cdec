// Package rulecase judges the examples of the rules. An example is a txtar archive: the files of a submission and, in
// front of them, directives that say what is made of the files. Without directives they are judged as a source folder.
package rulecase

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/published"
)

// groups are the groups of rules whose examples are submissions.
var groups = []string{
	"app", "azp", "code", "json", "limit", "manifest", "mcp", "offers", "pack", "provenance", "publisher", "script", "secret", "skill", "submission", "sweep", "wasm", "zip",
}

// Runs reports whether the examples of a rule are submissions. Those of other rules are trees of another kind, which the
// package that has the rule judges itself.
func Runs(id string) bool {
	group, _, _ := strings.Cut(id, "/")
	return slices.Contains(groups, group)
}

// Judge builds the submission of an example and judges it. The error says that the example itself is at fault.
func Judge(ctx context.Context, example string) (finding.Package, error) {
	b, err := build(ctx, example)
	if err != nil {
		return finding.Package{}, err
	}
	tree, root := b.tree()
	opt := check.Options{Limits: b.limits, Config: b.config, Account: b.account, Probe: b.probe}
	if b.base != nil {
		opt.Published = published.New(b.base, b.config.Submissions, b.config.Registry.Path, b.limits)
	}
	c := check.New(opt)
	targets, err := c.Discover(tree, root, root)
	if err != nil {
		return finding.Package{}, err
	}
	if len(targets) != 1 {
		return finding.Package{}, fmt.Errorf("the example holds %d packages, want one", len(targets))
	}
	p, err := c.Judge(ctx, tree, targets[0])
	if err != nil && b.unreadable {
		return c.Unreadable(targets[0]), nil
	}
	return p, err
}

// builder is a submission in the making.
type builder struct {
	ctx     context.Context
	entries []*entry // files of the folder; once there is an archive, its entries
	limits  azp.Limits
	config  *config.Config
	base    fstest.MapFS // what the base branch holds, nil for nothing
	account int64        // of whoever submits; 0 for nobody known

	alone  bool   // only manifest.json is judged
	built  bool   // the entries are those of an archive
	loose  bool   // the archive lies outside of the folder of submissions
	folder string // name of the submission's folder
	file   string // name of the archive
	beside *entry // the manifest.json that lies beside the archive, nil for none

	end         endRecord
	bytes       []byte // the archive as it was written; nil until then
	denyArchive bool
	unreadable  bool // the archive can't be opened
	probe       check.Probe
}

// build runs the directives of an example over its files.
func build(ctx context.Context, example string) (*builder, error) {
	archive := txtar.Parse([]byte(example))
	b := &builder{ctx: ctx, config: config.Default()}
	for _, f := range archive.Files {
		b.entries = append(b.entries, &entry{name: f.Name, data: f.Data})
	}
	b.name()
	for line := range strings.Lines(string(archive.Comment)) {
		if err := b.run(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("directive %q: %w", strings.TrimSpace(line), err)
		}
	}
	if b.denyArchive {
		b.config.Deny.Digests = []string{azp.DigestOf(b.written()).String()}
	}
	return b, nil
}

// tree lays the submission out as it lies in a repository, and returns the path at which it is to be found.
func (b *builder) tree() (tree fs.FS, root string) {
	files := fstest.MapFS{}
	dir := path.Join(b.config.Submissions, b.folder)
	switch {
	case b.alone:
		files[azp.ManifestName] = b.lookup(azp.ManifestName).file()
		return files, azp.ManifestName
	case !b.built:
		for _, e := range b.entries {
			files[dir+"/"+e.name] = e.file()
		}
		return files, dir
	case b.loose:
		root = b.file
	default:
		root = path.Join(dir, b.file)
	}
	files[root] = &fstest.MapFile{Data: b.written()}
	if b.beside != nil {
		files[path.Join(path.Dir(root), azp.ManifestName)] = b.beside.file()
	}
	if b.unreadable {
		return sealed{files, root}, root
	}
	return files, root
}

// sealed is a tree with a file that can be found, and not read.
type sealed struct {
	fs.StatFS
	name string
}

func (s sealed) Open(name string) (fs.File, error) {
	if name == s.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return s.StatFS.Open(name)
}

// name names folder and archive by what the manifest says, which directives can change.
func (b *builder) name() {
	var id, version string
	if m := b.lookup(azp.ManifestName); m != nil {
		doc, _ := jsontree.Parse(m.data)
		id, version = doc.Root().Get("id").Str(), doc.Root().Get("version").Str()
	}
	b.folder = cmp.Or(id, "com.example.package")
	b.file = b.folder + "-" + cmp.Or(version, "1.0.0") + ".azp"
}

// lookup returns the first entry of that name, nil where there is none.
func (b *builder) lookup(name string) *entry {
	for _, e := range b.entries {
		if e.name == name {
			return e
		}
	}
	return nil
}
