package bot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	_ "modernc.org/sqlite" // the embedded database, without C
)

// Database is the bot's memory: its store and its queue, in one database.
type Database struct {
	Store    *Store
	db       *sql.DB
	pool     *pgxpool.Pool // nil on SQLite
	embedded bool
	client   queueClient
	inbox    inbox
}

// queueClient is the part of a River client that is the same for all databases.
type queueClient interface {
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// OpenDatabase opens "sqlite:FILE" or "postgres://…" and creates what is missing in it.
func OpenDatabase(ctx context.Context, url string) (*Database, error) {
	d := &Database{}
	var err error
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		err = d.openSQLite(ctx, file)
	} else if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		err = d.openPostgres(ctx, url)
	} else {
		err = errors.New("the database's address starts neither with sqlite: nor with postgres://") // it may hold a password
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.Store, err = NewStore(ctx, d.db, !d.embedded)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Database) openPostgres(ctx context.Context, url string) (err error) {
	d.pool, err = pgxpool.New(ctx, url)
	if err != nil {
		return errors.New("the database's address can't be read") // the cause may hold a password
	}
	d.db = stdlib.OpenDBFromPool(d.pool)
	return migrate(ctx, riverpgxv5.New(d.pool))
}

// migrate brings the queue's tables up to date. Two instances may start at once, so what the other one did is no failure.
func migrate[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	for attempt := range 5 {
		if _, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err == nil {
			return nil
		}
		time.Sleep(jitter(time.Second << attempt / 4))
	}
	return fmt.Errorf("preparing the queue: %w", err)
}

// Close closes the database.
func (d *Database) Close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	if d.pool != nil {
		d.pool.Close()
	}
	return err
}

// deliveryArgs is a delivery that was stored. One event reaches each installation once, whatever GitHub delivers again.
type deliveryArgs struct {
	GUID         string    `json:"guid" river:"unique"`
	Installation int64     `json:"installation" river:"unique"`
	Notice       Notice    `json:"notice"`
	Received     time.Time `json:"received"`
}

// Kind names the job.
func (deliveryArgs) Kind() string { return "delivery" }

// pullArgs is the wish that a pull request be looked at; the wish has a number, see [Store.Want].
type pullArgs struct {
	Repo     Repository `json:"repo"`
	Number   int        `json:"number"`
	Wish     int64      `json:"wish"`
	Cause    Kind       `json:"cause"`
	Rerun    bool       `json:"rerun,omitempty"`
	Merged   bool       `json:"merged,omitempty"` // GitHub tells that it is
	Head     string     `json:"head,omitempty"`   // that GitHub tells of
	Received time.Time  `json:"received"`
	Delivery string     `json:"delivery,omitempty"` // for which it is, for the log
}

// Kind names the job.
func (pullArgs) Kind() string { return "pull" }

// The queues. Deliveries have one of their own, so that they are never stuck behind pull requests.
const (
	deliveryQueue = "deliveries"
	pullQueue     = "pulls"
)

// Settings are the times of the queue; zero values stand for the defaults.
type Settings struct {
	Workers int           // pull requests that are looked at at once; 4
	Timeout time.Duration // of one look; 5 minutes
	Lease   time.Duration // how long a pull request stays taken by a program that died; 30 s
	Poll    time.Duration // how often the queue is asked where nobody tells; 250 ms
	Sweep   time.Duration // between two sweeps; 5 minutes

	Attempts int           // after how many failures a job is given up; 12, which with the waits between them takes a day and a half
	Wait     time.Duration // before the first time that a failed job is tried again; it triples each time, up to six hours; 1 s
}

func (s *Settings) fill() {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&s.Timeout, 5*time.Minute)
	set(&s.Lease, 30*time.Second)
	set(&s.Poll, 250*time.Millisecond)
	set(&s.Sweep, 5*time.Minute)
	set(&s.Wait, time.Second)
	if s.Workers == 0 {
		s.Workers = 4
	}
	if s.Attempts == 0 {
		s.Attempts = 12
	}
}

func (s *Settings) backOff() backOff { return backOff{s.Wait} }

// backOff waits up to six hours, with jitter.
type backOff struct{ first time.Duration }

// NextRetry returns when a job is tried again.
func (b backOff) NextRetry(job *rivertype.JobRow) time.Time {
	wait := time.Duration(math.Pow(3, float64(len(job.Errors))) * float64(b.first))
	return time.Now().Add(jitter(min(wait, 6*time.Hour)))
}

// Serve works on the queue, after Prepare, until the context ends, then stops: what is under way is finished, or can be
// repeated.
func (d *Database) Serve(ctx context.Context) error {
	if err := d.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting the queue: %w", err)
	}
	// The queue itself begins with what is periodic once its instances have agreed on who does it, seconds later.
	if err := d.insert(context.WithoutCancel(ctx), sweepArgs{}, nil); err != nil {
		return errors.Join(fmt.Errorf("asking for the sweep at the start: %w", err), d.stop(ctx))
	}
	<-ctx.Done()
	return d.stop(ctx)
}

// stop lets what is under way come to its end, for a while.
func (d *Database) stop(ctx context.Context) error {
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	if err := d.client.Stop(stop); err == nil {
		return nil
	}
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return d.client.StopAndCancel(hard)
}

