package probe

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/check"
)

// The ways in which servers are asked.
const (
	WASI   = "wasi"   // start bundled modules, and fetched ones, in the sandbox
	Remote = "remote" // connect to servers on the network
)

// New returns the functions for the ways that are listed, with commas between them; "" and "none" list none. Compiled
// modules are kept in the folder, see [Sandbox]. It does nothing yet: what takes time is done when it is first needed.
func New(ways, dir string) (check.Probe, error) {
	var p check.Probe
	if ways == "" || ways == "none" {
		return p, nil
	}
	for way := range strings.SplitSeq(ways, ",") {
		switch strings.TrimSpace(way) {
		case WASI:
			p.Start = (&Sandbox{Dir: dir}).Start
		case Remote:
			p.Connect = (&Network{}).Connect
		default:
			return p, fmt.Errorf("%q is none of wasi, remote, none", way)
		}
	}
	return p, nil
}
