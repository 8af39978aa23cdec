package bot

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/azphalt/submissions/internal/catalog"
)

// Routes are the bot's pages: deliveries, health, metrics, what is going on, and what is published.
func Routes(b *Bot, d *Database, hook http.Handler, published *Index) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/webhook", hook)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := d.Store.Ping(r.Context()); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	})
	b.Metrics.Gauge("azp_queue_jobs", func() float64 {
		n, _ := d.depth()
		return float64(n)
	})
	b.Metrics.Gauge("azp_queue_oldest_seconds", func() float64 {
		_, age := d.depth()
		return age.Seconds()
	})
	mux.Handle("GET /metrics", b.Metrics.Handler())
	mux.HandleFunc("GET /{$}", b.Page)
	for _, p := range catalog.Paths {
		mux.Handle(p, published.Handler())
	}
	return mux
}

// depth is Depth for metrics, which have no way to say that it is not known.
func (d *Database) depth() (int, time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, age, err := d.Depth(ctx)
	if err != nil {
		return -1, 0
	}
	return n, age
}

// Listen serves a handler until the context ends, and lets what is under way be answered.
func Listen(ctx context.Context, address string, h http.Handler) error {
	server := &http.Server{Addr: address, Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(stop); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
