// Command bot is the gate of a registry: a GitHub App that verifies submissions, counter-signs what passes and merges it.
//
// Without an argument it serves, set up by its environment; "simulate [FOLDER]" shows it at work on a stand-in for GitHub.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/azphalt/submissions/internal/botserver"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 0:
		err = botserver.Serve(ctx, getenv, slog.New(slog.NewJSONHandler(stderr, nil)))
	case args[0] == "simulate" && len(args) <= 2:
		folder := "submissions-example"
		if len(args) == 2 {
			folder = args[1]
		}
		err = simulate(ctx, folder, stdout)
	default:
		fmt.Fprintln(stderr, "usage: bot\n       bot simulate [FOLDER]")
		return exitUsage
	}
	if err != nil {
		fmt.Fprintln(stderr, "bot:", err)
		return exitFailed
	}
	return 0
}
