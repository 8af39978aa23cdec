package annotate

import (
	"slices"

	"github.com/azphalt/submissions/finding"
)

// The limits of GitHub's Checks API (docs.github.com, "REST API endpoints for check runs").
const (
	AnnotationsPerRequest = 50  // annotations in one request; further ones take further requests
	maxAnnotationTitle    = 255 // characters of a title
)

// nowhere is the path of what belongs to no file. A path is required by GitHub; its own annotations without one have this.
const nowhere = ".github"

// Annotation is an annotation of a check run, with GitHub's JSON names. Its path is as it is, its texts are as by [visible],
// whose limits keep a message and raw details below the 64 KB that GitHub takes.
type Annotation struct {
	Path            string `json:"path"`
	StartLine       int    `json:"start_line"`
	EndLine         int    `json:"end_line"`
	StartColumn     int    `json:"start_column,omitempty"` // only where start and end line are the same
	EndColumn       int    `json:"end_column,omitempty"`   // likewise
	AnnotationLevel string `json:"annotation_level"`       // notice, warning or failure
	Message         string `json:"message"`
	Title           string `json:"title,omitempty"`
	RawDetails      string `json:"raw_details,omitempty"`
}

// Annotations returns the annotations of a check run for r, in the report's order. A finding in an archive that has a place
// in a source file too gets one on each.
func Annotations(r *finding.Report) []Annotation {
	var out []Annotation
	for _, s := range sections(r) {
		for i := range s.findings {
			f := &s.findings[i]
			for _, spot := range spotsOf(f) {
				out = append(out, spot.annotation(f))
			}
		}
	}
	return out
}

// Batches splits annotations into lists of at most size, for one request each.
func Batches(annotations []Annotation, size int) [][]Annotation {
	return slices.Collect(slices.Chunk(annotations, size))
}

func (s spot) annotation(f *finding.Finding) Annotation {
	r := normal(s.Range)
	if r.Line == 0 {
		r.Line, r.EndLine = 1, 1
	}
	a := Annotation{
		Path:            s.file,
		StartLine:       r.Line,
		EndLine:         r.EndLine,
		AnnotationLevel: levelOf(f.Severity).check,
		Message:         s.message,
		Title:           capRunes(visible(f.Rule, maxName), maxAnnotationTitle),
		RawDetails:      s.details,
	}
	if a.Path == "" {
		a.Path = nowhere
	}
	if r.Line == r.EndLine && r.Column > 0 {
		a.StartColumn = r.Column
		a.EndColumn = max(r.EndColumn, r.Column)
	}
	return a
}

// capRunes cuts s to at most n code points.
func capRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
