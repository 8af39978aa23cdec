package check

import (
	"fmt"
	"path"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
)

// maxFindings bounds the findings of one package: a manifest of four megabytes can hold a hundred thousand faults, of
// which nobody reads the last.
const maxFindings = 10_000

// reporter gathers the findings of one package.
type reporter struct {
	c    *Checker
	file string // of which the findings are: the archive, or the source file
	dir  string // of a source folder, to which entries are relative; "" for an archive
	// manifestPath is the file of a manifest that is judged by itself.
	manifestPath string

	// sibling is the source of the archive's manifest, in siblingFile; nil where there is none.
	sibling, manifest *jsontree.Doc
	siblingFile       string

	texts   map[string]*source.Text // JSON texts by name
	raw     []rawFinding
	claimed map[claim]bool
	masks   map[string][]source.Mask // by text
	dropped int

	inputList *inputList // where edits declare inputs; nil where none can be
}

// rawFinding is a finding whose place is still in bytes.
type rawFinding struct {
	finding.Finding
	in         string // the JSON text of the place
	start, end int
	edits      []edit
	declares   []input // inputs that the mend declares, too: see declareInputs
}

// claim is a value that a finding is about: nothing less specific is said about it.
type claim struct {
	in    string
	start int
}

// edit replaces bytes of the text that a finding is in.
type edit struct {
	start, end int
	text       string
}

func newReporter(c *Checker, file, dir string) *reporter {
	return &reporter{c: c, file: file, dir: dir, texts: map[string]*source.Text{}, claimed: map[claim]bool{}, masks: map[string][]source.Mask{}}
}

// place is where a finding is shown.
type place struct {
	in         string // JSON text
	entry      string // entry or file that it is about, where it has no place in a text
	pointer    string
	start, end int
}

// at is the place of a value of the manifest.
func at(v jsontree.Value) place {
	start, end := v.Span()
	return place{in: azp.ManifestName, pointer: v.Pointer(), start: start, end: end}
}

// within is the place of a part of a value, given in bytes of the text.
func within(v jsontree.Value, start, end int) place {
	return place{in: azp.ManifestName, pointer: v.Pointer(), start: start, end: end}
}

// opening is the place of an object or array that lacks something: its bracket, not all its lines.
func opening(v jsontree.Value) place {
	p := at(v)
	if v.Is(jsontree.Object) || v.Is(jsontree.Array) {
		p.end = p.start + 1
	}
	return p
}

// option adds to a finding.
type option func(*rawFinding)

// fix gives the mend in words.
func fix(format string, args ...any) option {
	return func(f *rawFinding) { f.Fix = &finding.Fix{Description: fmt.Sprintf(format, args...)} }
}

// fixBy gives the mend in words and as edits of the text.
func fixBy(edits []edit, format string, args ...any) option {
	return func(f *rawFinding) {
		fix(format, args...)(f)
		f.edits = edits
	}
}

// add reports a finding.
func (r *reporter) add(rule string, p place, message string, opts ...option) {
	severity := r.c.severity(rule)
	if severity == finding.Off {
		return
	}
	if len(r.raw) >= maxFindings {
		r.dropped++
		return
	}
	f := rawFinding{
		Finding: finding.Finding{Rule: rule, Severity: severity, Message: message, File: r.file, Entry: p.entry, Pointer: visiblePointer(p.pointer)},
		in:      p.in, start: p.start, end: p.end,
	}
	if p.in != "" {
		f.Entry = p.in
	}
	for _, o := range opts {
		o(&f)
	}
	r.raw = append(r.raw, f)
}

// claim marks a value as spoken for and reports whether it was free.
func (r *reporter) claim(v jsontree.Value) bool {
	start, _ := v.Span()
	c := claim{azp.ManifestName, start}
	free := !r.claimed[c]
	r.claimed[c] = true
	return free
}

// isClaimed reports whether a finding is about the value already.
func (r *reporter) isClaimed(v jsontree.Value) bool {
	start, _ := v.Span()
	return r.claimed[claim{azp.ManifestName, start}]
}

// mask keeps bytes of the manifest out of every excerpt.
func (r *reporter) mask(start, end int) {
	r.masks[azp.ManifestName] = append(r.masks[azp.ManifestName], source.Mask{Start: start, End: end})
}

// maskValue keeps the inside of a string out of every excerpt.
func (r *reporter) maskValue(v jsontree.Value) {
	if start, end := v.Span(); end-start > 2 && v.Is(jsontree.String) {
		r.mask(start+1, end-1)
	}
}

// findings places the findings and makes their excerpts.
func (r *reporter) findings() []finding.Finding {
	if r.dropped > 0 {
		r.raw = append(r.raw, rawFinding{Finding: finding.Finding{
			Rule: "limit/findings", Severity: finding.Error, File: r.file,
			Message: fmt.Sprintf("there are more than %d findings; the rest, %d, is not shown", maxFindings, r.dropped),
			Fix:     &finding.Fix{Description: "mend what is shown, and verify again"},
		}})
	}
	r.declareInputs()
	masks := map[string]source.Masks{}
	for in, m := range r.masks {
		masks[in] = source.NewMasks(m)
	}
	out := make([]finding.Finding, 0, len(r.raw))
	for _, f := range r.raw {
		if text := r.texts[f.in]; text != nil {
			f.Range = text.Range(f.start, f.end)
			f.Excerpt = text.Excerpt(f.start, f.end, masks[f.in])
			for _, e := range f.edits {
				f.Fix.Edits = append(f.Fix.Edits, finding.Edit{Range: text.Range(e.start, e.end), Text: e.text})
			}
		}
		f.Source = r.sourcePlace(f)
		r.locate(&f.Finding)
		out = append(out, f.Finding)
	}
	return finding.Sort(out)
}

// sourcePlace is the place of a finding in the source beside the archive.
func (r *reporter) sourcePlace(f rawFinding) *finding.Place {
	if r.sibling == nil || f.in != azp.ManifestName {
		return nil
	}
	start, ok := jsontree.Corresponding(r.manifest, r.sibling, f.start)
	if !ok {
		return nil
	}
	return &finding.Place{File: r.siblingFile, Range: r.sibling.Text().Range(start, start+f.end-f.start)}
}

// locate turns the entry of a finding into the file that it is in, where there is no archive.
func (r *reporter) locate(f *finding.Finding) {
	switch {
	case r.manifestPath != "":
		f.Entry = ""
	case r.dir != "" && f.Entry != "":
		f.File, f.Entry = path.Join(r.dir, visiblePath(f.Entry)), ""
	default:
		f.Entry = visiblePath(f.Entry)
	}
}

// visiblePath makes a name from a package fit for a report.
func visiblePath(name string) string { return source.Visible(name) }
