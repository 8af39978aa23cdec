package annotate

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// maxListed bounds the names of a list within a line.
const maxListed = 40

// moduleItem returns a list item for a WebAssembly module: what it is, what its servers ask for, and what it imports.
func moduleItem(m *finding.Module) string {
	item := fmt.Sprintf("\n- %s is %s\n", code(visible(m.Path, maxName)), prose(ModuleWords(m)))
	if len(m.Grants) > 0 {
		item += "  - asks for " + codes(m.Grants) + "\n"
	}
	for _, g := range m.Imports {
		item += "  - " + prose(g.Group) + ": " + codes(g.Names) + "\n"
	}
	return item
}

// ModuleWords says in plain text what a module is: "a module of 3361277 bytes for WASI preview 1".
func ModuleWords(m *finding.Module) string {
	words := fmt.Sprintf("a %s of %d bytes", m.Form, m.Size)
	if m.WASI != "" {
		words += " for WASI " + visible(m.WASI, maxName)
	}
	if !m.Valid {
		return words + " that is not valid, or could not be checked"
	}
	if !m.Starts {
		words += " that can not be started"
	}
	return words
}

// codes lists names as code, cut to what a reader takes in.
func codes(names []string) string {
	var out []string
	for _, n := range names[:min(len(names), maxListed)] {
		out = append(out, code(visible(n, maxName)))
	}
	list := strings.Join(out, ", ")
	if more := len(names) - maxListed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
