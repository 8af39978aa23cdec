package roleblock_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// hostileYAML are files that make careless readers hang, crash or eat memory.
func hostileYAML() map[string]string {
	repeat := strings.Repeat
	number := func(n int, format string) string {
		var out strings.Builder
		for i := range n {
			out.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return out.String()
	}
	bomb := "a0: &a0 [x]\n"
	for i := 1; i < 64; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	chain := "m0: &m0 {k0: 1}\n"
	for i := 1; i < 8000; i++ {
		chain += fmt.Sprintf("m%d: &m%d {<<: *m%d, k%d: 1}\n", i, i, i-1, i)
	}
	staircase := ""
	for i := range 1200 {
		staircase += repeat(" ", i) + "a:\n"
	}
	return map[string]string{
		"20,000 brackets":        "a: " + repeat("[", 20_000),
		"20,000 closed brackets": "a: " + repeat("[", 20_000) + repeat("]", 20_000),
		"20,000 braces":          "a: " + repeat("{a: ", 20_000),
		"20,000 dashes":          repeat("- ", 20_000),
		"20,000 question marks":  repeat("? ", 20_000),
		"a staircase":            staircase,
		"an alias bomb":          bomb,
		"a chain of merges":      chain,
		"merges of all":          number(300, "m#: &m# {k#: 1}\n") + "a: {<<: [" + number(300, "*m#, ") + "]}\n" + number(300, "b#: {<<: [*m0, *m1]}\n"),
		"ten megabytes":          repeat("a: b\n", 2_000_000),
		"a megabyte of pairs":    repeat("a: b\n", 209_000),
		"a megabyte of items":    "[" + repeat("a,", 520_000) + "]",
		"a megabyte of braces":   "[" + repeat("{},", 340_000) + "]",
		"a megabyte of ? a":      "{" + repeat("? a,", 260_000) + "}",
		"a megabyte of colons":   "{" + repeat(":,", 500_000) + "}",
		"a megabyte of comments": repeat("#\n", 500_000) + "a: b\n",
		"a megabyte of markers":  repeat("# nocheck: mcp-schemas\n", 40_000) + "a: b\n",
		"a list of commas":       "# nocheck: " + repeat("a, ", 300_000) + "\na: b\n",
		"a megabyte of tags":     number(50_000, "%TAG !a#! x\n") + "---\na: b\n",
		"tags after returns":     number(50_000, "%TAG !a#! x\r") + "---\na: b\n",
		"a megabyte of anchors":  "a: [" + number(70_000, "&a# x,") + "]",
		"a megabyte of aliases":  "a: [&a x," + repeat("*a,", 300_000) + "]",
		"one long line of keys":  "{" + number(60_000, "k#: 1,") + "}",
		"one long key":           repeat("a", 1_000_000) + ": b\n",
		"one long scalar":        "a: \"" + repeat("b ", 500_000) + "\"\n",
		"one long plain scalar":  "a: " + repeat("b\n  ", 140_000) + "\n",
		"a long unclosed quote":  "a: '" + repeat("b ", 500_000),
		"documents":              repeat("---\n", 140_000),
		"markers of ends":        repeat("...\n", 140_000) + "a: b\n",
		"nulls":                  repeat("?\n", 140_000),
		"block scalars":          repeat("- |\n  x\n", 60_000),
		"numbers":                "a: " + repeat("9", 1_000_000) + "\nbond: 0x" + repeat("f", 40_000) + "\n" + repeat("8", 1000) + ": 1\n",
		"sexagesimals":           "bond: 1" + repeat(":59", 100_000) + "\n",
		"itself":                 "&a [*a, *a, {b: *a, *a : *a}]\n",
		"itself by merge":        "a: &a\n  <<: *a\n  b: {<<: [*a, *a]}\n",
		"carriage returns":       repeat("a: 1\r", 100_000),
		"no text at all":         "\x00\x01\x02",
		"UTF-16":                 "\xff\xfea\x00:\x00",
		"a lone byte order mark": "\ufeff",
		"marks everywhere":       repeat("\ufeff\n", 1000),
	}
}

// Every hostile file comes to an end, whatever file of a role it is, and every finding has a place.
func TestHostileYAML(t *testing.T) {
	files := []struct{ path, before string }{
		{"roles/web-app-a/meta/mcp.yml", ""},
		{"roles/web-app-a/meta/mcp.yml", "mcp:\n  classification: native_both\n  direction: both\n  tools: &t\n    categories: *t\n"},
		{"roles/web-app-a/meta/services.yml", ""},
		{"users.yml", ""},
		{"meta/categories.yml", "roles:\n  a: {}\n"},
	}
	for name, data := range hostileYAML() {
		t.Run(name, func(t *testing.T) {
			for _, file := range files {
				result := lint(t, fstest.MapFS{
					file.path:                           {Data: []byte(file.before + data)},
					"roles/web-app-b/meta/services.yml": {Data: []byte("b: {mcp_consumer: true}\n")},
				})
				for _, f := range result.Findings {
					checkShape(t, f)
				}
				result.Model.Matrix()
				result.Model.Derived()
			}
		})
	}
}
