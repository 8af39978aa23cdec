package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/diff"
)

func newDiff() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what changed from one version to another",
		Long: `diff shows what changed between two versions of a package that a reviewer has to see, gravest first: the signer, new grants,
what is started and with which arguments, the hosts that it speaks to, new inputs, tools gained or lost, and the payload.

OLD and NEW are each an .azp archive, the folder of a package, or a .json manifest by itself. It judges nothing: that is what
verify is for. What looks like a credential is masked.

Exit status: 0 when the two could be compared, whatever changed; 2 for a wrong command line; 3 when one could not be read.`,
		Example: `  azp diff com.example.my-package-1.0.0.azp com.example.my-package-1.1.0.azp
  azp diff com.example.my-package-1.0.0.azp submissions/com.example.my-package
  azp diff --format markdown old/manifest.json new/manifest.json`,
		Args: exactly(2, "OLD and NEW, each an .azp archive, a folder or a .json manifest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var sides [2]diff.Side
			for i, path := range args {
				var err error
				if sides[i], err = readSide(cmd.Context(), path); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
			return diff.Write(cmd.OutOrStdout(), format, diff.Compare(sides[0], sides[1]))
		},
	}
	choiceVar(cmd, &format, "format", "how to print", diff.Formats()...)
	return cmd
}

// readSide reads a version from wherever it is.
func readSide(ctx context.Context, path string) (diff.Side, error) {
	as := filepath.ToSlash(filepath.Clean(path))
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return diff.Side{}, err
	case info.IsDir():
		return diff.Source(ctx, as, os.DirFS(path), azp.Limits{})
	case !info.Mode().IsRegular(): // opening a pipe could wait for ever
		return diff.Side{}, fmt.Errorf("%s is no file", path)
	case strings.EqualFold(filepath.Ext(path), ".json"):
		if info.Size() > azp.DefaultLimits.Manifest {
			return diff.Side{}, fmt.Errorf("it is longer than a manifest may be, %d bytes", azp.DefaultLimits.Manifest)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return diff.Side{}, err
		}
		return diff.Manifest(as, text, azp.Limits{})
	}
	f, err := os.Open(path)
	if err != nil {
		return diff.Side{}, err
	}
	defer f.Close()
	return diff.Archive(ctx, as, f, info.Size(), azp.Limits{})
}
