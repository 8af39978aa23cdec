package roleblock

import (
	"bytes"
	"strings"

	"github.com/azphalt/submissions/internal/lazyregexp"
)

// markers are the suppression comments of a file: "# nocheck: mcp-schema".
type markers struct {
	head  bool         // the whole file is exempt
	lines map[int]bool // numbers of exempt lines
}

const (
	suppressionKey = "mcp-schema"
	headLines      = 30 // a head marker further down does not count
)

// markerPattern finds the list of rule keys. What follows the list is a reason, for people.
var markerPattern = lazyregexp.New(`(?i)nocheck\s*:\s*([a-z0-9][a-z0-9-]*(?:\s*,\s*[a-z0-9][a-z0-9-]*)*)`)

// isSuppression reports whether a comment exempts from this lint.
func isSuppression(comment []byte) bool {
	for _, m := range markerPattern().FindAllSubmatch(comment, -1) {
		for k := range strings.SplitSeq(string(m[1]), ",") {
			if strings.EqualFold(strings.TrimSpace(k), suppressionKey) {
				return true
			}
		}
	}
	return false
}

// findMarkers looks through the comments of a file. Opaque spans, in ascending order, hold number signs that begin none;
// of a file that does not parse they are not known.
func findMarkers(data []byte, opaque []span) markers {
	m := markers{head: hasHeadMarker(data), lines: map[int]bool{}}
	line, start := 1, 0 // of the current line
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	for i := start; i < len(data); {
		switch {
		case len(opaque) > 0 && i >= opaque[0].start:
			end := max(i, opaque[0].end)
			if n := bytes.LastIndexByte(data[i:end], '\n'); n >= 0 {
				line, start = line+bytes.Count(data[i:end], []byte("\n")), i+n+1
			}
			i, opaque = end, opaque[1:]
		case data[i] == '\n':
			i++
			line, start = line+1, i
		case data[i] == '#' && (i == start || data[i-1] == ' ' || data[i-1] == '\t'):
			end := lineEnd(data, i)
			if isSuppression(data[i:end]) {
				if len(bytes.TrimSpace(data[start:i])) == 0 {
					m.lines[line+1] = true
				} else {
					m.lines[line] = true
				}
			}
			i = end
		default:
			i++
		}
	}
	return m
}

// hasHeadMarker reports whether a comment line before the first content exempts the file.
func hasHeadMarker(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	for range headLines {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0, line[0] == '%':
		case text[0] == '#':
			if isSuppression(text) {
				return true
			}
		case isMarker(line, "---") && startsComment(text[len("---"):]):
		default:
			return false
		}
		data = rest
	}
	return false
}

// startsComment reports whether nothing, or nothing but a comment, is in text.
func startsComment(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || text[0] == '#'
}

// silences reports whether a finding at an offset is exempt.
func (f *file) silences(offset int) bool {
	return f.head || f.lines[f.line(offset)]
}
