package check

import (
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
)

// manifest is what the rules of the kinds see.
type manifest struct {
	*reporter
	doc  *jsontree.Doc
	root jsontree.Value
	kind string

	// files are the files of the package but manifest.json: those that the manifest lists, or those that packing will.
	files  []listedFile
	listed map[string]bool
	// unlisted says that a package does not list its files, which is a finding of its own: no path is called missing.
	unlisted bool
	// suggested are files that a finding names as the ones that were meant.
	suggested map[string]bool
	// sizes are those of the files of the package, by their digests; nil where nothing is known of them.
	sizes   func() map[string]int64
	servers *mcpBlock // see serverBlock
}

// listedFile is a file of the package and where it is listed.
type listedFile struct {
	path  string
	place place
}

// kinds are the kinds of packages, with the block that each needs ("" for none).
var kinds = map[string]string{
	"asset": "", "code": "", "mixed": "", "app": "app", "mcp": "mcp", "pack": "pack", "skill": "skill", "script": "script",
}

// newManifest prepares the rules. The document must have a root.
func newManifest(r *reporter, doc *jsontree.Doc) *manifest {
	r.texts[azp.ManifestName] = doc.Text()
	root := doc.Root()
	return &manifest{reporter: r, doc: doc, root: root, kind: root.Get("kind").Str(), listed: map[string]bool{}, suggested: map[string]bool{}}
}

// list adds a file to those of the package.
func (m *manifest) list(path string, p place) {
	if !m.listed[path] {
		m.listed[path] = true
		m.files = append(m.files, listedFile{path, p})
	}
}

// sizeOf returns the size of a file of the package that has a digest.
func (m *manifest) sizeOf(digest string) (size int64, known bool) {
	if m.sizes == nil {
		return 0, false
	}
	size, known = m.sizes()[digest]
	return size, known
}

// has reports whether a path can be that of a file of the package.
func (m *manifest) has(path string) bool { return m.unlisted || m.listed[path] }

// listManifestFiles takes the files from the manifest itself.
func (m *manifest) listManifestFiles() {
	for f := range m.root.Get("files").Members() {
		m.list(f.Name(), at(f.Key))
	}
}

// judgeKind runs the rules of the manifest's kind and those that hold for every kind.
func (m *manifest) judgeKind() {
	switch m.kind {
	case "mcp":
		m.judgeMCP()
	case "app":
		m.judgeApp()
	case "pack":
		m.judgePack()
	case "skill":
		m.judgeSkill()
	case "script":
		m.judgeScript()
	case "code", "mixed":
		m.judgeCode()
	}
	m.judgeCapabilities()
	m.judgeSecrets()
	m.judgeValues()
	if m.servers != nil { // what follows quotes values, of which none may be a credential
		m.servers.judgeStarts()
		m.servers.judgeInputUse()
	}
	m.judgeShape()
}

// all yields every member of that name: of a repeated name, which is a finding of its own, nothing may hide behind the
// last one.
func all(object jsontree.Value, name string) []jsontree.Value {
	var out []jsontree.Value
	for m := range object.Members() {
		if m.Name() == name {
			out = append(out, m.Value)
		}
	}
	return out
}

// orElse returns v where it exists, the object that lacks it otherwise.
func orElse(v, object jsontree.Value) jsontree.Value {
	if v.Exists() {
		return v
	}
	return object
}
