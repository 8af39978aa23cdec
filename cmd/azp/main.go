// Command azp verifies, packs and signs azphalt packages on the contributor's own machine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/build"
)

// Exit statuses.
const (
	exitFindings = 1 // findings at or above what was asked for; not trusted; refused
	exitUsage    = 2
	exitNoLook   = 3 // files could not be read or written
)

// gcPercent lets a run over a hundred small packages end before the first garbage collection: they were an eighth of its
// time. The live heap is a few MiB whatever the payload, so this costs little memory.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	var refusal *azp.Refusal
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &refusal):
		fmt.Fprintf(stderr, "azp: %v\n", err)
		return exitFindings
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "azp: %v\nRun 'azp --help' or 'azp COMMAND --help' for the usage.\n", err)
		return exitUsage
	default:
		fmt.Fprintf(stderr, "azp: %v\n", err)
		return exitNoLook
	}
}

// errFindings ends a command that did its work and has bad news, which has been printed.
var errFindings = errors.New("findings")

// usageError is a wrong command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "azp",
		Short: "Verify, pack and sign azphalt packages",
		Long: `azp verifies, packs and signs azphalt packages (.azp) with the very rules by which the registry judges a submission.

Exit status: 0 when all is well, 1 when there are findings or the package does not allow it, 2 for a wrong command line, 3 when files could not be read or written.`,
		Example: `  azp verify submissions/com.example.my-package
  azp pack my-package --key author.pem
  azp rules mcp/literal-secret`,
		Version:       build.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return nil
		},
		PersistentPreRunE: noStreams,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })

	root.AddCommand(newVerify(), newPack(), newInspect(), newDiff(), newSign(), newCountersign(), newTrust(), newKeygen(), newRules(), newRole(), newNew(), newDoctor())
	return root
}

// noStreams refuses "-" for a file: a package is found by its path and named by it in every report, and a key that is written
// to a file of that name would lie where nobody looks for it.
func noStreams(cmd *cobra.Command, args []string) error {
	if out := cmd.Flags().Lookup("output"); slices.Contains(args, "-") || out != nil && out.Value.String() == "-" {
		return usagef(`"-" does not stand for standard input or output: name a file`)
	}
	return nil
}

// exactly asks for n arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}
