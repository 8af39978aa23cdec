package finding

import (
	"encoding/json"
	"slices"
	"strings"
)

// ReportVersion is the version of the JSON report's shape.
const ReportVersion = 1

// Shape says in which form a package was submitted.
type Shape string

// The shapes.
const (
	Built    Shape = "built"    // an .azp archive
	Source   Shape = "source"   // a folder to be packed
	Manifest Shape = "manifest" // a manifest by itself
)

// Verdict is what the findings of a package come to.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
)

// VerdictOf returns Fail when a finding is an error.
func VerdictOf(fs []Finding) Verdict {
	if Worst(fs) >= Error {
		return Fail
	}
	return Pass
}

// Tool names the program that made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Signer is the key that signed a package.
type Signer struct {
	PublicKey string `json:"publicKey"`       // base64 of the SPKI DER
	KeyID     string `json:"keyId,omitempty"` // as the signer chose it; no identity
}

// Trust says whether the signer's key is trusted, and through whom.
type Trust struct {
	Trusted bool   `json:"trusted"`
	Reason  string `json:"reason"`
	Via     string `json:"via"` // public key of the counter-signer that is trusted; empty where trust is direct or absent
}

// Package is what was found out about one package.
type Package struct {
	Path    string `json:"path"`
	Shape   Shape  `json:"shape"`
	ID      string `json:"id,omitempty"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind,omitempty"`
	// Digest and Size are those of the archive; absent where there is none yet.
	Digest string  `json:"digest,omitempty"`
	Size   int64   `json:"size,omitempty"`
	Signed bool    `json:"signed"`
	Signer *Signer `json:"signer,omitempty"`
	Trust  *Trust  `json:"trust,omitempty"`

	// Modules are the package's WebAssembly modules and components, in the order of their paths in it.
	Modules []Module `json:"modules,omitempty"`
	// Offers are what the package's servers say that they offer, where they were asked.
	Offers []Offer `json:"offers,omitempty"`

	Findings []Finding `json:"findings"`
}

// Verdict is computed from the findings.
func (p *Package) Verdict() Verdict { return VerdictOf(p.Findings) }

// notJudged stands in the report where nobody said whom to trust.
var notJudged = &Trust{Reason: "not judged: no trust store was given"}

// MarshalJSON adds the verdict, and for an archive what there is to say of trust.
func (p Package) MarshalJSON() ([]byte, error) {
	type plain Package
	if p.Trust == nil && p.Shape == Built {
		p.Trust = notJudged
	}
	out := struct {
		plain
		Verdict  Verdict   `json:"verdict"`
		Findings []Finding `json:"findings"`
	}{plain: plain(p), Verdict: p.Verdict(), Findings: list(p.Findings)}
	return json.Marshal(out)
}

// Role is what was found out about one role of an Ansible repository.
type Role struct {
	Path     string    `json:"path"`
	Findings []Finding `json:"findings"`
}

// MarshalJSON writes the findings as a list, where there are none too.
func (r Role) MarshalJSON() ([]byte, error) {
	type plain Role
	r.Findings = list(r.Findings)
	return json.Marshal(plain(r))
}

// list is what a list is in the report's published shape: never null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// Summary counts a report.
type Summary struct {
	Packages int `json:"packages"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notices  int `json:"notices"`
}

// Report is the outcome of one run.
type Report struct {
	Tool     Tool
	Packages []Package
	Roles    []Role
	// General holds findings about no package or role: a fault in the configuration, a waiver that nothing uses.
	General []Finding
}

// Sort puts packages, roles and their findings in order, so that the same input gives the same bytes.
func (r *Report) Sort() {
	for i := range r.Packages {
		r.Packages[i].Findings = Sort(r.Packages[i].Findings)
	}
	for i := range r.Roles {
		r.Roles[i].Findings = Sort(r.Roles[i].Findings)
	}
	r.General = Sort(r.General)
	slices.SortStableFunc(r.Packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(r.Roles, func(a, b Role) int { return strings.Compare(a.Path, b.Path) })
}

// Findings returns all findings: the general ones, then those of packages and roles in the report's order.
func (r *Report) Findings() []Finding {
	out := slices.Clone(r.General)
	for _, p := range r.Packages {
		out = append(out, p.Findings...)
	}
	for _, role := range r.Roles {
		out = append(out, role.Findings...)
	}
	return out
}

// Summary counts packages and findings.
func (r *Report) Summary() Summary {
	s := Summary{Packages: len(r.Packages)}
	for _, f := range r.Findings() {
		switch f.Severity {
		case Error:
			s.Errors++
		case Warning:
			s.Warnings++
		case Notice:
			s.Notices++
		}
	}
	return s
}

// Failed reports whether a finding is at or above the given severity.
func (r *Report) Failed(at Severity) bool { return Worst(r.Findings()) >= at }

// MarshalJSON writes the report in its published shape.
func (r Report) MarshalJSON() ([]byte, error) {
	out := struct {
		Version  int       `json:"version"`
		Tool     Tool      `json:"tool"`
		Packages []Package `json:"packages"`
		Roles    []Role    `json:"roles"`
		General  []Finding `json:"general,omitempty"`
		Summary  Summary   `json:"summary"`
	}{ReportVersion, r.Tool, list(r.Packages), list(r.Roles), r.General, r.Summary()}
	return json.Marshal(out)
}
