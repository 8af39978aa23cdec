// Command image is what the image holds: the Action and the bot, static and in one file, which is the one or the other by the
// name under which it is started. They share most of their code; as two files they would be larger than the image may be.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/azphalt/submissions/internal/action"
	"github.com/azphalt/submissions/internal/botserver"
)

// Exit statuses of the bot; the Action has its own.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	switch filepath.Base(os.Args[0]) {
	case "action":
		os.Exit(action.Run(ctx, action.Env{Getenv: os.Getenv, Stdout: os.Stdout, Now: time.Now}))
	case "bot":
		if err := botserver.Serve(ctx, os.Getenv, slog.New(slog.NewJSONHandler(os.Stderr, nil))); err != nil {
			fmt.Fprintln(os.Stderr, "bot:", err)
			os.Exit(exitFailed)
		}
	default:
		fmt.Fprintln(os.Stderr, "start this program as action or as bot")
		os.Exit(exitUsage)
	}
}
