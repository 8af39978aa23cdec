package check

import (
	"io/fs"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/roleblock"
)

// Roles judges the service blocks of a tree of Ansible roles. The error is about reading alone.
func (c *Checker) Roles(tree fs.FS) (*roleblock.Result, error) {
	return roleblock.Lint(tree, roleblock.Options{
		Severity: func(rule string, _ finding.Severity) finding.Severity { return c.severity(rule) },
	})
}
