package roleblock

import (
	"fmt"
	"io"
	"strings"
)

// Edge is a pair of which one gains or loses the other.
type Edge struct {
	Provider string `json:"provider"`
	Client   string `json:"client"`
	Reason   Reason `json:"reason"` // of a gained one, what barred it before; of a lost one, what bars it now
}

// Change is what becomes of the edges between two states of a tree, by provider and client.
type Change struct {
	Gained []Edge `json:"gained"`
	Lost   []Edge `json:"lost"`
}

// Diff compares who reaches whom, as in a Matrix, before and after a change to a tree.
func Diff(before, after *Model) Change {
	return Change{Gained: after.beyond(before), Lost: before.beyond(after)}
}

// beyond returns the edges of m that other has not, with the reason that other has against them.
func (m *Model) beyond(other *Model) []Edge {
	out := []Edge{}
	clients := m.consumers()
	for _, provider := range m.servers {
		mine, theirs := m.outlook(provider), other.outlookOn(provider.name)
		for _, client := range clients {
			if client == provider || mine.reason(client) != "" {
				continue
			}
			if reason := theirs(client.name); reason != "" {
				out = append(out, Edge{provider.name, client.name, reason})
			}
		}
	}
	return out
}

// outlookOn returns what keeps clients from a provider that may not be there.
func (m *Model) outlookOn(provider string) func(client string) Reason {
	p := m.byName[provider]
	if p == nil || !p.serves() {
		return func(string) Reason { return ProviderAbsent }
	}
	outlook := m.outlook(p)
	return func(client string) Reason {
		c := m.byName[client]
		if c == nil || !c.declared() && !c.consumes() {
			return ClientAbsent
		}
		return outlook.reason(c)
	}
}

// Empty reports whether nothing changed.
func (c Change) Empty() bool { return len(c.Gained)+len(c.Lost) == 0 }

// WriteMarkdown writes the change as a table, for a pull request.
func (c Change) WriteMarkdown(w io.Writer) error {
	var out strings.Builder
	if c.Empty() {
		out.WriteString("No client gains or loses a provider.\n")
	} else {
		out.WriteString("| | provider | client | reason |\n|---|---|---|---|\n")
	}
	for _, e := range c.Gained {
		fmt.Fprintf(&out, "| gained | %s | %s | before: %s |\n", code(e.Provider), code(e.Client), e.Reason)
	}
	for _, e := range c.Lost {
		fmt.Fprintf(&out, "| lost | %s | %s | %s |\n", code(e.Provider), code(e.Client), e.Reason)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
