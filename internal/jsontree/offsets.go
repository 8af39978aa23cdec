package jsontree

import "unicode/utf8"

// Offsets maps byte offsets of the decoded string to byte offsets of the text. The whole string is looked at once, so
// that many look-ups cost no more than one.
func (v Value) Offsets() func(decoded int) int {
	start, end := v.Span()
	raw := v.Raw()
	if !v.Is(String) || plain(raw) {
		return func(i int) int { return min(start+1+i, end) }
	}
	var at []uint32 // text offset of each byte of the decoded string
	for i := 1; i < len(raw)-1; {
		_, size := utf8.DecodeRune(raw[i:])
		if raw[i] == '\\' {
			size = 2
			if raw[i+1] == 'u' {
				size = 6
				if i+12 <= len(raw)-1 && raw[i+6] == '\\' && raw[i+7] == 'u' && len(unquote(raw[i:i+12])) == 4 {
					size = 12 // a surrogate pair
				}
			}
		}
		for range len(unquote(raw[i : i+size])) {
			at = append(at, uint32(start+i))
		}
		i += size
	}
	return func(i int) int {
		if i >= len(at) {
			return end - 1
		}
		return int(at[max(0, i)])
	}
}
