package bot

import (
	"context"
	"log/slog"
)

type deliveryKey struct{}

// withDelivery keeps in a context which delivery the work is done for; "" is none, as in a sweep.
func withDelivery(ctx context.Context, guid string) context.Context {
	return context.WithValue(ctx, deliveryKey{}, guid)
}

func deliveryOf(ctx context.Context) string {
	guid, _ := ctx.Value(deliveryKey{}).(string)
	return guid
}

// logger is the log, with the delivery that the work is done for on each line.
func (b *Bot) logger(ctx context.Context) *slog.Logger {
	if guid := deliveryOf(ctx); guid != "" {
		return b.Log.With("delivery", guid)
	}
	return b.Log
}

// pullLogger is the log, with the delivery and the pull request on each line.
func (b *Bot) pullLogger(ctx context.Context, r Repository, number int) *slog.Logger {
	return b.logger(ctx).With("repository", r.FullName(), "pull_request", number)
}
