package annotate

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// level is how the faces spell one severity. This is the only place that maps severities.
type level struct {
	command string // GitHub workflow command
	check   string // annotation_level of a check run
	sarif   string // result.level
	problem string // problem.severity of a SARIF rule, as GitHub spells it
	emoji   string
	colour  string // ANSI SGR parameters
}

var levels = [...]level{
	finding.Notice:  {"notice", "notice", "note", "recommendation", "ℹ️", "1;36"},
	finding.Warning: {"warning", "warning", "warning", "warning", "⚠️", "1;33"},
	finding.Error:   {"error", "failure", "error", "error", "❌", "1;31"},
}

// levelOf returns the level of s. A report holds no finding that is Off; were there one, it would be shown as a notice.
func levelOf(s finding.Severity) level {
	return levels[min(max(s, finding.Notice), finding.Error)]
}

// gravestFirst lists the severities of findings in the order in which room is given to them.
var gravestFirst = [...]finding.Severity{finding.Error, finding.Warning, finding.Notice}

// tally counts findings by severity.
type tally [finding.Error + 1]int

func tallyOf(fs []finding.Finding) tally {
	var t tally
	for i := range fs {
		t[min(max(fs[i].Severity, finding.Notice), finding.Error)]++
	}
	return t
}

func (t *tally) add(other tally) {
	for i, n := range other {
		t[i] += n
	}
}

// String returns "3 errors, 1 warning", or "" where there is nothing to count.
func (t tally) String() string {
	var parts []string
	for _, s := range gravestFirst {
		if n := t[s]; n > 0 {
			parts = append(parts, plural(n, s.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// plural returns "1 noun" or "n nouns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// capital returns text, which begins with a letter of ours, as the beginning of a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