// Prepare makes the queue ready to take deliveries, before Serve works on them.
func (d *Database) Prepare(ctx context.Context, b *Bot, s Settings) error {
	s.fill()
	w := &worker{Bot: b, queue: d, settings: s, log: b.Log, looks: make(chan struct{}, s.Workers)}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[deliveryArgs]) error { return w.delivery(ctx, j) }))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[pullArgs]) error { return w.pull(ctx, j) }))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[sweepArgs]) error { return w.sweep(ctx) }))
	// Most jobs of a busy pull request find that a look was taken meanwhile: more of them are fetched than looks go on at once.
	config := &river.Config{
		Queues: map[string]river.QueueConfig{
			deliveryQueue: {MaxWorkers: 8}, pullQueue: {MaxWorkers: 4 * s.Workers}, sweepQueue: {MaxWorkers: 1},
		},
		Workers: workers, Logger: quietLogger(b.Log), RetryPolicy: s.backOff(), MaxAttempts: s.Attempts, ErrorHandler: w,
		JobTimeout: s.Timeout, RescueStuckJobsAfter: s.Timeout + time.Minute, FetchPollInterval: s.Poll, FetchCooldown: min(s.Poll, 10*time.Millisecond),
		CompletedJobRetentionPeriod: 7 * 24 * time.Hour, DiscardedJobRetentionPeriod: 30 * 24 * time.Hour,
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(s.Sweep),
			func() (river.JobArgs, *river.InsertOpts) { return sweepArgs{}, nil }, nil)},
	}
	if err := d.newClient(config); err != nil {
		return fmt.Errorf("preparing the queue: %w", err)
	}
	if d.embedded {
		return d.reclaim(ctx)
	}
	return nil
}

// newClient makes the queue's client, and says how deliveries get into it for good.
func (d *Database) newClient(config *river.Config) error {
	if !d.embedded {
		client, err := river.NewClient(riverpgxv5.New(d.pool), config)
		d.client = client
		d.inbox.insert = func(ctx context.Context, group []river.InsertManyParams) error {
			_, err := client.InsertMany(ctx, group)
			return err
		}
		return err
	}
	config.PollOnly = true
	client, err := river.NewClient(patientDriver{riversqlite.New(d.db)}, config)
	d.client = client
	d.inbox.insert = func(ctx context.Context, group []river.InsertManyParams) error {
		return durably(ctx, d.db, func(tx *sql.Tx) error {
			_, err := client.InsertManyTx(ctx, tx, group)
			return err
		})
	}
	return err
}

// reclaim frees what a program that died held. The embedded database has no other program, so nobody can be working on it;
// on PostgreSQL leases run out and the queue rescues jobs by itself.
func (d *Database) reclaim(ctx context.Context) error {
	for _, statement := range []string{
		`UPDATE azp_pulls SET lease_owner = '', lease_until = 0`,
		`UPDATE river_job SET state = 'available' WHERE state = 'running'`,
	} {
		if _, err := d.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("freeing what was under way: %w", err)
		}
	}
	return nil
}

// want has a pull request looked at, because of a notice.
func (d *Database) want(ctx context.Context, n Notice, number int, received time.Time) error {
	return d.wantAt(ctx, n, number, received, time.Time{})
}

// wantAt is want, not before a time.
func (d *Database) wantAt(ctx context.Context, n Notice, number int, received, at time.Time) error {
	wish, err := d.Store.Want(ctx, n.Repo, number)
	if err != nil {
		return err
	}
	args := pullArgs{Repo: n.Repo, Number: number, Wish: wish, Cause: n.Kind, Rerun: n.Rerun, Merged: n.Merged, Received: received, Delivery: deliveryOf(ctx)}
	if n.Kind == KindPull {
		args.Head = n.Head
	}
	return d.insert(ctx, args, &river.InsertOpts{Queue: pullQueue, ScheduledAt: at})
}

func (d *Database) insert(ctx context.Context, args river.JobArgs, o *river.InsertOpts) error {
	defer d.Store.turn()()
	_, err := d.client.Insert(ctx, args, o)
	return err
}

// Depth returns how many jobs wait, and how long the oldest has.
func (d *Database) Depth(ctx context.Context) (int, time.Duration, error) {
	oldest := `EXTRACT(EPOCH FROM MIN(created_at))::BIGINT`
	if d.embedded {
		oldest = `MIN(strftime('%s', created_at))`
	}
	var n int
	var at sql.NullInt64
	err := d.db.QueryRowContext(ctx, `SELECT COUNT(*), `+oldest+` FROM river_job WHERE state IN ('available', 'running', 'retryable')`).Scan(&n, &at)
	if err != nil || !at.Valid {
		return n, 0, err
	}
	return n, time.Since(time.Unix(at.Int64, 0)), nil
}

// quietLogger takes over the queue's warnings alone.
func quietLogger(l *slog.Logger) *slog.Logger { return slog.New(atLeast{l.Handler(), slog.LevelWarn}) }

type atLeast struct {
	slog.Handler
	level slog.Level
}

func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level && h.Handler.Enabled(ctx, l)
}
