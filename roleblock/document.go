package roleblock

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// document is the one YAML document of a file, or what is wrong with the file.
type document struct {
	*file
	root *node // nil where the document is empty or the file is at fault

	fault      *fault
	faultRule  string
	mergeSteps int
	maxDepth   int
}

// readable reports whether the file could be read as one document, which may be empty.
func (d *document) readable() bool { return d.fault == nil }

func (d *document) fail(rule string, s span, f fault) {
	if d.fault == nil {
		f.place = d.at(s)
		d.fault, d.faultRule = &f, rule
	}
}

const byteOrderMark = "\ufeff"

// parse reads the bytes of a file.
func parse(path string, data []byte, depth int) *document {
	d := &document{file: newFile(path, data), maxDepth: depth}
	if d.check(data); d.fault == nil {
		first := secondDocument(data)
		nodes := d.build(data[:first.start])
		if d.fault == nil && first.start < len(data) {
			d.severalDocuments(first)
		}
		d.markers = findMarkers(data, nodes)
	} else {
		d.markers = findMarkers(data, nil)
	}
	if d.fault != nil {
		d.root = nil
	}
	return d
}

// check finds what keeps the bytes from being YAML at all, and what the library is slow on.
func (d *document) check(data []byte) {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			d.fail(yamlSyntax, span{i, i + 1}, fault{
				message: fmt.Sprintf("byte 0x%02x is not UTF-8", data[i]), fix: "save the file in UTF-8"})
			return
		}
		if !isYAMLRune(r) {
			d.fail(yamlSyntax, span{i, i + size}, fault{
				message: fmt.Sprintf("YAML does not allow the character U+%04X", r),
				fix:     "remove it, or write it as an escape in double quotes"})
			return
		}
		i += size
	}
	if i := bytes.Index(data, tagDirective); i >= 0 && bytes.Count(data, tagDirective) > maxTagDirectives {
		d.fail(tooLarge, span{i, i + len(tagDirective)}, fault{
			message: fmt.Sprintf("the file has more than %d tag directives", maxTagDirectives),
			fix:     "remove them; nothing in a role's files needs any"})
	}
}

// isYAMLRune reports whether YAML 1.1 allows r in a file.
func isYAMLRune(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

// secondDocument returns the marker "---" that opens a second document, or an empty span at the end. A line that begins
// with the marker is one wherever it stands: YAML allows it in no scalar.
func secondDocument(data []byte) span {
	started := false
	for start := 0; start < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := data[start:end]
		if start == 0 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		switch trimmed := bytes.TrimSpace(line); {
		case isMarker(line, "---"):
			if started {
				return span{start, start + len("---")}
			}
			started = true
		case len(trimmed) == 0, trimmed[0] == '#', line[0] == '%', isMarker(line, "..."):
		default:
			started = true
		}
		start = end
	}
	return span{len(data), len(data)}
}

func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n')
}

// severalDocuments reports the marker of the second document.
func (d *document) severalDocuments(marker span) {
	f := fault{
		message: `a second YAML document begins here; Ansible reads only files of one`,
		fix:     "keep one document and delete the rest",
	}
	data := d.text.Bytes()
	if skipSpace(data, marker.end) == len(data) {
		f.message = `"---" at the end opens a second, empty YAML document; Ansible reads only files of one`
		f.fix = `delete the marker`
		end := marker.end
		for end < len(data) && (data[end] == ' ' || data[end] == '\t') {
			end++
		}
		f.edits = []finding.Edit{d.edit(span{marker.start, nextLine(data, end)}, "")}
	}
	d.fail(multiDocument, marker, f)
}
