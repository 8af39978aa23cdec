package annotate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/azphalt/submissions/finding"
)

const (
	tabWidth        = 4                                // columns that a tab is drawn as
	maxExcerptWidth = 400                              // columns of an excerpt where its reader's width is not known
	maxCluster      = 16                               // code points that are drawn as one character; Unicode sets no limit
	maxNear         = 2 * maxExcerptWidth * maxCluster // code points of a line that an excerpt can need
)

// drawing is an excerpt as two lines of a monospace font: the text, and carets under its fault.
type drawing struct{ text, marks string }

// draw lays an excerpt out in at most width columns, cutting what is far from the fault; width 0 means unknown.
func draw(e *finding.Excerpt, width int) drawing {
	if width <= 0 || width > maxExcerptWidth {
		width = maxExcerptWidth
	}
	text, skipped := near(e.Text, e.Column)
	all := cellsOf(text)
	from, to := cellAt(all, e.Column-skipped), cellAt(all, e.EndColumn-skipped)
	lo, hi := window(all, from, width)

	var d drawing
	indent := widthOf(all[lo:from])
	if lo > 0 || skipped > 0 {
		d.text = "…"
		indent++
	}
	for _, c := range all[lo:hi] {
		d.text += c.text
	}
	if hi < len(all) {
		d.text += "…"
	}
	carets := 1
	if end := min(to, hi); end > from {
		carets = max(1, widthOf(all[from:end]))
	}
	d.marks = strings.Repeat(" ", indent) + strings.Repeat("^", carets)
	return d
}

// near returns the part of a line around column that can matter to an excerpt, and how many code points are before it.
func near(line string, column int) (part string, skipped int) {
	if len(line) <= maxNear {
		return line, 0
	}
	n := utf8.RuneCountInString(line)
	first := max(0, min(column, n)-maxNear/2)
	start, end, i := len(line), len(line), 0
	for at := range line {
		switch i {
		case first:
			start = at
		case first + maxNear:
			end = at
		}
		i++
	}
	return line[start:end], first
}

// cell is one user-perceived character as it is drawn.
type cell struct {
	text  string
	width int // columns, at least 1: so that a width bounds a number of cells
	runes int // code points that it stands for
}

func newCell(text string, runes int) cell {
	return cell{text, max(1, displaywidth.String(text)), runes}
}

// cellsOf splits a line into cells: a tab becomes blanks, and what can't be seen its escape.
func cellsOf(line string) []cell {
	var points []string
	for text := range shown(line) {
		if text == `\t` {
			text = strings.Repeat(" ", tabWidth)
		}
		points = append(points, text)
	}
	var cells []cell
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		n := utf8.RuneCountInString(g.Value())
		if n <= maxCluster {
			cells = append(cells, newCell(strings.Join(points[:n], ""), n))
		} else {
			for _, text := range points[:n] {
				cells = append(cells, newCell(text, 1))
			}
		}
		points = points[n:]
	}
	return cells
}

// cellAt returns the index of the cell that holds the code point at column, len(cells) for one behind the end.
func cellAt(cells []cell, column int) int {
	seen := 1
	for i, c := range cells {
		seen += c.runes
		if column < seen {
			return i
		}
	}
	return len(cells)
}

// window returns which cells to draw in width columns: all if they fit, else those around the one at focus, a third of
// the room before it. Room for an ellipsis at each end is kept.
func window(cells []cell, focus, width int) (lo, hi int) {
	if widthOf(cells) <= width {
		return 0, len(cells)
	}
	room := width - 2
	lo, hi = focus, focus
	for before := room / 3; lo > 0 && cells[lo-1].width <= before; {
		lo--
		before -= cells[lo].width
		room -= cells[lo].width
	}
	for hi < len(cells) && cells[hi].width <= room {
		room -= cells[hi].width
		hi++
	}
	for lo > 0 && cells[lo-1].width <= room {
		lo--
		room -= cells[lo].width
	}
	return lo, hi
}

func widthOf(cells []cell) int {
	width := 0
	for _, c := range cells {
		width += c.width
	}
	return width
}

// gutter returns the line number of f as it stands beside its excerpt.
func gutter(f *finding.Finding) string {
	if f.Line < 1 {
		return " "
	}
	return strconv.Itoa(f.Line)
}

// snippet draws the excerpt of f with its line number, as two lines of plain text; "" where there is none.
func snippet(f *finding.Finding, width int) string {
	if f.Excerpt == nil {
		return ""
	}
	d := draw(f.Excerpt, width)
	n := gutter(f)
	return fmt.Sprintf("%s | %s\n%*s | %s", n, d.text, len(n), "", d.marks)
}
