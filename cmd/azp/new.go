package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/check"
)

// scaffolds holds a folder for each kind that `azp new` knows. {{id}} and {{name}} stand for the package's.
//
//go:embed scaffold
var scaffolds embed.FS

func newNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new mcp ID",
		Short: "Begin a package: a folder that verifies, to fill in",
		Long: `new makes the folder ID with a manifest and a licence. The manifest declares an MCP server at a URL, and the token that hosts
ask their user for: replace what is not yours, and delete what you don't need.

ID is in reverse-domain form. The folder must not be there yet.`,
		Example:   `  azp new mcp com.example.my-server`,
		ValidArgs: []string{"mcp"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] != "mcp" {
				return usagef("%s takes the kind, which is mcp, and the ID of the package", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return scaffold(cmd, args[0], args[1]) },
	}
}

// scaffold makes the folder of a package, whole or not at all.
func scaffold(cmd *cobra.Command, kind, id string) error {
	if id == "" || filepath.Base(id) != id || !filepath.IsLocal(id) {
		return usagef("an ID is a name such as com.example.my-server, and the folder is made where you are")
	}
	if _, err := os.Lstat(id); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "new", Path: id, Err: fs.ErrExist}
	}
	tmp, err := os.MkdirTemp(".", ".azp-new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, id)
	if err := fill(dir, kind, id); err != nil {
		return err
	}
	report, err := verifyPaths(cmd.Context(), check.New(check.Options{}), []string{dir}, newProgress(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	for _, f := range report.Findings() { // of the ID: nothing else in the manifest is the caller's
		return usagef("%s: an ID is like com.example.my-server", f.Message)
	}
	if err := os.Rename(dir, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "made %s: fill in its manifest.json, then run\n  azp verify %s\n", id, id)
	return err
}

// fill writes the files of a kind's scaffold to a new folder.
func fill(dir, kind, id string) error {
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // a package is there to be read
		return err
	}
	source, err := fs.Sub(scaffolds, "scaffold/"+kind)
	if err != nil {
		return err
	}
	replace := strings.NewReplacer("{{id}}", id, "{{name}}", title(id))
	return fs.WalkDir(source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), []byte(replace.Replace(string(data))), 0o644) //nolint:gosec // likewise
	})
}

// title makes a name of an ID's last part: "My server" of com.example.my-server.
func title(id string) string {
	last := strings.ReplaceAll(id[strings.LastIndexByte(id, '.')+1:], "-", " ")
	if last == "" {
		return id
	}
	return strings.ToUpper(last[:1]) + last[1:]
}
