// Command action is the GitHub Action's entry point; see action.yml.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/azphalt/submissions/internal/action"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := action.Run(ctx, action.Env{Getenv: os.Getenv, Stdout: os.Stdout, Now: time.Now})
	stop()
	os.Exit(status)
}
