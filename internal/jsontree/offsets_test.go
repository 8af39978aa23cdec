package jsontree

import "testing"

func TestOffsetsFindDecodedBytesInTheText(t *testing.T) {
	text := `["a\u0041\n\ud83d\ude00é${x}\ud800z"]`
	v := mustParse(t, text)
	for _, e := range v.Elements() {
		decoded := e.Str()
		at := e.Offsets()
		for i := range len(decoded) {
			if c := decoded[i]; c == '$' || c == 'z' || c == 'a' {
				if text[at(i)] != c {
					t.Errorf("byte %d (%q) is found at %d (%q)", i, c, at(i), text[at(i)])
				}
			}
		}
		if got := at(len(decoded)); text[got] != '"' || got != len(text)-2 {
			t.Errorf("the end is found at %d", got)
		}
	}
}

// An escape that ends the twelve bytes behind another one was once read beyond them.
func TestOffsetsOfAnEscapeSixBytesBehindAnother(t *testing.T) {
	for _, text := range []string{`["\u003cabcde\"z"]`, `["\u003cabcde\\z"]`, `["\ud83dabcde\nz"]`, `["\u003c\u003c\u003cz"]`} {
		for _, e := range mustParse(t, text).Elements() {
			decoded := e.Str()
			if at := e.Offsets()(len(decoded) - 1); text[at] != 'z' {
				t.Errorf("%s: the last byte is found at %d", text, at)
			}
		}
	}
}
