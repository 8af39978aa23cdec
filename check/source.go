package check

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/published"
)

// Source judges a folder from which a package is packed. The file system is that of the folder. The error is about
// reading alone.
func (c *Checker) Source(ctx context.Context, target Target, folder fs.FS) (finding.Package, error) {
	src, err := azp.ReadSource(ctx, folder, c.limits)
	if err != nil {
		return finding.Package{}, err
	}
	rep := newReporter(c, target.Path, target.Path)
	out := finding.Package{Path: target.Path, Shape: finding.Source}
	if text := src.Manifest.Text(); text != nil {
		rep.texts[azp.ManifestName] = text
	}
	for _, p := range src.Problems {
		rep.problem(p)
	}
	rep.judgeBroken(src.Manifest)
	license := unjudged
	if root := src.Manifest.Root(); root.Exists() {
		describePackage(&out, root)
		m := newManifest(rep, src.Manifest)
		if err := m.judgeSource(ctx, src, target, &out); err != nil {
			return finding.Package{}, err
		}
		license = m.judgeLicenseText
	} else if src.Manifest.Text() == nil && len(rep.raw) == 0 {
		rep.add(string(azp.ManifestMissing), place{entry: azp.ManifestName}, "the folder has no manifest.json", fix("add manifest.json"))
	}
	if err := rep.judgeSourceTexts(src, license); err != nil {
		return finding.Package{}, err
	}
	out.Signed = src.Has(azp.SignatureName)
	out.Findings = rep.findings()
	return out, nil
}

func (m *manifest) judgeSource(ctx context.Context, src *azp.SourceFolder, target Target, out *finding.Package) error {
	for _, f := range src.Files {
		m.list(f.Path, place{entry: f.Path})
	}
	m.sizes = sync.OnceValue(func() map[string]int64 { return sourceSizes(src) })
	m.judgeIdentity(target)
	m.judgeLicenseFile(src)
	m.judgePayloadReferences()
	m.judgeKind()
	if files := m.root.Get("files"); files.Exists() {
		m.add("submission/files-ignored", opening(files), "a source has no files of its own: packing computes them", fix("remove files"))
	}
	if err := m.judgeSourceSignature(src); err != nil {
		return err
	}
	if packed, err := src.PackedManifest(); err == nil {
		if err := m.judgePublished(ctx, submitted{content: azp.DigestOf(packed), source: true, profile: published.SourceProfile(src)}); err != nil {
			return err
		}
	}
	return m.judgePrograms(ctx, sourcePayload(src), out)
}

func sourceSizes(src *azp.SourceFolder) map[string]int64 {
	sizes := map[string]int64{}
	for _, f := range src.Files {
		sizes[f.Digest.String()] = f.Size
	}
	return sizes
}

// judgeLicenseFile asks for the text of the license.
func (m *manifest) judgeLicenseFile(src *azp.SourceFolder) {
	license := orElse(m.root.Get("license"), m.root)
	switch {
	case src.Has(azp.LicenseName):
	case slices.Contains(src.Folders, azp.LicenseName):
		m.add("submission/packaging-failed", opening(license), "LICENSE is a folder; it has to be the file with the text of the license", fix("put the text into a file LICENSE; more files can lie in a folder of another name"))
	case slices.ContainsFunc(src.Problems, func(p azp.Problem) bool { return p.Entry == azp.LicenseName }):
		// a link, or bytes that can't be packed: that has been said
	default:
		m.add("submission/license-missing", opening(license), "the submission has no file LICENSE with the text of the license", fix("add LICENSE beside manifest.json"))
	}
}

// judgeSourceSignature judges a signature.json in a source, which can't be that of a package yet to be packed.
func (m *manifest) judgeSourceSignature(src *azp.SourceFolder) error {
	doc, problems, err := src.Signature()
	if doc == nil {
		return err
	}
	m.texts[azp.SignatureName] = doc.Text()
	for _, p := range problems {
		m.problem(p)
	}
	return nil
}

// ManifestFile judges a manifest by itself: its shape and the rules of its kind. There are no files to look at, and no
// servers are asked.
func (c *Checker) ManifestFile(target Target, data []byte) finding.Package {
	out, _ := c.manifestFile(target, data, func(*manifest, *finding.Package) error { return nil })
	return out
}

// askManifest judges a manifest by itself, and asks its servers where somebody asks for it. The error means that we could
// not look.
func (c *Checker) askManifest(ctx context.Context, target Target, data []byte) (finding.Package, error) {
	noFiles := func(string, func(io.Reader) error) (bool, error) { return false, nil }
	return c.manifestFile(target, data, func(m *manifest, out *finding.Package) error { return m.judgePrograms(ctx, noFiles, out) })
}

// manifestFile judges a manifest by itself, and does more with it where it can be read.
func (c *Checker) manifestFile(target Target, data []byte, more func(*manifest, *finding.Package) error) (finding.Package, error) {
	rep := newReporter(c, target.Path, target.Path)
	rep.manifestPath = target.Path
	out := finding.Package{Path: target.Path, Shape: finding.Manifest}
	doc, problems := azp.ParseManifest(data, c.limits)
	rep.texts[azp.ManifestName] = doc.Text()
	for _, p := range problems {
		rep.problem(p)
	}
	rep.judgeBroken(doc)
	if root := doc.Root(); root.Exists() {
		describePackage(&out, root)
		m := newManifest(rep, doc)
		m.listManifestFiles()
		if !root.Is(jsontree.Object) || root.Get("kind").Empty() {
			m.claim(root)
			m.add("manifest/field-missing", opening(root), `this is no manifest: it names no kind of package under "kind"`, fix("%s", fieldHint["kind"]))
		} else {
			m.judgeKindName("manifest")
		}
		m.judgeKind()
		if err := more(m, &out); err != nil {
			return finding.Package{}, err
		}
	}
	out.Findings = rep.findings()
	return out, nil
}
