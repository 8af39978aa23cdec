package check

import (
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

// readSibling reads the manifest beside an archive. It only serves to show findings in a second place, so that one that
// can't be read is none.
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
