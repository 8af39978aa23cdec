package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/pgtest"
)

// TestDeliveriesInGroups delivers much at once, most of it more than once: each is stored once, on either database.
func TestDeliveriesInGroups(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { deliverInGroups(t, "sqlite:"+filepath.Join(t.TempDir(), "bot.db")) })
	t.Run("postgres", func(t *testing.T) { deliverInGroups(t, pgtest.Database(t)) })
}

func deliverInGroups(t *testing.T, url string) {
	ctx := context.Background()
	d, err := bot.OpenDatabase(ctx, url)
	must(t, err)
	defer func() { must(t, d.Close()) }()
	must(t, d.Prepare(ctx, &bot.Bot{Store: d.Store, Log: slog.New(slog.DiscardHandler)}, bot.Settings{}))
	const different, times = 40, 5
	var group sync.WaitGroup
	for n := range different * times {
		group.Go(func() {
			notice := bot.Notice{Kind: bot.KindPull, Repo: bot.Repository{Installation: 1, ID: 2, Owner: "o", Name: "r"}, Number: n % different}
			if err := d.Deliver(ctx, fmt.Sprint("guid-", n%different), notice); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if depth, _, err := d.Depth(ctx); err != nil || depth != different {
		t.Errorf("%d are stored, want %d (%v)", depth, different, err)
	}
}
