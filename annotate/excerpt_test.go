package annotate

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/azphalt/submissions/finding"
)

func TestDrawPutsCaretsUnderTheFault(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		column, end int
		wantText    string
		wantMarks   string
	}{
		{"ascii", `"a": "b"`, 6, 9, `"a": "b"`, `     ^^^`},
		{"tab before", "\tx: y", 5, 6, "    x: y", "       ^"},
		{"tab within", "a\tb", 1, 4, "a    b", "^^^^^^"},
		{"wide before", `"東京": x`, 7, 8, `"東京": x`, `        ^`},
		{"wide within", `"東京"`, 2, 4, `"東京"`, ` ^^^^`},
		{"combining", "e\u0301 x", 4, 5, "e\u0301 x", "  ^"},
		{"combining within", "e\u0301", 1, 3, "e\u0301", "^"},
		{"emoji of several code points", "👩\u200d💻 x", 5, 6, "👩\u200d💻 x", "   ^"},
		{"flag", "🇩🇪 x", 4, 5, "🇩🇪 x", "   ^"},
		{"escape before", "\x1b x", 3, 4, `\x1b x`, `     ^`},
		{"escape within", "\u202e", 1, 2, `\u202e`, `^^^^^^`},
		{"behind the end", "abc", 4, 5, "abc", "   ^"},
		{"far behind the end", "abc", 40, 50, "abc", "   ^"},
		{"empty", "", 1, 2, "", "^"},
		{"no width", "abc", 2, 2, "abc", " ^"},
		{"column zero", "abc", 0, 0, "abc", "^"},
		{"old command", "##[group]x", 10, 11, `\u0023#[group]x`, `              ^`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := draw(&finding.Excerpt{Text: c.text, Column: c.column, EndColumn: c.end}, 0)
			if got.text != c.wantText || got.marks != c.wantMarks {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", got.text, got.marks, c.wantText, c.wantMarks)
			}
		})
	}
}

func TestDrawCutsToTheWidth(t *testing.T) {
	line := strings.Repeat("a", 100) + "FAULT" + strings.Repeat("b", 100)
	for _, c := range []struct {
		name        string
		column, end int
		width       int
		want        drawing
	}{
		{"at the start", 1, 4, 10, drawing{"aaaaaaaa…", "^^^"}},
		{"in the middle", 101, 106, 20, drawing{"…aaaaaaFAULTbbbbbbb…", "       ^^^^^"}},
		{"at the end", 203, 206, 10, drawing{"…bbbbbbbb", "      ^^^"}},
		{"fault wider than the room", 1, 206, 10, drawing{"aaaaaaaa…", "^^^^^^^^"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := draw(&finding.Excerpt{Text: line, Column: c.column, EndColumn: c.end}, c.width)
			if got != c.want {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", got.text, got.marks, c.want.text, c.want.marks)
			}
		})
	}
}

// Unicode sets no limit to the code points of one character, so a width alone doesn't bound an excerpt.
func TestDrawIsBounded(t *testing.T) {
	for name, unit := range map[string]string{
		"combining marks": "\u0301", "joined emoji": "👩\u200d", "hangul consonants": "\u1100", "hangul vowels": "\u1161\u11a8", "letters": "x",
		"tabs": "\t", "flags": "🇩", "bytes": "\xff",
	} {
		d := draw(&finding.Excerpt{Text: strings.Repeat(unit, 200_000), Column: 1000, EndColumn: 100_000}, 80)
		if len(d.text) > 80*maxCluster*len(`\U0010ffff`) || len(d.marks) > 160 {
			t.Errorf("%s: %d bytes of text, %d of marks", name, len(d.text), len(d.marks))
		}
	}
}

func FuzzDraw(f *testing.F) {
	for i, s := range hostileTexts {
		f.Add(s, i, i+3, 10*i)
	}
	f.Fuzz(func(t *testing.T, text string, column, end, width int) {
		d := draw(&finding.Excerpt{Text: text, Column: column, EndColumn: end}, width)
		if strings.ContainsAny(d.text, "\n\r\x1b") {
			t.Errorf("text %q", d.text)
		}
		if trimmed := strings.TrimLeft(d.marks, " "); trimmed == "" || strings.Trim(trimmed, "^") != "" {
			t.Errorf("marks %q", d.marks)
		}
	})
}

// Case 078: a line with tabs, a CR at its end, and wide characters before it; the position counts code points.
func TestDrawCRLFAndTabs(t *testing.T) {
	data, err := os.ReadFile("../../shared/cases/078-crlf-tabs-multibyte-lines/crlf.json")
	if err != nil {
		t.Skip("the shared cases are not here: ", err)
	}
	line := string(bytes.Split(data, []byte("\n"))[25])
	const column = 7 // by the case: after six tabs
	d := draw(&finding.Excerpt{Text: line, Column: column, EndColumn: column + len(`"API_KEY"`)}, 0)
	indent := len(d.marks) - len(strings.TrimLeft(d.marks, " "))
	if !strings.HasPrefix(d.text[indent:], `"API_KEY"`) || strings.Count(d.marks, "^") != len(`"API_KEY"`) {
		t.Errorf("\n%s\n%s", d.text, d.marks)
	}
	if displaywidth.String(d.text[:indent]) != 6*tabWidth || !strings.HasSuffix(d.text, `\r`) {
		t.Errorf("six tabs and a CR are drawn as %q", d.text)
	}
}
