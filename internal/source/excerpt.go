package source

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// An excerpt shows at most contextRunes before and after the start of a fault, and marks at most that many runes of it.
const contextRunes = 60

// Mask is a part of a text that must never be shown: the bytes from Start up to End.
type Mask struct{ Start, End int }

// Masks is a set of masks, sorted by start and without overlap.
type Masks []Mask

// NewMasks sorts and joins masks.
func NewMasks(masks []Mask) Masks {
	sort.Slice(masks, func(i, j int) bool { return masks[i].Start < masks[j].Start })
	var out Masks
	for _, m := range masks {
		if last := len(out) - 1; last >= 0 && m.Start <= out[last].End {
			out[last].End = max(out[last].End, m.End)
		} else if m.End > m.Start {
			out = append(out, m)
		}
	}
	return out
}

// at returns the mask that covers offset.
func (m Masks) at(offset int) (Mask, bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].End > offset })
	if i < len(m) && m[i].Start <= offset {
		return m[i], true
	}
	return Mask{}, false
}

// Masked returns what may be shown of a secret: its first four characters where it has at least sixteen, and nothing
// that tells its length.
func Masked(secret []byte) string {
	if utf8.RuneCount(secret) < 16 {
		return "••••••"
	}
	n := 0
	for range 4 {
		_, size := utf8.DecodeRune(secret[n:])
		n += size
	}
	return Visible(string(secret[:n])) + "••••••"
}

// Excerpt cuts the line at which the bytes from start up to end begin down to what is worth showing.
func (t *Text) Excerpt(start, end int, masks Masks) *finding.Excerpt {
	start = max(0, min(start, len(t.data)))
	n, _ := t.Position(start)
	from, to := t.line(n)
	start = min(start, to)
	end = max(start, min(end, to))
	from, cutLeft := t.back(start, from)
	if m, ok := masks.at(from); ok { // never begin inside a secret
		from = m.Start
	}

	var out strings.Builder
	column := 1
	write := func(s string) {
		out.WriteString(s)
		column += utf8.RuneCountInString(s)
	}
	if cutLeft {
		write("…")
	}
	e := &finding.Excerpt{}
	off := from
	for runes := 0; off < to && runes < 2*contextRunes; runes++ {
		if off >= start && e.Column == 0 {
			e.Column = column
		}
		if off >= end && e.EndColumn == 0 && e.Column != 0 {
			e.EndColumn = column
		}
		if m, ok := masks.at(off); ok {
			if e.Column == 0 && start < m.End {
				e.Column = column
			}
			write(Masked(t.data[m.Start:m.End]))
			off = min(m.End, to)
			continue
		}
		r, size := utf8.DecodeRune(t.data[off:])
		if r == '\t' {
			write("\t")
		} else {
			write(visibleRune(r, t.data[off:off+size]))
		}
		off += size
	}
	if e.Column == 0 {
		e.Column = column
	}
	if e.EndColumn == 0 {
		e.EndColumn = column
	}
	e.EndColumn = max(e.EndColumn, e.Column+1)
	if off < to {
		write("…")
	}
	e.Text = out.String()
	return e
}

// back returns the offset contextRunes before offset, but not before limit, and whether something was left out.
func (t *Text) back(offset, limit int) (int, bool) {
	for range contextRunes {
		if offset <= limit {
			return limit, false
		}
		_, size := utf8.DecodeLastRune(t.data[limit:offset])
		offset -= size
	}
	return offset, offset > limit
}

// Visible makes control characters, invisible and direction-changing characters and broken UTF-8 readable, so that text
// from a stranger can neither forge nor hide anything where it is shown.
func Visible(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= 0x20 && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		out.WriteString(visibleRune(r, []byte(s[i:i+size])))
		i += size
	}
	return out.String()
}

func visibleRune(r rune, raw []byte) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r == ' ' || unicode.IsPrint(r):
		return string(raw)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

// quoteLimit is the number of characters of a name that a message shows.
const quoteLimit = 80

// Quote puts a name from a stranger into quotation marks for a message: made visible, and cut where it is long.
func Quote(s string) string {
	if len(s) > quoteLimit*utf8.UTFMax { // spare the conversion of a megabyte
		s = s[:quoteLimit*utf8.UTFMax]
	}
	runes := 0
	for i := range s {
		if runes == quoteLimit {
			return `"` + Visible(s[:i]) + `…"`
		}
		runes++
	}
	return `"` + Visible(s) + `"`
}
