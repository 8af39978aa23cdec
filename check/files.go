package check

import (
	"bytes"
	"io"
	"io/fs"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/jsontree"
)

func orDefault(limit, def int64) int64 {
	if limit <= 0 {
		return def
	}
	return limit
}

// readManifest reads a manifest, up to its limit and a byte more, by which it is told to be too big.
func (c *Checker) readManifest(tree fs.FS, name string) ([]byte, error) {
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, orDefault(c.limits.Manifest, azp.DefaultLimits.Manifest)+1))
}

// readSibling reads the manifest beside an archive. One that can't be read is none.
func (c *Checker) readSibling(tree fs.FS, name string) []byte {
	if name == "" {
		return nil
	}
	data, err := c.readManifest(tree, name)
	if err != nil {
		return nil
	}
	return data
}

// judgeSibling compares the manifest beside an archive of the same version with that in the archive, as packing would write
// it: reviewers read the one, hosts the other.
func (m *manifest) judgeSibling(sibling []byte) {
	doc, _ := azp.ParseManifest(sibling, m.c.limits)
	version := m.root.Get("version")
	if beside := doc.Root(); !nonEmptyString(version) || beside.Get("version").Str() != version.Str() || m.samePacked(beside) {
		return
	}
	m.add("submission/manifest-differs", at(version), "the manifest.json beside the archive is of the same version and says something else than the one in the archive: reviewers would read the one, and hosts the other",
		fix("pack the archive again from the manifest.json beside it, or take that away"))
}

// samePacked reports whether another manifest becomes this one when it is packed, the files apart.
func (m *manifest) samePacked(other jsontree.Value) bool {
	limit := int(orDefault(m.c.limits.Manifest, azp.DefaultLimits.Manifest))
	this, ok := jsontree.Stringify(m.root, limit, []string{"files"})
	packed, otherOK := jsontree.Stringify(other, limit, []string{"files"})
	return !ok || !otherOK || bytes.Equal(this, packed) // what nesting makes longer than a manifest may be is not compared
}

// showOn has findings in the manifest shown in the source file beside the archive too, where that has the same content.
func (r *reporter) showOn(file string, manifest *jsontree.Doc, sibling []byte) {
	if !manifest.Root().Exists() || len(sibling) == 0 {
		return
	}
	source, _ := azp.ParseManifest(sibling, r.c.limits)
	if source.Root().Exists() && jsontree.SameBefore(manifest, source, "files") {
		r.sibling, r.siblingFile = source, file
		r.manifest = manifest
	}
}
