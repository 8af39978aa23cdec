package annotate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// SARIFOptions are the settings of [SARIF].
type SARIFOptions struct {
	Rules   []finding.Rule         // the catalogue; of it, the rules that a finding names are described
	RuleURL func(id string) string // where a rule is documented; nil for no links
}

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage     = "https://github.com/azphalt/submissions"
	sourceRoot   = "%SRCROOT%" // the base of all paths: the root of the repository

	// fingerprintName is a name of our own on purpose: GitHub's upload action warns of every primaryLocationLineHash that it
	// hasn't computed itself (github/codeql-action, fingerprints).
	fingerprintName = "azphaltFinding/v1"
)

// SARIF writes the report as a SARIF 2.1.0 log with one run, as GitHub code scanning takes it: every result has a place with
// a path, since one without makes the upload fail as a whole.
//
// A finding inside an archive is placed on the archive, with the entry as a nested artifact among the related places; where
// it has a place in a source file too, that comes first, since it is where a reader can see and mend it.
func SARIF(w io.Writer, r *finding.Report, o SARIFOptions) error {
	b := newSARIFBuilder(o)
	for _, s := range sections(r) {
		for i := range s.findings {
			b.add(&s.findings[i])
		}
	}
	return encode(w, b.log(r.Tool))
}

// sarifBuilder gathers the parts of a run.
type sarifBuilder struct {
	SARIFOptions
	rules     []sarifRule
	ruleIndex map[string]int
	artifacts []sarifArtifact
	nested    map[[2]string]int // index of the artifact by archive and entry
	seen      map[string]int    // how often a fingerprint came up
	results   []sarifResult
}

func newSARIFBuilder(o SARIFOptions) *sarifBuilder {
	return &sarifBuilder{SARIFOptions: o, ruleIndex: map[string]int{}, nested: map[[2]string]int{}, seen: map[string]int{},
		rules: []sarifRule{}, results: []sarifResult{}}
}

func (b *sarifBuilder) log(tool finding.Tool) sarifLog {
	return sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{{
		Tool:        sarifTool{Driver: sarifDriver{Name: tool.Name, Version: tool.Version, InformationURI: homepage, Rules: b.rules}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}},
		OriginalURIBaseIDs: map[string]sarifArtifactLocation{
			sourceRoot: {Description: &sarifMessage{Text: "The root of the repository."}},
		},
		ColumnKind: "unicodeCodePoints",
		Artifacts:  b.artifacts,
		Results:    b.results,
	}}}
}

func (b *sarifBuilder) add(f *finding.Finding) {
	b.results = append(b.results, sarifResult{
		RuleID:              f.Rule,
		RuleIndex:           b.rule(f),
		Level:               levelOf(f.Severity).sarif,
		Message:             sarifMessage{Text: resultText(f)},
		Locations:           locations(f),
		RelatedLocations:    b.related(f),
		PartialFingerprints: map[string]string{fingerprintName: b.fingerprint(f)},
		Fixes:               fixes(f),
	})
}

// rule returns the index of the rule of f, described when it first comes up.
func (b *sarifBuilder) rule(f *finding.Finding) int {
	if index, ok := b.ruleIndex[f.Rule]; ok {
		return index
	}
	rule := finding.Rule{ID: f.Rule, Severity: f.Severity} // of one that the catalogue lacks nothing more is known
	if i := slices.IndexFunc(b.Rules, func(r finding.Rule) bool { return r.ID == f.Rule }); i >= 0 {
		rule = b.Rules[i]
	}
	index := len(b.rules)
	b.ruleIndex[f.Rule] = index
	b.rules = append(b.rules, describeRule(rule, b.RuleURL))
	return index
}

// resultText is the message of f. Braces stay single although § 3.11.5 of the standard doubles them: GitHub shows a message
// as it is, and there are no arguments that a placeholder could stand for. A "](" is parted, as it would make a link
// (§ 3.11.6).
func resultText(f *finding.Finding) string {
	text := visible(f.Message, maxMessage)
	if f.Entry != "" {
		text = position(f.Entry, f.Range) + ": " + text
	}
	return strings.ReplaceAll(withHelp(f, text), "](", "] (")
}

// locations returns the places of f, the one to show first.
func locations(f *finding.Finding) []sarifLocation {
	var out []sarifLocation
	if f.Entry != "" && f.Source != nil {
		out = append(out, locationOf(f.Source.File, f.Source.Range))
	}
	if f.Entry != "" {
		out = append(out, locationOf(f.File, finding.Range{}))
	} else {
		out = append(out, locationOf(f.File, f.Range))
	}
	if f.Pointer != "" {
		out[0].LogicalLocations = []sarifLogicalLocation{{FullyQualifiedName: visible(f.Pointer, maxName), Kind: "value"}}
	}
	return out
}

