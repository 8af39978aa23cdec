// Package rolecheck judges the service blocks of Ansible roles in a change: as part of the Action, and of the bot.
package rolecheck

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

// Change is what a change did to the roles of a repository.
type Change struct {
	Root    string   // folder that holds roles/; "." is the whole repository
	Tree    fs.FS    // after the change
	Base    fs.FS    // before it; nil where it is not known
	Changed []string // paths that it touches; nil where everything is judged
}

// Result is what was found in roles. All paths are those of the repository.
type Result struct {
	Roles     []finding.Role    // that the change touches
	General   []finding.Finding // about no role, where everything is judged
	Elsewhere []finding.Finding // in roles that the change does not touch; they do not count
	Markdown  string            // for the summary: the findings that do not count, and which roles gain or lose each other
}

// Has reports whether a folder holds roles with a service block.
func Has(tree fs.FS, root string) (bool, error) {
	blocks, err := fs.Glob(tree, path.Join(root, "roles", "*", "meta", "mcp.yml"))
	return len(blocks) > 0, err
}

// Touches reports whether the change touches anything that the service blocks of roles rest on.
func (c Change) Touches() bool {
	touched := c.touched()
	return touched == nil || len(touched) > 0
}

// touched returns the roles whose blocks, services, users or adapter files the change touches, nil for all: where it touches
// a file that counts for every role, or where there is no change to go by.
func (c Change) touched() map[string]bool {
	if c.Changed == nil {
		return nil
	}
	roles := map[string]bool{}
	for _, p := range c.Changed {
		below := strings.TrimPrefix(p, c.Root+"/")
		if c.Root != "." && below == p {
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

// Judge judges the service blocks. The rules look across roles, so all are judged; the findings of those that the change
// touches count, those of others are only listed. The error means that we could not look.
func Judge(checker *check.Checker, c Change) (Result, error) {
	var out Result
	touched := c.touched()
	after, err := c.lint(checker, c.Tree)
	if err != nil {
		return out, err
	}
	for _, role := range after.Roles() {
		findings := c.moved(role.Findings)
		if touched != nil && !touched[path.Base(role.Path)] {
			out.Elsewhere = append(out.Elsewhere, findings...)
			continue
		}
		out.Roles = append(out.Roles, finding.Role{Path: path.Join(c.Root, role.Path), Findings: findings})
	}
	if touched == nil {
		out.General = c.moved(after.General())
	}
	compared, err := c.compare(checker, after)
	out.Markdown = listElsewhere(out.Elsewhere) + compared
	return out, err
}

func (c Change) lint(checker *check.Checker, tree fs.FS) (*roleblock.Result, error) {
	sub, err := fs.Sub(tree, c.Root)
	if err != nil {
		return nil, err
	}
	result, err := checker.Roles(sub)
	if err != nil {
		return nil, fmt.Errorf("reading the roles: %w", err)
	}
	return result, nil
}

// moved gives findings their paths in the repository.
func (c Change) moved(findings []finding.Finding) []finding.Finding {
	for i := range findings {
		findings[i].File = path.Join(c.Root, findings[i].File)
	}
	return findings
}

// compare says which providers and clients gain or lose each other.
func (c Change) compare(checker *check.Checker, after *roleblock.Result) (string, error) {
	if c.Base == nil || c.Changed == nil {
		return "", nil
	}
	if _, err := fs.Stat(c.Base, path.Join(c.Root, "roles")); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	before, err := c.lint(checker, c.Base)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = roleblock.Diff(before.Model, after.Model).WriteMarkdown(&out)
	return "\n### Who finds whom\n\n" + out.String(), err
}

// maxListed bounds the findings that are listed though they do not count.
const maxListed = 20

// listElsewhere lists findings that do not count, as Markdown.
func listElsewhere(findings []finding.Finding) string {
	if len(findings) == 0 {
		return ""
	}
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
