package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/build"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/roleblock"
)

func newRole() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "role",
		Short: "Check the MCP service blocks of Ansible roles",
		Long: `role checks the service blocks (roles/ROLE/meta/mcp.yml) of a repository of Ansible roles, and computes what its clients
find. ROOT is the folder that holds roles/. docs/roles.md explains the block.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q of role", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRoleLint(), newRoleDiscover(), newRoleMatrix())
	return cmd
}

func newRoleLint() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:     "lint ROOT",
		Short:   "Judge all service blocks",
		Example: "  azp role lint .",
		Args:    exactly(1, "one ROOT, the folder that holds roles/"),
		RunE:    func(cmd *cobra.Command, args []string) error { return roleLint(cmd, f, args[0]) },
	}
	f.register(cmd)
	return cmd
}

func roleLint(cmd *cobra.Command, f reportFlags, root string) error {
	cfg, faults, err := f.readConfig()
	if err != nil {
		return err
	}
	if cfg == nil {
		cfg = config.Default()
	}
	result, err := lintRoles(check.New(check.Options{Config: cfg}), root)
	if err != nil {
		return err
	}
	report := &finding.Report{
		Tool: finding.Tool{Name: "azp", Version: build.Version()}, Roles: result.Roles(), General: append(faults, result.General()...),
	}
	cfg.ApplyWaivers(report, time.Now(), func(w config.Waiver) bool { return strings.HasPrefix(w.Rule, "role/") })
	report.Sort()
	return f.write(cmd, report)
}

// lintRoles judges the roles below a folder.
func lintRoles(c *check.Checker, root string) (*roleblock.Result, error) {
	info, err := os.Stat(filepath.Join(root, "roles"))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return nil, fmt.Errorf("%s holds no folder roles: ROOT is the folder above the roles", root)
	case err != nil:
		return nil, err
	}
	return c.Roles(os.DirFS(root))
}

func newRoleDiscover() *cobra.Command {
	var client, estateFile, format string
	cmd := &cobra.Command{
		Use:   "discover --client ROLE ROOT",
		Short: "Compute what a client finds",
		Long: `discover computes which providers a client finds, and why it does not find the others. The estate is a JSON file with the
deployed roles, token stores and credentials: {"deployed":[…],"tokens":{…},"credentials":{…}}. None of its secrets is printed.`,
		Example: "  azp role discover --client web-app-assistant --estate estate.json .",
		Args:    exactly(1, "one ROOT, the folder that holds roles/"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if client == "" {
				return usagef("discover needs --client, the name of the role that looks for providers")
			}
			estate, err := readEstate(estateFile)
			if err != nil {
				return err
			}
			result, err := lintRoles(check.New(check.Options{}), args[0])
			if err != nil {
				return err
			}
			found, err := result.Model.Discover(client, estate)
			if err != nil {
				return err
			}
			if format == "text" {
				return found.WriteText(cmd.OutOrStdout())
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			return enc.Encode(found)
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "role that looks for providers")
	cmd.Flags().StringVar(&estateFile, "estate", "", "what is deployed, as JSON")
	choiceVar(cmd, &format, "format", "how to print", "json", "text")
	return cmd
}

func readEstate(path string) (roleblock.Estate, error) {
	if path == "" {
		return roleblock.Estate{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return roleblock.Estate{}, err
	}
	defer f.Close()
	estate, err := roleblock.ReadEstate(f)
	if err != nil {
		return estate, fmt.Errorf("%s: %w", path, err)
	}
	return estate, nil
}

func newRoleMatrix() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "matrix ROOT",
		Short:   "Show which client reaches which provider, and why the others do not",
		Example: "  azp role matrix --format markdown .",
		Args:    exactly(1, "one ROOT, the folder that holds roles/"),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := lintRoles(check.New(check.Options{}), args[0])
			if err != nil {
				return err
			}
			if format == "markdown" {
				return result.Model.Matrix().WriteMarkdown(cmd.OutOrStdout())
			}
			return result.Model.Matrix().WriteText(cmd.OutOrStdout())
		},
	}
	choiceVar(cmd, &format, "format", "how to print", "text", "markdown")
	return cmd
}
