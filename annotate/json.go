package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// JSON writes the report in its published shape, indented by two spaces.
func JSON(w io.Writer, r *finding.Report) error { return encode(w, r) }

// encode writes v as indented JSON with a final line feed. Within strings <, > and & stand for themselves, and what can't be
// seen is written as \u escapes: the values are the same, and a terminal or a diff shows all that is there.
func encode(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(plainStrings(data), '\n'))
	return err
}

// plainStrings rewrites the strings of a JSON text from the way [json.Marshal] spells them to the way of [encode].
func plainStrings(src []byte) []byte {
	out := make([]byte, 0, len(src)+len(src)/16)
	for len(src) > 0 {
		n := bytes.IndexFunc(src, func(r rune) bool { return r == '\\' || r >= 0x7f })
		if n < 0 {
			return append(out, src...)
		}
		out, src = append(out, src[:n]...), src[n:]
		if src[0] == '\\' {
			out, src = plainEscape(out, src)
			continue
		}
		r, size := utf8.DecodeRune(src)
		if unseen(r) {
			out = appendEscape(out, r)
		} else {
			out = append(out, src[:size]...)
		}
		src = src[size:]
	}
	return out
}

// plainEscape copies the escape at the start of src, undoing those that exist for the sake of HTML alone.
func plainEscape(out, src []byte) (dst, rest []byte) {
	const length = len(`\u003c`)
	if len(src) >= length {
		switch string(src[:length]) {
		case `\u003c`:
			return append(out, '<'), src[length:]
		case `\u003e`:
			return append(out, '>'), src[length:]
		case `\u0026`:
			return append(out, '&'), src[length:]
		}
	}
	return append(out, src[:2]...), src[2:]
}

func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
