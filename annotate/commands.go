package annotate

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// CommandsPerLevel is how many annotations of each severity GitHub shows for one step; what a step prints beyond that is
// in its log alone (docs.github.com, "Workflow commands for GitHub Actions" and the Checks API).
const CommandsPerLevel = 10

// CommandOptions are the settings of [Commands].
type CommandOptions struct {
	PerLevel int // commands of each severity at most; 0 means CommandsPerLevel
}

// Commands writes findings as the GitHub workflow commands that make annotations, errors first. Where there is no room for
// all of a severity, packages and roles take turns, each with its first findings first. A finding in an archive that has a
// place in a source file too is shown there, and on the archive while room is left. It returns how many findings are shown
// and how many aren't.
func Commands(w io.Writer, r *finding.Report, o CommandOptions) (shownCount, hidden int, err error) {
	room := o.PerLevel
	if room <= 0 {
		room = CommandsPerLevel
	}
	out := bufio.NewWriter(w)
	all := sections(r)
	for _, severity := range gravestFirst {
		queues := make([][]*finding.Finding, len(all))
		total := 0
		for i, s := range all {
			queues[i] = withSeverity(s.findings, severity)
			total += len(queues[i])
		}
		chosen := takeTurns(queues, room)
		spare := room - len(chosen)
		for _, f := range chosen {
			spots := spotsOf(f)
			n := min(len(spots), 1+spare)
			spare -= n - 1
			for _, s := range spots[:n] {
				fmt.Fprintln(out, s.command(f))
			}
		}
		shownCount += len(chosen)
		hidden += total - len(chosen)
	}
	return shownCount, hidden, out.Flush()
}

func withSeverity(fs []finding.Finding, s finding.Severity) []*finding.Finding {
	var out []*finding.Finding
	for i := range fs {
		if fs[i].Severity == s {
			out = append(out, &fs[i])
		}
	}
	return out
}

// takeTurns takes up to n findings, one from the head of each queue in turn, and returns them in the order of the queues.
func takeTurns(queues [][]*finding.Finding, n int) []*finding.Finding {
	quota := make([]int, len(queues))
	var waiting []int
	for i, q := range queues {
		if len(q) > 0 {
			waiting = append(waiting, i)
		}
	}
	for left := n; left > 0 && len(waiting) > 0; {
		still := waiting[:0]
		for _, i := range waiting {
			if left == 0 {
				break
			}
			quota[i]++
			left--
			if quota[i] < len(queues[i]) {
				still = append(still, i)
			}
		}
		waiting = still
	}
	var out []*finding.Finding
	for i, q := range queues {
		out = append(out, q[:quota[i]]...)
	}
	return out
}

// Command is one workflow command that makes an annotation. Its fields are unescaped.
type Command struct {
	Severity finding.Severity
	File     string // path in the repository; empty for an annotation of the whole run
	finding.Range
	Title   string
	Message string // may have several lines
}

// String returns the command as one line without its line feed. Percent signs and line breaks, in properties also colons and
// commas, are escaped as the runner expects; other characters that can't be seen are shown as by [visible]. In the path only
// control characters and bytes that are no UTF-8 are: no file that can be annotated has them, and every other path must reach
// GitHub as it is.
func (c Command) String() string {
	var props []string
	add := func(key, value string) { props = append(props, key+"="+propertyEscaper.Replace(value)) }
	addNumber := func(key string, n int) { add(key, strconv.Itoa(n)) }

	r := normal(c.Range)
	if c.File != "" {
		add("file", usablePath(c.File))
	} else {
		r = finding.Range{}
	}
	if r.Line > 0 {
		addNumber("line", r.Line)
	}
	if r.EndLine > r.Line {
		addNumber("endLine", r.EndLine)
	}
	if r.Column > 0 && r.EndLine == r.Line {
		addNumber("col", r.Column)
		if r.EndColumn > 0 {
			addNumber("endColumn", r.EndColumn)
		}
	}
	if c.Title != "" {
		add("title", visible(c.Title, maxName))
	}
	head := levelOf(c.Severity).command
	if len(props) > 0 {
		head += " " + strings.Join(props, ",")
	}
	return "::" + head + "::" + dataEscaper.Replace(visibleLines(c.Message))
}

// The escapes of the runner (actions/runner, ActionCommand). A replacer never looks at its own output, so the percent signs
// that it writes are safe.
var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// visibleLines is visible for a text of several lines.
func visibleLines(s string) string {
	var b strings.Builder
	for text := range shown(s) {
		switch text {
		case `\n`:
			b.WriteByte('\n')
		case `\r`:
			b.WriteByte('\r')
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// usablePath returns path with the characters made visible that no usable path has. Line breaks stay: they are escaped in
// the runner's own way.
func usablePath(path string) string {
	var b strings.Builder
	for i, r := range path {
		_, size := utf8.DecodeRuneInString(path[i:])
		text := path[i : i+size]
		if breaksLog(r) && r != '\n' && r != '\r' || r == utf8.RuneError && size == 1 {
			text = escaped(r, text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// breaksLog reports whether r is a control character or a separator that some readers of a log take for a line's end.
func breaksLog(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }

// normal returns r as GitHub takes it: what makes no sense without another part is dropped, and the end line is stated.
func normal(r finding.Range) finding.Range {
	if r.Line < 1 {
		return finding.Range{}
	}
	r.EndLine = max(r.EndLine, r.Line)
	r.Column = max(r.Column, 0)
	if r.Column == 0 || r.EndLine == r.Line && r.EndColumn < r.Column {
		r.EndColumn = 0
	}
	return r
}
