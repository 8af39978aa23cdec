package annotate

import (
	"github.com/azphalt/submissions/finding"
)

// annotationWidth is the columns of an excerpt in an annotation.
const annotationWidth = 120

// spot is one place at which a finding is annotated.
type spot struct {
	file string
	finding.Range
	message string // one or more lines
	details string // the excerpt, where the place doesn't show the line
}

// spotsOf returns the places of f, the most useful first. A finding inside an archive can't be annotated on its line: it is
// shown on the archive with the line as text, and before that in the source file where there is one.
func spotsOf(f *finding.Finding) []spot {
	if f.Entry == "" {
		return []spot{{file: f.File, Range: f.Range, message: withHelp(f, visible(f.Message, maxMessage))}}
	}
	archive := spot{
		file:    f.File,
		message: withHelp(f, position(f.Entry, f.Range)+": "+visible(f.Message, maxMessage)),
		details: snippet(f, annotationWidth),
	}
	if f.Source == nil {
		return []spot{archive}
	}
	source := spot{
		file:    f.Source.File,
		Range:   f.Source.Range,
		message: withHelp(f, visible(f.Message, maxMessage)) + "\nAlso in the package built from it: " + place(f),
	}
	return []spot{source, archive}
}

// withHelp adds to a message what the fix says.
func withHelp(f *finding.Finding, message string) string {
	if f.Fix == nil {
		return message
	}
	if f.Fix.Description != "" {
		message += "\nHelp: " + visible(f.Fix.Description, maxMessage)
	}
	if verb, text := shortEdit(f.Fix); verb != "" {
		message += "\n" + capital(verb) + ": " + text
	}
	return message
}

func (s spot) command(f *finding.Finding) Command {
	message := s.message
	if s.details != "" {
		message += "\n\n" + s.details
	}
	return Command{Severity: f.Severity, File: s.file, Range: s.Range, Title: f.Rule, Message: message}
}
