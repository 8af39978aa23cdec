package config

import (
	"bytes"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// What is read of a file. The largest file that makes sense stays far below all three, and the YAML library's memory, some
// kilobytes for each value, stays bounded.
const (
	maxSize   = 1 << 20 // bytes
	maxValues = 30_000  // characters that can begin or end a key, a value or an item
	maxDepth  = 16      // nesting, flow and block collections counted apart
)

const byteOrderMark = "\ufeff"

// readable reports what keeps the bytes from being a text that every YAML reader reads alike, or that this one would be
// slow on.
func (f *faults) readable() bool {
	data := f.text.Bytes()
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		at := span{0, len(byteOrderMark)}
		f.add(syntax, at, f.replace(at, "", "save the file without it"), "the file starts with a byte order mark")
		return false
	}
	values := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		at := span{i, i + size}
		if message, fix := judge(data, at, r); message != "" {
			f.add(syntax, at, fix, "%s", message)
			return false
		}
		if values += weigh(data, i); values > maxValues {
			f.add(syntax, span{i, i}, say("shorten it"), "the file has more than %d keys and values", maxValues)
			return false
		}
		i += size
	}
	return true
}

// judge says what is wrong with the character at a place, by itself.
func judge(data []byte, at span, r rune) (message string, fix *finding.Fix) {
	switch {
	case r == utf8.RuneError && at.end-at.start == 1:
		return "a byte that is not UTF-8", say("save the file in UTF-8")
	case r == '\r' && !bytes.HasPrefix(data[at.end:], []byte("\n")):
		return "a carriage return without a line feed", say("end lines with a line feed")
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return "a character that ends a line for some YAML readers only", say("end lines with a line feed")
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
		return "a character that YAML does not allow", say("delete it")
	case r == '%' && startsLine(data, at.start):
		return "a YAML directive, or a line that looks like one", say("delete the line: the file needs none")
	}
	return "", nil
}

func startsLine(data []byte, i int) bool { return i == 0 || data[i-1] == '\n' }

// weigh counts what the character at i can begin or end.
func weigh(data []byte, i int) int {
	switch data[i] {
	case '\n', ',', ':', '[', '{', '?', '"', '\'':
		return 1
	case ' ':
		if i > 0 && data[i-1] == '-' { // the dash of an item
			return 1
		}
	}
	return 0
}

// lineEnd returns the offset of the line break after i.
func lineEnd(data []byte, i int) int {
	i = min(i, len(data))
	n := bytes.IndexByte(data[i:], '\n')
	if n < 0 {
		return len(data)
	}
	return i + len(bytes.TrimSuffix(data[i:i+n], []byte("\r")))
}

// tokenEnd returns the offset of the white space after i.
func tokenEnd(data []byte, i int) int {
	if n := bytes.IndexAny(data[i:], " \t\r\n,]}"); n > 0 {
		return i + n
	}
	return len(data)
}

// quotedEnd returns the offset after the scalar whose quotation mark is at start.
func quotedEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch {
		case data[i] == '\\' && data[start] == '"':
			i++
		case data[i] != data[start]:
		case data[i] == '\'' && i+1 < len(data) && data[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return len(data)
}

// places turns the YAML library's lines and columns, which are 1-based and count code points, into offsets. It is made for
// places that ascend.
type places struct {
	data                 []byte
	line, column, offset int
}

func newPlaces(data []byte) *places { return &places{data: data, line: 1, column: 1} }

func (p *places) find(line, column int) int {
	if line < p.line || line == p.line && column < p.column {
		*p = *newPlaces(p.data)
	}
	for p.line < line {
		n := bytes.IndexByte(p.data[p.offset:], '\n')
		if n < 0 {
			return len(p.data)
		}
		p.line, p.column, p.offset = p.line+1, 1, p.offset+n+1
	}
	for p.column < column && p.offset < len(p.data) && p.data[p.offset] != '\n' {
		_, size := utf8.DecodeRune(p.data[p.offset:])
		p.column, p.offset = p.column+1, p.offset+size
	}
	return p.offset
}
