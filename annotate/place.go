package annotate

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// position returns "name:line:column" with as much of the place as there is.
func position(name string, r finding.Range) string {
	name = visible(name, maxName)
	switch {
	case r.Line < 1:
		return name
	case r.Column < 1:
		return fmt.Sprintf("%s:%d", name, r.Line)
	}
	return fmt.Sprintf("%s:%d:%d", name, r.Line, r.Column)
}

// place returns where f is: "file:line:column", or "file » entry:line:column" inside an archive; "" where it is nowhere.
func place(f *finding.Finding) string {
	switch {
	case f.Entry != "":
		return visible(f.File, maxName) + " » " + position(f.Entry, f.Range)
	case f.File != "":
		return position(f.File, f.Range)
	}
	return ""
}

// shortEdit returns what a fix would write, ready to be said after "help": only for a single edit that fits on the line.
func shortEdit(fix *finding.Fix) (verb, text string) {
	const room = 72
	if fix == nil || len(fix.Edits) != 1 {
		return "", ""
	}
	e := fix.Edits[0]
	if e.Text == "" || len(e.Text) > room || strings.ContainsAny(e.Text, "\r\n") {
		return "", ""
	}
	verb = "replace with"
	if e.Range.Line == e.EndLine && e.Column == e.EndColumn {
		verb = "insert"
	}
	return verb, visible(strings.Trim(e.Text, " \t"), room)
}
