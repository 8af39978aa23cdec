package jsontree

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote decodes the inside of a JSON string that the decoder has accepted. Bytes that are not UTF-8 become U+FFFD each.
func unquote(raw []byte) string {
	if plain(raw) {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			r := hex4(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(r) && len(raw) >= i+6 && raw[i] == '\\' && raw[i+1] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(raw[i+2:])); pair != utf8.RuneError {
					r = pair
					i += 6
				}
			}
			out = appendRune(out, r)
		case c == '\\':
			out = append(out, unescaped[raw[i+1]])
			i += 2
		default:
			r, size := utf8.DecodeRune(raw[i:])
			out = utf8.AppendRune(out, r)
			i += size
		}
	}
	return string(out)
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func plain(raw []byte) bool { return bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) }

func hex4(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16)
	return rune(n)
}

// appendRune is utf8.AppendRune for surrogates too: those get the three bytes that the scheme of UTF-8 gives them.
func appendRune(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
	}
	return utf8.AppendRune(out, r)
}

// UTF16Len returns the length of a decoded string in UTF-16 code units, in which the format counts.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := decodeRune(s[i:])
		n += utf16.RuneLen(max(r, 0))
		if utf16.IsSurrogate(r) {
			n += 2 // RuneLen says -1
		}
		i += size
	}
	return n
}

// decodeRune is utf8.DecodeRuneInString for the strings that unquote returns: it knows lone surrogates.
func decodeRune(s string) (rune, int) {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80 {
		return rune(s[0]&0x0f)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(s)
}
