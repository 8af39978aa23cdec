package action

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/roleblock"
)

// rolesRoot returns the folder that holds roles/, "" where there is nothing to judge.
func rolesRoot(in Inputs, tree fs.FS) (string, error) {
	root := in.Roles
	switch in.Roles {
	case "off":
		return "", nil
	case "auto":
		root = "."
	}
	blocks, err := fs.Glob(tree, path.Join(root, "roles", "*", "meta", "mcp.yml"))
	if err != nil {
		return "", err
	}
	if len(blocks) > 0 {
		return root, nil
	}
	if in.Roles != "auto" {
		return "", fmt.Errorf("input roles: %q holds no roles with a service block (roles/*/meta/mcp.yml)", in.Roles)
	}
	return "", nil
}

// touchedRoles returns the roles whose blocks, services, users or adapter files a change touches, nil for all: where it
// touches a file that counts for every role, or where there is no change to go by.
func touchedRoles(root string, changed []string) map[string]bool {
	if changed == nil {
		return nil
	}
	roles := map[string]bool{}
	for _, p := range changed {
		below := strings.TrimPrefix(p, root+"/")
		if root != "." && below == p {
			continue
		}
		if below == "users.yml" || below == "meta/categories.yml" {
			return nil
		}
		parts := strings.SplitN(below, "/", 4)
		if len(parts) < 4 || parts[0] != "roles" {
			continue
		}
		switch {
		case parts[2] == "files", parts[2] == "meta" && (parts[3] == "mcp.yml" || parts[3] == "services.yml" || parts[3] == "users.yml"):
			roles[parts[1]] = true
		}
	}
	return roles
}

// judgeRoles judges the service blocks of roles. The rules look across roles, so all are judged; the findings of those that
// the change touches count, those of others are only counted.
func (s *step) judgeRoles(c *check.Checker) error {
	root, err := rolesRoot(s.in, s.scope.Tree)
	if err != nil || root == "" {
		return err
	}
	touched := touchedRoles(root, s.scope.Changed)
	if touched != nil && len(touched) == 0 {
		return nil
	}
	after, err := lintRoles(c, s.scope.Tree, root)
	if err != nil {
		return err
	}
	var elsewhere []finding.Finding
	for _, role := range after.Roles() {
		if touched != nil && !touched[path.Base(role.Path)] {
			elsewhere = append(elsewhere, moved(root, role.Findings)...)
			continue
		}
		s.report.Roles = append(s.report.Roles, within(root, role))
	}
	if touched == nil {
		s.report.General = append(s.report.General, moved(root, after.General())...)
	}
	if len(elsewhere) > 0 {
		s.scope.note("Roles that this change does not touch have %d findings, which do not count here; the job's summary lists them.", len(elsewhere))
		s.roles = listElsewhere(elsewhere)
	}
	return s.compareRoles(c, root, after)
}

func lintRoles(c *check.Checker, tree fs.FS, root string) (*roleblock.Result, error) {
	sub, err := fs.Sub(tree, root)
	if err != nil {
		return nil, err
	}
	result, err := c.Roles(sub)
	if err != nil {
		return nil, fmt.Errorf("reading the roles: %w", err)
	}
	return result, nil
}

// within gives a role's findings their paths in the repository.
func within(root string, role finding.Role) finding.Role {
	return finding.Role{Path: path.Join(root, role.Path), Findings: moved(root, role.Findings)}
}

func moved(root string, findings []finding.Finding) []finding.Finding {
	for i := range findings {
		findings[i].File = path.Join(root, findings[i].File)
	}
	return findings
}

// compareRoles says which providers and clients gain or lose each other.
func (s *step) compareRoles(c *check.Checker, root string, after *roleblock.Result) error {
	if s.scope.Base == nil || s.scope.Changed == nil {
		return nil
	}
	if _, err := fs.Stat(s.scope.Base, path.Join(root, "roles")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	before, err := lintRoles(c, s.scope.Base, root)
	if err != nil {
		return err
	}
	var out strings.Builder
	if err := roleblock.Diff(before.Model, after.Model).WriteMarkdown(&out); err != nil {
		return err
	}
	s.roles += "\n" + out.String()
	return nil
}

// listElsewhere lists findings that do not count, as Markdown.
func listElsewhere(findings []finding.Finding) string {
	var out strings.Builder
	out.WriteString("### In roles that this change does not touch\n\n")
	for i, f := range findings {
		if i == maxListed {
			fmt.Fprintf(&out, "- and %d more: `azp role lint` shows them all\n", len(findings)-i)
			break
		}
		fmt.Fprintf(&out, "- %s %s at %s: %s\n", f.Severity, annotate.Prose(f.Rule), annotate.Prose(fmt.Sprintf("%s:%d", f.File, f.Line)), annotate.Prose(f.Message))
	}
	return out.String()
}
