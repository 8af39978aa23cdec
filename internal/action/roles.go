package action

import (
	"fmt"
	"io/fs"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/internal/rolecheck"
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
	has, err := rolecheck.Has(tree, root)
	if has || err != nil {
		return root, err
	}
	if in.Roles != "auto" {
		return "", fmt.Errorf("input roles: %q holds no roles with a service block (roles/*/meta/mcp.yml)", in.Roles)
	}
	return "", nil
}

// judgeRoles judges the service blocks of roles.
func (s *step) judgeRoles(c *check.Checker) error {
	root, err := rolesRoot(s.in, s.scope.Tree)
	if err != nil || root == "" {
		return err
	}
	change := rolecheck.Change{Root: root, Tree: s.scope.Tree, Base: s.scope.Base, Changed: s.scope.Changed}
	if !change.Touches() {
		return nil
	}
	found, err := rolecheck.Judge(c, change)
	if err != nil {
		return err
	}
	s.report.Roles, s.roles = found.Roles, found.Markdown
	s.report.General = append(s.report.General, found.General...)
	if n := len(found.Elsewhere); n > 0 {
		s.scope.note("Roles that this change does not touch have %d findings, which do not count here; the job's summary lists them.", n)
	}
	return nil
}
