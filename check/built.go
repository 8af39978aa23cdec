package check

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
)

// Built judges an archive of the given size. Sibling is the text of the manifest.json that stands beside it, nil where
// there is none. The error is about reading alone.
func (c *Checker) Built(ctx context.Context, target Target, r io.ReaderAt, size int64, sibling []byte) (finding.Package, error) {
	p, err := azp.Read(ctx, r, size, c.limits)
	if err != nil {
		return finding.Package{}, err
	}
	rep := newReporter(c, target.Path, "")
	rep.container(p)
	out := finding.Package{Path: target.Path, Shape: finding.Built, Digest: p.Digest.String(), Size: p.Size, Signed: p.Signed}
	rep.judgeBroken(p.Manifest)
	license := unjudged
	if root := p.Manifest.Root(); root.Exists() {
		describePackage(&out, root)
		m := newManifest(rep, p.Manifest)
		m.listManifestFiles()
		m.sizes = sync.OnceValue(func() map[string]int64 { return packedSizes(p) })
		m.unlisted = root.Get("files").Empty()
		m.judgeIdentity(target)
		if root.Get("files").Is(jsontree.Object) { // else nothing is known of the payload, which has been said
			m.judgePayloadReferences()
		}
		if target.Submission {
			m.judgeFileName(target)
			m.judgeSibling(sibling)
		}
		m.judgeKind()
		license = m.judgeLicenseText
		if err := m.judgePublished(ctx, submittedArchive(p)); err != nil {
			return finding.Package{}, err
		}
		if err := m.judgePrograms(ctx, archivePayload(p), &out); err != nil {
			return finding.Package{}, err
		}
	}
	if err := rep.judgeTexts(p, license); err != nil {
		return finding.Package{}, err
	}
	c.judgeSigner(rep, p, &out)
	if target.Sibling != "" {
		rep.showOn(path.Join(path.Dir(target.Path), azp.ManifestName), p.Manifest, sibling)
	}
	out.Findings = rep.findings()
	return out, nil
}

// packedSizes returns the sizes of the entries by the digests that files gives them.
func packedSizes(p *azp.Package) map[string]int64 {
	named := map[string]int64{}
	for _, e := range p.Entries {
		named[e.Name] = e.Size
	}
	sizes := map[string]int64{}
	for f := range p.Manifest.Root().Get("files").Members() {
		if size, there := named[f.Name()]; there {
			sizes[f.Value.Str()] = size
		}
	}
	return sizes
}

// describePackage copies what a manifest says of itself. The manifest is a stranger's: only strings are taken, cut to
// what can be shown.
func describePackage(out *finding.Package, root jsontree.Value) {
	out.ID, out.Version, out.Kind = shown(root.Get("id").Str()), shown(root.Get("version").Str()), shown(root.Get("kind").Str())
}

// maxShown bounds a name that is shown in a heading.
const maxShown = 200

func shown(text string) string { return shownUpTo(text, maxShown) }

// shownUpTo makes text of a package fit for a report, and no longer than so many bytes.
func shownUpTo(text string, limit int) string {
	s := visiblePath(concealed(text[:min(len(text), max(limit+1, maxName))]))
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

// container reports the problems of the archive.
func (r *reporter) container(p *azp.Package) {
	for _, name := range []string{azp.ManifestName, azp.SignatureName} {
		if doc := p.Text(name); doc != nil {
			r.texts[name] = doc.Text()
		}
	}
	for _, problem := range p.Problems {
		r.problem(problem)
	}
}

// problem reports a problem that the azp package found.
func (r *reporter) problem(p azp.Problem) {
	mend := fix("%s", mends[p.Code])
	if p.Want != "" && p.Code == azp.DigestMismatch {
		mend = fixBy([]edit{{p.Start, p.End, jsonString(p.Want)}}, "if the file is the right one, its digest is %s (and sign again: the manifest changes)", p.Want)
	}
	message := concealed(p.Detail)
	if len(p.Others) > 1 {
		message += " (" + nameSome(p.Others) + ")"
	}
	if p.In == azp.ManifestName {
		r.claimed[claim{p.In, p.Start}] = true
	}
	r.add(string(p.Code), place{in: p.In, entry: p.Entry, pointer: p.Pointer, start: p.Start, end: p.End}, message, mend)
}

const askRegistry = "ask the registry's maintainers why"

// nameSome names the first few of a list.
func nameSome(names []string) string {
	const some = 3
	var quoted []string
	for _, name := range names[:min(len(names), some)] {
		quoted = append(quoted, quote(name))
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - some; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// judgeFileName asks for the file name that the registry gives: ID-VERSION.azp.
func (m *manifest) judgeFileName(target Target) {
	id, version := m.root.Get("id").Str(), m.root.Get("version").Str()
	if id == "" || version == "" || target.Folder == "" {
		return
	}
	name := target.Path[strings.LastIndex(target.Path, "/")+1:]
	if want := id + "-" + version + ".azp"; name != want {
		m.add("submission/file-name", at(m.root.Get("version")), fmt.Sprintf("the archive is named %s; packages are named for id and version", quote(name)), fix("rename it to %s", quote(want)))
	}
}

// judgeSigner describes the signer, judges trust and consults the deny lists.
func (c *Checker) judgeSigner(r *reporter, p *azp.Package, out *finding.Package) {
	if c.deny[out.Digest] {
		r.add("sweep/denied-digest", place{}, "the registry refuses this very archive: its digest is on the deny list", fix(askRegistry))
	}
	if p.Signature != nil {
		key := p.Signature.PublicKey.String()
		out.Signer = &finding.Signer{PublicKey: key, KeyID: visiblePath(p.Signature.KeyID)}
		if c.deny[key] {
			r.add("sweep/denied-key", signerPlace(p), "the registry refuses everything by this publisher: the key is on the deny list", fix(askRegistry))
		}
	}
	if c.trust != nil {
		trust := c.trust.Judge(p)
		out.Trust = &finding.Trust{Trusted: trust.Trusted, Reason: trust.Reason}
		if trust.Via != nil {
			out.Trust.Via = trust.Via.String()
		}
	}
}
