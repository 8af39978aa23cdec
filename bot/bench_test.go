package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/azphalt/submissions/bot"
)

// BenchmarkDelivery takes signed deliveries into the embedded database, one after the other, and reports the 99th
// percentile of the answer beside the mean; it is to be below 20 ms.
func BenchmarkDelivery(b *testing.B) {
	ctx := context.Background()
	d, err := bot.OpenDatabase(ctx, "sqlite:"+filepath.Join(b.TempDir(), "bot.db"))
	must(b, err)
	defer d.Close()
	log := slog.New(slog.DiscardHandler)
	must(b, d.Prepare(ctx, &bot.Bot{Store: d.Store, Log: log}, bot.Settings{}))
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		start := time.Now()
		must(b, d.Deliver(ctx, fmt.Sprint("guid-", n), bot.Notice{Kind: bot.KindPull, Repo: bot.Repository{Installation: 1, ID: 2, Owner: "o", Name: "r"}, Number: n}))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
