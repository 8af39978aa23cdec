package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	abs, err := filepath.Abs(path)
	if err != nil {
		return diff.Side{}, err
	}
	side, err := diff.Open(ctx, os.DirFS(filepath.Dir(abs)), filepath.Base(abs), filepath.ToSlash(filepath.Clean(path)), azp.Limits{})
	if perr, ok := errors.AsType[*fs.PathError](err); ok {
		return side, perr.Err
	}
	return side, err
}