func locationOf(file string, r finding.Range) sarifLocation {
	return sarifLocation{PhysicalLocation: &sarifPhysicalLocation{ArtifactLocation: artifact(file), Region: region(r)}}
}

// related returns the place of f inside its archive.
func (b *sarifBuilder) related(f *finding.Finding) []sarifLocation {
	if f.Entry == "" {
		return nil
	}
	index := b.nestedArtifact(f.File, f.Entry)
	return []sarifLocation{{
		PhysicalLocation: &sarifPhysicalLocation{
			ArtifactLocation: sarifArtifactLocation{URI: uri(f.Entry), Index: &index},
			Region:           region(f.Range),
		},
		Message: &sarifMessage{Text: "inside the archive"},
	}}
}

// nestedArtifact returns the index of the artifact that is the entry of an archive, after the one that is the archive.
func (b *sarifBuilder) nestedArtifact(file, entry string) int {
	if i, ok := b.nested[[2]string{file, entry}]; ok {
		return i
	}
	parent, ok := b.nested[[2]string{file, ""}]
	if !ok {
		parent = len(b.artifacts)
		b.nested[[2]string{file, ""}] = parent
		b.artifacts = append(b.artifacts, sarifArtifact{Location: artifact(file)})
	}
	index := len(b.artifacts)
	b.nested[[2]string{file, entry}] = index
	b.artifacts = append(b.artifacts, sarifArtifact{Location: sarifArtifactLocation{URI: uri(entry)}, ParentIndex: &parent})
	return index
}

// fingerprint identifies f across runs: by rule, file, entry and pointer, and by the how-manieth of those it is. Lines are
// left out, as they shift; so is the message, which may hold a part of a value.
func (b *sarifBuilder) fingerprint(f *finding.Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.File, f.Entry, f.Pointer}, "\x00")))
	id := hex.EncodeToString(sum[:16])
	b.seen[id]++
	return fmt.Sprintf("%s:%d", id, b.seen[id])
}

// fixes returns the edits of f, for a file that can be edited: f's own, or the source of the archive if the same text is at
// the same place there.
func fixes(f *finding.Finding) []sarifFix {
	if f.Fix == nil || len(f.Fix.Edits) == 0 {
		return nil
	}
	file := f.File
	if f.Entry != "" {
		if f.Source == nil || f.Source.Range != f.Range {
			return nil
		}
		file = f.Source.File
	}
	change := sarifArtifactChange{ArtifactLocation: artifact(file)}
	for _, e := range f.Fix.Edits {
		deleted := region(e.Range)
		if deleted == nil || deleted.StartColumn == 0 || deleted.EndColumn == 0 {
			return nil // not a place that text can be put at
		}
		change.Replacements = append(change.Replacements, sarifReplacement{
			DeletedRegion:   *deleted,
			InsertedContent: &sarifContent{Text: e.Text},
		})
	}
	return []sarifFix{{Description: sarifMessage{Text: visible(f.Fix.Description, maxMessage)}, ArtifactChanges: []sarifArtifactChange{change}}}
}

// artifact returns the location of a file of the repository.
func artifact(path string) sarifArtifactLocation {
	switch {
	case path == "":
		return sarifArtifactLocation{URI: nowhere, URIBaseID: sourceRoot}
	case strings.HasPrefix(path, "/"):
		return sarifArtifactLocation{URI: "file:///" + uri(strings.TrimLeft(path, "/"))}
	}
	return sarifArtifactLocation{URI: uri(path), URIBaseID: sourceRoot}
}

// uri returns a path as a relative reference. Unescaped, a colon would make a scheme of what is before it, and slashes at the
// start an address on another host.
func uri(path string) string {
	rest := strings.TrimLeft(path, "/")
	segments := strings.Split(rest, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A")
	}
	return strings.Repeat("%2F", len(path)-len(rest)) + strings.Join(segments, "/")
}

// region returns r, nil where there is no place.
func region(r finding.Range) *sarifRegion {
	r = normal(r)
	if r.Line == 0 {
		return nil
	}
	return &sarifRegion{StartLine: r.Line, StartColumn: r.Column, EndLine: r.EndLine, EndColumn: r.EndColumn}
}
