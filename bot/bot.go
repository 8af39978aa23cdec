// Package bot is the gate of a registry: a GitHub App that verifies submissions again for itself, says what stands in their
// way, counter-signs what passes with the registry's key, and merges it.
//
// Whatever it does starts from an [Event] that was stored before GitHub was answered, is done by a job that can be repeated
// from its beginning at any time, and ends in a [Decision] that [Decide] made from [Facts] alone.
package bot

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/azphalt/submissions/azp"
)

// Hub is GitHub for all repositories; [App] is one.
type Hub interface {
	Repo(Repository) (GitHub, error)
	Repositories(ctx context.Context) ([]Repository, error)
	// Find returns the repository of a name. Ok is false where the App is not installed on it.
	Find(ctx context.Context, owner, name string) (r Repository, ok bool, err error)
	Redeliver(ctx context.Context, since time.Time) (int, error)
}

// Bot decides about pull requests.
type Bot struct {
	Hub       Hub
	Store     *Store
	AppID     int64
	Key       azp.Signer // the registry's; nil: nothing is merged
	KeyID     string
	PublicURL string // where the bot's page is, "" where it is not reachable
	GitHubURL string // where GitHub's pages are, without a slash at its end; github.com where empty
	Log       *slog.Logger
	Metrics   *Metrics
	Now       func() time.Time
	// Wait is how long is waited before GitHub is asked again for the mergeability; it doubles each time.
	Wait time.Duration
	// Step is called before each step that shows, with its name; tests interrupt there. It may be nil.
	Step func(name string)

	merges atomic.Int64 // so far
}

func (b *Bot) step(name string) {
	if b.Step != nil {
		b.Step(name)
	}
}

func (b *Bot) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}
