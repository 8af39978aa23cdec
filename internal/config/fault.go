package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/source"
)

// faults gathers what is wrong with a file.
type faults struct {
	file   string
	text   *source.Text
	list   []fault
	hidden []source.Mask // what no excerpt may show
}

type fault struct {
	rule    string
	at      span
	fix     *finding.Fix
	message string
}

func (f *faults) add(rule finding.Rule, at span, fix *finding.Fix, format string, args ...any) {
	f.list = append(f.list, fault{rule.ID, at, fix, fmt.Sprintf(format, args...)})
}

// hide keeps a value with all that is in it out of all excerpts.
func (f *faults) hide(n *node) {
	if n.kind == scalar && !n.empty() && n.tag != "!!bool" {
		m := source.Mask{Start: n.at.start, End: n.at.end}
		if c := f.text.Bytes()[m.Start]; c == '"' || c == '\'' {
			m.Start, m.End = m.Start+1, m.End-1
		}
		f.hidden = append(f.hidden, m)
	}
	for _, p := range n.pairs {
		f.hide(p.value)
	}
	for _, item := range n.items {
		f.hide(item)
	}
}

// say makes a mend of words.
func say(format string, args ...any) *finding.Fix {
	return &finding.Fix{Description: fmt.Sprintf(format, args...)}
}

// replace makes a mend that puts text in place of a part of the file.
func (f *faults) replace(at span, text, format string, args ...any) *finding.Fix {
	fix := say(format, args...)
	fix.Edits = []finding.Edit{{Range: f.text.Range(at.start, at.end), Text: text}}
	return fix
}

// masks returns what no excerpt may show, once all faults are known.
func (f *faults) masks() source.Masks {
	return source.NewMasks(append(f.hidden, tokens(f.text.Bytes())...))
}

// put makes a mend that puts text in place of a scalar.
func (f *faults) put(n *node, text, format string, args ...any) *finding.Fix {
	if !n.whole {
		return say(format, args...)
	}
	return f.replace(n.at, text, format, args...)
}

// findings returns the faults in order.
func (f *faults) findings() []finding.Finding {
	masks := f.masks()
	out := make([]finding.Finding, len(f.list))
	for i, x := range f.list {
		out[i] = finding.Finding{
			Rule: x.rule, Severity: finding.Error, Message: x.message,
			File: f.file, Range: f.text.Range(x.at.start, x.at.end), Fix: x.fix,
			Excerpt: f.text.Excerpt(x.at.start, x.at.end, masks),
		}
	}
	return finding.Sort(out)
}

// run is text without a break, as long as the shortest token that is worth stealing.
var run = regexp.MustCompile(`[A-Za-z0-9_+/=.~-]{16,}`)

// tokens returns the runs that could be a secret. Nothing in the file should be one, but people paste.
func tokens(data []byte) []source.Mask {
	var out []source.Mask
	for _, m := range run.FindAllIndex(data, -1) {
		if isToken(string(data[m[0]:m[1]])) {
			out = append(out, source.Mask{Start: m[0], End: m[1]})
		}
	}
	return out
}

// isToken tells what a machine has drawn from words, paths, versions and days: four digits or capitals in one of its parts.
func isToken(run string) bool {
	n := 0
	for _, c := range run {
		switch {
		case c == '/' || c == '.' || c == '-':
			n = 0
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z':
			if n++; n == 4 {
				return true
			}
		}
	}
	return false
}

// masked hides in a text what could be a secret.
func masked(s string) string {
	return run.ReplaceAllStringFunc(s, func(run string) string {
		if isToken(run) {
			return source.Masked([]byte(run))
		}
		return run
	})
}

// quote shows a value in a message.
func quote(s string) string { return source.Quote(masked(s)) }

// oneOf joins alternatives for a message.
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
