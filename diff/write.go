package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/azphalt/submissions/annotate"
)

// Formats are the formats that a Diff can be written in.
func Formats() []string { return []string{"text", "json", "markdown"} }

// Write writes a Diff in one of the formats.
func Write(w io.Writer, format string, d Diff) error {
	switch format {
	case "text":
		return d.text(w)
	case "json":
		return d.json(w)
	case "markdown":
		_, err := io.WriteString(w, "## "+d.Title()+"\n\n"+d.Markdown(annotate.JobSummaryLimit))
		return err
	default:
		return fmt.Errorf("no format %q: want one of %s", format, strings.Join(Formats(), ", "))
	}
}

// diffVersion is the version of the JSON's shape.
const diffVersion = 1

func (d Diff) json(w io.Writer) error {
	changes := d.Changes
	if changes == nil {
		changes = []Change{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Version int      `json:"version"`
		Old     Version  `json:"old"`
		New     Version  `json:"new"`
		Changes []Change `json:"changes"`
		Omitted int      `json:"omitted,omitempty"`
	}{diffVersion, d.Old, d.New, changes, d.Omitted})
}

// Title names the two versions, as Markdown of one line.
func (d Diff) Title() string { return annotate.Prose(d.title()) }

// title names the two versions.
func (d Diff) title() string {
	name := d.New.ID
	if name == "" {
		name = d.New.Path
	}
	return fmt.Sprintf("What changed in %s from %s to %s", quote(name), quote(d.Old.Version), quote(d.New.Version))
}

// headings stand over the changes of a weight.
var headings = map[Weight]string{Grave: "Look at these first", Notable: "Look at these, too", Minor: "For completeness"}

func (d Diff) text(w io.Writer) error {
	var b strings.Builder
	b.WriteString(d.title() + "\n")
	d.each(func(weight Weight) { b.WriteString("\n" + headings[weight] + "\n") }, func(message string) { b.WriteString("  " + message + "\n") })
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown returns the changes as lists, of at most limit bytes. Nothing of a package's text becomes active in it.
func (d Diff) Markdown(limit int) string {
	const lastWords = 100
	var b strings.Builder
	left := 0
	write := func(text string) {
		if b.Len()+len(text)+lastWords > limit {
			left++
			return
		}
		b.WriteString(text)
	}
	heading := ""
	d.each(func(weight Weight) { heading = "**" + headings[weight] + "**\n\n" }, func(message string) {
		if heading != "" && b.Len() > 0 {
			heading = "\n" + heading
		}
		write(heading + "- " + annotate.Prose(capital(message)) + "\n")
		heading = ""
	})
	if left > 0 {
		fmt.Fprintf(&b, "\n… and %d more.\n", left)
	}
	return b.String()
}

// each calls heading for each weight that there are changes of, and then line for each of those.
func (d Diff) each(heading func(Weight), line func(string)) {
	last := Weight("")
	for _, c := range d.Changes {
		if c.Weight != last {
			heading(c.Weight)
			last = c.Weight
		}
		line(c.Message)
	}
	switch {
	case len(d.Changes) == 0:
		line("nothing changed that can be compared")
	case d.Omitted > 0:
		line(fmt.Sprintf("and %d more of the same kinds", d.Omitted))
	}
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// bytesOf writes a number of bytes.
func bytesOf(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", (n+512)>>10)
	default:
		return fmt.Sprintf("%d MiB", (n+1<<19)>>20)
	}
}
