// Package annotate holds the faces of a [finding.Report]: for a person at a terminal, for programs, for GitHub's workflow
// commands, check runs and job summaries, and for code scanning. Every writer is a pure function from a report to bytes;
// the same report gives the same bytes.
//
// All text of a report may be chosen by a stranger. No writer lets such text start a line, end a field, become markup, or
// be invisible; see [visible] for what is shown in place of it, and each writer for its own escaping on top of that.
package annotate

import (
	"fmt"
	"io"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// The names of the formats that [Write] knows.
const (
	FormatText     = "text"     // for a terminal
	FormatJSON     = "json"     // the published report
	FormatSARIF    = "sarif"    // SARIF 2.1.0
	FormatGitHub   = "github"   // workflow commands
	FormatMarkdown = "markdown" // a job summary
)

// Options holds the settings of all writers.
type Options struct {
	Text     TextOptions
	Commands CommandOptions
	Summary  SummaryOptions
	SARIF    SARIFOptions
}

// Formats lists the names of the formats, the default first.
func Formats() []string {
	return []string{FormatText, FormatJSON, FormatSARIF, FormatGitHub, FormatMarkdown}
}

// Write writes r in the format of that name. It fails on an unknown name and where w does.
func Write(w io.Writer, format string, r *finding.Report, o Options) error {
	switch format {
	case FormatText:
		return Text(w, r, o.Text)
	case FormatJSON:
		return JSON(w, r)
	case FormatSARIF:
		return SARIF(w, r, o.SARIF)
	case FormatGitHub:
		_, _, err := Commands(w, r, o.Commands)
		return err
	case FormatMarkdown:
		return Summary(w, r, o.Summary)
	}
	return fmt.Errorf("unknown format %q: want %s", format, strings.Join(Formats(), ", "))
}
