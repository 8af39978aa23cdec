package roleblock

import (
	"strings"

	"github.com/azphalt/submissions/finding"
)

// Result is the outcome of a lint.
type Result struct {
	// Findings are all findings, by file, line, rule and what they are about.
	Findings []Finding
	// Model is what the tree declares; a role whose files are at fault is in it as far as it could be read.
	Model *Model
}

func (l *lint) result() *Result { return &Result{Findings: l.found, Model: l.model} }

// Roles returns every role of the tree with its findings, by name; the path of a role is "roles/<name>".
func (r *Result) Roles() []finding.Role {
	byRole := map[string][]finding.Finding{}
	for _, f := range r.Findings {
		if path, ok := roleOf(f.File); ok {
			byRole[path] = append(byRole[path], f.Finding)
		}
	}
	var out []finding.Role
	for _, role := range r.Model.roles {
		path := rolePath(role.name, "")
		out = append(out, finding.Role{Path: path, Findings: byRole[path]})
	}
	return out
}

// General returns the findings that are in no role's files: in the users.yml and meta/categories.yml of the tree.
func (r *Result) General() []finding.Finding {
	var out []finding.Finding
	for _, f := range r.Findings {
		path, ok := roleOf(f.File)
		if _, known := r.Model.byName[strings.TrimPrefix(path, rolesDir+"/")]; !ok || !known {
			out = append(out, f.Finding)
		}
	}
	return out
}

// roleOf returns the path of the role that a file belongs to.
func roleOf(file string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(file, rolesDir+"/")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, "/")
	return rolesDir + "/" + name, ok
}
