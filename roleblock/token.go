package roleblock

import "bytes"

// skipProperties returns where the value begins after the anchor and the tag at start.
func skipProperties(data []byte, start int) int {
	for start < len(data) && (data[start] == '&' || data[start] == '!') {
		for start < len(data) && !isSpace(data[start]) {
			start++
		}
		start = skipSpace(data, start)
	}
	return start
}

// skipSpace returns the offset of what follows white space and comments.
func skipSpace(data []byte, i int) int {
	for i < len(data) {
		switch {
		case isSpace(data[i]):
			i++
		case data[i] == '#':
			i = lineEnd(data, i)
		default:
			return i
		}
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// lineEnd returns the offset of the line break after i, or the length of data.
func lineEnd(data []byte, i int) int {
	i = min(i, len(data))
	if n := bytes.IndexAny(data[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(data)
}

// nextLine returns the offset of the line after the line break at i.
func nextLine(data []byte, i int) int {
	if i < len(data) && data[i] == '\r' {
		i++
	}
	if i < len(data) && data[i] == '\n' {
		i++
	}
	return i
}

// doubleQuotedEnd returns the offset after the scalar whose opening quote is at start.
func doubleQuotedEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// singleQuotedEnd returns the offset after the scalar whose opening quote is at start.
func singleQuotedEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		if data[i] != '\'' {
			continue
		}
		if i+1 == len(data) || data[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return len(data)
}

// blockScalarEnd returns the offset of the first line that no longer belongs to the literal or folded scalar whose
// indicator is at start and whose header line ends at header, inside a block collection of the given indent.
func blockScalarEnd(data []byte, start, header, indent int) int {
	least := 0 // indent of the content; 0 until known
	for i := start; i < header && !isSpace(data[i]); i++ {
		if c := data[i]; c >= '1' && c <= '9' {
			least = max(indent, 0) + int(c-'0')
		}
	}
	i := nextLine(data, header)
	for i < len(data) {
		text := i
		for text < len(data) && data[text] == ' ' {
			text++
		}
		end := lineEnd(data, text)
		if text < end { // not a blank line
			if least == 0 {
				least = max(text-i, indent+1, 1)
			}
			if text-i < least {
				return i
			}
		}
		i = nextLine(data, end)
	}
	return i
}
