package source

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPositionCountsCodePointsAndLineFeedsOnly(t *testing.T) {
	text := New([]byte("ab\r\n\té😀x\rstill\n"))
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {2, 1, 3}, {3, 1, 4}, {4, 2, 1}, {5, 2, 2}, {7, 2, 3}, {11, 2, 4}, {13, 2, 6}, {19, 3, 1}, {999, 3, 1},
	} {
		if line, column := text.Position(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d: %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
}

func TestPositionAgreesWithCounting(t *testing.T) {
	data := []byte(strings.Repeat("é😀x\nlonger line without a break ", 400))
	text := New(data)
	for off := 0; off <= len(data); off += 7 {
		line := 1 + bytes.Count(data[:off], []byte("\n"))
		start := bytes.LastIndexByte(data[:off], '\n') + 1
		column := 1
		for _, c := range data[start:off] {
			if utf8.RuneStart(c) {
				column++
			}
		}
		if l, c := text.Position(off); l != line || c != column {
			t.Fatalf("offset %d: %d:%d, want %d:%d", off, l, c, line, column)
		}
	}
}

func TestExcerptMasksAndPointsAtTheFault(t *testing.T) {
	const line = `  "API_KEY": "abcdefghijklmnopqrstuvwxyz",`
	text := New([]byte("{\n" + line + "\r\n}"))
	start := strings.Index(line, `"abc`) + 2
	e := text.Excerpt(start, start+28, NewMasks([]Mask{{start + 1, start + 27}}))
	if want := `  "API_KEY": "abcd••••••",`; e.Text != want {
		t.Errorf("text %q, want %q", e.Text, want)
	}
	if e.Column != 14 || e.EndColumn != 26 {
		t.Errorf("caret %d-%d", e.Column, e.EndColumn)
	}
}

func TestExcerptOfALongLineStaysShortAndNeverBeginsInsideASecret(t *testing.T) {
	secret := strings.Repeat("S3cr3t", 100)
	data := strings.Repeat("x", 5000) + secret + " fault " + strings.Repeat("y", 5000)
	text := New([]byte(data))
	at := strings.Index(data, "fault")
	mask := NewMasks([]Mask{{5000, 5000 + len(secret)}})
	e := text.Excerpt(at, at+5, mask)
	if n := utf8.RuneCountInString(e.Text); n > 3*contextRunes {
		t.Errorf("%d runes", n)
	}
	if strings.Contains(e.Text, "S3cr3tS3") {
		t.Error("secret shown")
	}
	if r := []rune(e.Text); string(r[e.Column-1:e.EndColumn-1]) != "fault" {
		t.Errorf("caret at %q", string(r[e.Column-1:e.EndColumn-1]))
	}
}

func TestMaskedShowsNothingOfAShortValue(t *testing.T) {
	if got := Masked([]byte("fifteen-letters")); strings.ContainsAny(got, "fiten") {
		t.Errorf("%q", got)
	}
	if got := Masked([]byte("sixteen--letters")); got != "sixt••••••" {
		t.Errorf("%q", got)
	}
}

func TestVisibleEscapesWhatDeceives(t *testing.T) {
	got := Visible("a\n::error::\u202e\u200b\x1b[0m\xff\u00a0é")
	if want := `a\n::error::\u202e\u200b\u001b[0m\xff\u00a0é`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestQuoteCutsLongNames(t *testing.T) {
	got := Quote(strings.Repeat("é", 1<<20))
	if utf8.RuneCountInString(got) != quoteLimit+3 || !utf8.ValidString(got) {
		t.Errorf("%d runes", utf8.RuneCountInString(got))
	}
}

func TestOffsetIsTheInverseOfPosition(t *testing.T) {
	text := New([]byte("\ufeffa\r\näö\n\n" + strings.Repeat("é漢", 2000) + "\nlast"))
	for offset := range len(text.Bytes()) + 1 {
		if offset < len(text.Bytes()) && !utf8.RuneStart(text.Bytes()[offset]) {
			continue
		}
		line, column := text.Position(offset)
		if got, ok := text.Offset(line, column); !ok || got != offset {
			t.Fatalf("%d:%d is byte %d (%v), want %d", line, column, got, ok, offset)
		}
	}
	for _, place := range [][2]int{{0, 1}, {1, 0}, {99, 1}, {5, 6}, {2, 4}, {3, 2}} {
		if got, ok := text.Offset(place[0], place[1]); ok {
			t.Errorf("%v is byte %d", place, got)
		}
	}
}
