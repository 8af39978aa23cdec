package annotate

import (
	"fmt"
	"strings"

	"github.com/azphalt/submissions/finding"
)

// section is one subject of a report: a package, a role, or, where both are nil, the findings about neither.
type section struct {
	pkg      *finding.Package
	role     *finding.Role
	findings []finding.Finding
}

// sections lists the subjects of r in the report's order. The general one is there only where it has findings.
func sections(r *finding.Report) []section {
	var out []section
	if len(r.General) > 0 {
		out = append(out, section{findings: r.General})
	}
	for i := range r.Packages {
		out = append(out, section{pkg: &r.Packages[i], findings: r.Packages[i].Findings})
	}
	for i := range r.Roles {
		out = append(out, section{role: &r.Roles[i], findings: r.Roles[i].Findings})
	}
	return out
}

// path returns where the subject is, "" for the general section.
func (s section) path() string {
	switch {
	case s.pkg != nil:
		return s.pkg.Path
	case s.role != nil:
		return s.role.Path
	}
	return ""
}

func (s section) isGeneral() bool { return s.pkg == nil && s.role == nil }

func (s section) passes() bool { return finding.VerdictOf(s.findings) == finding.Pass }

// Headline says in one line what a report comes to: "2 packages checked: 1 passes, 1 fails (3 errors, 1 warning)". It holds
// no text of a stranger's.
func Headline(r *finding.Report) string {
	var counts tally
	passing, failing := 0, 0
	for _, s := range sections(r) {
		counts.add(tallyOf(s.findings))
		switch {
		case s.isGeneral():
		case s.passes():
			passing++
		default:
			failing++
		}
	}
	line := subjects(r)
	if line == "" {
		line = "nothing to check"
	} else {
		line += " checked: " + outcome(passing, failing)
	}
	if c := counts.String(); c != "" {
		line += " (" + c + ")"
	}
	return line
}

// subjects returns "2 packages and 1 role", "" for none.
func subjects(r *finding.Report) string {
	var parts []string
	if n := len(r.Packages); n > 0 {
		parts = append(parts, plural(n, "package"))
	}
	if n := len(r.Roles); n > 0 {
		parts = append(parts, plural(n, "role"))
	}
	return strings.Join(parts, " and ")
}

func outcome(passing, failing int) string {
	var parts []string
	for _, o := range []struct {
		n         int
		one, many string
	}{{passing, "passes", "pass"}, {failing, "fails", "fail"}} {
		switch {
		case o.n == 1:
			parts = append(parts, "1 "+o.one)
		case o.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", o.n, o.many))
		}
	}
	return strings.Join(parts, ", ")
}
