package annotate

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain text # here", "plain text # here"},
		{"東京 é ✓", "東京 é ✓"},
		{"a\tb\nc\rd", `a\tb\nc\rd`},
		{"\x00\x1b[31m\x7f", `\x00\x1b[31m\x7f`},
		{"\u0085\u00a0\u2003\u2028\u2029\u3000", `\u0085\u00a0\u2003\u2028\u2029\u3000`},
		{"\u202a\u202e\u2066\u2069\u200e\u061c", `\u202a\u202e\u2066\u2069\u200e\u061c`},
		{"a\u200bb\ufeffc\u00add\u2060", `a\u200bb\ufeffc\u00add\u2060`},
		{"\U000e0041\U000e0100\u034f\u3164\uffa0\u115f", `\U000e0041\U000e0100\u034f\u3164\uffa0\u115f`},
		{"\xff\xc3(", `\xff\xc3(`},
		{"\ufffd", "\ufffd"},
		{"\ue000\U0010ffff", `\ue000\U0010ffff`},
		{"👩\u200d💻 ❤\ufe0f 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈", "👩\u200d💻 ❤\ufe0f 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈"},
		{"a\u200d💻 💻\u200da x\ufe0f ❤\ufe0e \u200d", `a\u200d💻 💻\u200da x\ufe0f ❤\ufe0e \u200d`},
		{"💻\u200d\xe2 💻\u200d\ufffd", `💻\u200d\xe2 ` + "💻\u200d\ufffd"},
		{"e\u0301\u0302\u0303\u0304", "e\u0301\u0302\u0303" + `\u0304`},
		{"##[add-mask]x ###[y] ## [z]", `\u0023#[add-mask]x #\u0023#[y] ## [z]`},
		{`C:\new`, `C:\new`},
	} {
		if got := visible(c.in, maxName); got != c.want {
			t.Errorf("visible(%+q) = %+q, want %+q", c.in, got, c.want)
		}
	}
}

func TestVisibleCutsAtCodePoints(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"abc", "abc"}, {"abcd", "abc…"}, {"äöü", "äöü"}, {"äöüß", "äöü…"}, {"\n\n\n", `\n\n\n`}, {"\xff\xff\xff\xff", `\xff\xff\xff…`},
		{"a💻\u200d💻", "a💻…"},
	} {
		if got := visible(c.in, 3); got != c.want {
			t.Errorf("visible(%+q, 3) = %+q, want %+q", c.in, got, c.want)
		}
	}
	if got := visible(strings.Repeat("é", 1<<20), maxName); utf8.RuneCountInString(got) != maxName+1 {
		t.Errorf("a long text is cut to %d code points", utf8.RuneCountInString(got))
	}
}

// FuzzVisible holds the promise that everything else rests on: what is shown is valid, on one line, and bounded.
func FuzzVisible(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = min(max(limit, 0), 1000)
		got := visible(s, limit)
		if !utf8.ValidString(got) {
			t.Errorf("invalid UTF-8: %+q", got)
		}
		const longest = len(`\U0010ffff`)
		if n := utf8.RuneCountInString(got); n > limit*longest+1 {
			t.Errorf("%d code points for a limit of %d", n, limit)
		}
		if strings.Contains(got, "##[") {
			t.Errorf("%+q holds a command", got)
		}
		for _, r := range got {
			if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
				t.Errorf("%+q holds %U", got, r)
			}
		}
		if again := visible(got, len(got)); again != got {
			t.Errorf("shown again, %+q becomes %+q", got, again)
		}
	})
}
