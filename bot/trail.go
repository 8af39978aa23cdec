package bot

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/registry"
)

// packagesNamed is how many packages an entry of the audit trail names, idShown how much of their ids.
const (
	packagesNamed = 5
	idShown       = 100
)

// decidedEntry describes a decision for the audit trail: what came of it and why, by which rules, and what was verified.
func (e *evaluation) decidedEntry(d Decision, verdict string) string {
	var b strings.Builder
	b.WriteString(d.Action.String())
	for i, r := range d.Reasons() {
		if i == 0 {
			b.WriteString(" because of ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(string(r.Code))
	}
	fmt.Fprintf(&b, "; verification: %s, by rules %s", verdict, RulesVersion())
	if e.judgement == nil {
		return b.String()
	}
	packages := e.judgement.Report.Packages
	for _, p := range packages[:min(len(packages), packagesNamed)] {
		fmt.Fprintf(&b, "; %.*q %.*q", idShown, p.ID, idShown, p.Version)
		if p.Digest != "" {
			fmt.Fprintf(&b, " (%s)", p.Digest)
		}
	}
	if more := len(packages) - packagesNamed; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

// publishedEntry describes for the audit trail which key signed what.
func (e *evaluation) publishedEntry(c candidate, commit string) string {
	author := "by nobody"
	if key, err := azp.ParsePublicKey(c.Signer); err == nil && c.Signed {
		author = "by its author's key " + short(registry.Fingerprint(key))
	}
	return fmt.Sprintf("%q %q (%s as submitted), signed %s, counter-signed by the registry's key %s, in commit %s",
		c.ID, c.Version, c.submitted, author, short(registry.Fingerprint(e.Key.Public())), commit)
}
