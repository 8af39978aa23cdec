package bot

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Store remembers what GitHub can't tell: who asked for what, how far a pull request has come, and what was done and why.
// It is safe for concurrent use, also by several programs on PostgreSQL.
type Store struct {
	db       *sql.DB
	postgres bool
	mu       sync.Mutex // see turn
}

// schema is created where it is not there yet. Times are nanoseconds since 1970.
var schema = []string{
	`CREATE TABLE IF NOT EXISTS azp_pulls (
		repo_id BIGINT NOT NULL, number BIGINT NOT NULL,
		installation BIGINT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
		wanted BIGINT NOT NULL DEFAULT 0, done BIGINT NOT NULL DEFAULT 0,
		held_by TEXT NOT NULL DEFAULT '', approved_by TEXT NOT NULL DEFAULT '', approved_head TEXT NOT NULL DEFAULT '',
		lease_owner TEXT NOT NULL DEFAULT '', lease_until BIGINT NOT NULL DEFAULT 0,
		head TEXT NOT NULL DEFAULT '', base TEXT NOT NULL DEFAULT '', open BOOLEAN NOT NULL DEFAULT TRUE,
		progress TEXT NOT NULL DEFAULT '{}', updated BIGINT NOT NULL DEFAULT 0,
		PRIMARY KEY (repo_id, number))`,
	`CREATE INDEX IF NOT EXISTS azp_pulls_head ON azp_pulls (repo_id, head)`,
	`CREATE TABLE IF NOT EXISTS azp_audit (
		at BIGINT NOT NULL, repo_id BIGINT NOT NULL, repo TEXT NOT NULL, number BIGINT NOT NULL, head TEXT NOT NULL,
		event TEXT NOT NULL, detail TEXT NOT NULL)`,
	`CREATE INDEX IF NOT EXISTS azp_audit_at ON azp_audit (at)`,
}

// NewStore creates what is missing in the database.
func NewStore(ctx context.Context, db *sql.DB, postgres bool) (*Store, error) {
	s := &Store{db: db, postgres: postgres}
	for _, statement := range schema {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("preparing the database: %w", err)
		}
	}
	return s, nil
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }

// bind writes the placeholders as the database wants them.
func (s *Store) bind(query string) string {
	if !s.postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// turn waits for a worker's turn at SQLite's only connection, and returns what ends it. Of all that work on jobs one asks for
// the connection at a time, so that a delivery, which asks by itself, never waits for more than one of them.
func (s *Store) turn() (end func()) {
	if s.postgres {
		return func() {}
	}
	s.mu.Lock()
	return s.mu.Unlock
}

func (s *Store) exec(ctx context.Context, query string, args ...any) (int64, error) {
	defer s.turn()()
	r, err := s.db.ExecContext(ctx, s.bind(query), args...)
	if err != nil {
		return 0, fmt.Errorf("writing to the database: %w", err)
	}
	return r.RowsAffected()
}

// keep is exec, and comes back when nothing can lose what was written any more, see [durably].
func (s *Store) keep(ctx context.Context, query string, args ...any) (n int64, err error) {
	if s.postgres {
		return s.exec(ctx, query, args...)
	}
	defer s.turn()()
	err = durably(ctx, s.db, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, query, args...)
		if err == nil {
			n, err = r.RowsAffected()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("writing to the database: %w", err)
	}
	return n, nil
}

// Progress is how far the bot has come with a pull request. Each step that GitHub shows is noted as begun before and as
// done after, so that it is not done twice.
type Progress struct {
	Title  string `json:"title,omitempty"`
	Author string `json:"author,omitempty"`

	CheckHead  string `json:"checkHead,omitempty"`
	CheckBegun bool   `json:"checkBegun,omitempty"`
	CheckID    int64  `json:"checkId,omitempty"`
	Annotated  string `json:"annotated,omitempty"` // whether the check run has its annotations
	CheckText  string `json:"checkText,omitempty"` // digest of what the check run says; "" until it is complete

	CommentBegun bool   `json:"commentBegun,omitempty"`
	CommentID    int64  `json:"commentId,omitempty"`
	CommentText  string `json:"commentText,omitempty"` // digest of what the comment says
	Suggested    string `json:"suggested,omitempty"`   // head whose suggestions were made

	Archives map[string]fileComment `json:"archives,omitempty"` // by path: what was said of them

	Prepared     string    `json:"prepared,omitempty"`    // commit that the base was to be moved to
	Merging      string    `json:"merging,omitempty"`     // head whose merge by the endpoint was begun
	MergingBase  string    `json:"mergingBase,omitempty"` // base commit that it was verified with
	MergeCommit  string    `json:"mergeCommit,omitempty"`
	Told         bool      `json:"told,omitempty"`         // check run and comment say that it was merged
	DeleteBranch bool      `json:"deleteBranch,omitempty"` // after the merge, as the configuration said then
	Deleted      bool      `json:"deleted,omitempty"`
	Action       string    `json:"action,omitempty"`
	Reasons      []Point   `json:"reasons,omitempty"`
	Verdict      string    `json:"verdict,omitempty"`
	Rules        string    `json:"rules,omitempty"`
	Failure      string    `json:"failure,omitempty"` // of a job that was given up
	Next         time.Time `json:"next,omitzero"`     // when it is tried again by itself
}

// published reports whether all that a merge brings is done: what was merged is published, people are told, and no branch is
// to be deleted.
func (p Progress) published() bool {
	return p.MergeCommit != "" && p.Told && (p.Deleted || !p.DeleteBranch)
}

// PullState is what is stored about a pull request.
type PullState struct {
	Repository
	Number                         int
	Wanted, Done                   int64
	HeldBy, Approver, ApprovedHead string
	Head, Base                     string
	Open                           bool
	Progress                       Progress
	Updated                        time.Time
}

// Looked reports whether the pull request was looked at, ever.
func (p PullState) Looked() bool { return p.Updated.UnixNano() > 0 }

// Want notes that a pull request has to be looked at, and returns the number of the wish.
func (s *Store) Want(ctx context.Context, r Repository, number int) (int64, error) {
	defer s.turn()()
	row := s.db.QueryRowContext(ctx, s.bind(`INSERT INTO azp_pulls (repo_id, number, installation, owner, name, wanted) VALUES (?, ?, ?, ?, ?, 1)
		ON CONFLICT (repo_id, number) DO UPDATE SET wanted = azp_pulls.wanted + 1, installation = excluded.installation, owner = excluded.owner, name = excluded.name
		RETURNING wanted`), r.ID, number, r.Installation, r.Owner, r.Name)
	var wanted int64
	if err := row.Scan(&wanted); err != nil {
		return 0, fmt.Errorf("writing to the database: %w", err)
	}
	return wanted, nil
}

const pullColumns = `repo_id, number, installation, owner, name, wanted, done, held_by, approved_by, approved_head, head, base, open, progress, updated`

func scanPull(scan func(...any) error) (PullState, error) {
	var p PullState
	var progress string
	var updated int64
	err := scan(&p.ID, &p.Number, &p.Installation, &p.Owner, &p.Name, &p.Wanted, &p.Done, &p.HeldBy, &p.Approver, &p.ApprovedHead,
		&p.Head, &p.Base, &p.Open, &progress, &updated)
	if err != nil {
		return p, err
	}
	p.Updated = time.Unix(0, updated)
	return p, json.Unmarshal([]byte(progress), &p.Progress)
}

// Pull returns what is stored about a pull request.
func (s *Store) Pull(ctx context.Context, repo int64, number int) (PullState, error) {
	defer s.turn()()
	row := s.db.QueryRowContext(ctx, s.bind(`SELECT `+pullColumns+` FROM azp_pulls WHERE repo_id = ? AND number = ?`), repo, number)
	p, err := scanPull(row.Scan)
	if err != nil {
		return p, fmt.Errorf("reading the database: %w", err)
	}
	return p, nil
}

// Pulls returns the pull requests of a condition, the one that was looked at last first.
func (s *Store) pulls(ctx context.Context, where string, args ...any) ([]PullState, error) {
	defer s.turn()()
	rows, err := s.db.QueryContext(ctx, s.bind(`SELECT `+pullColumns+` FROM azp_pulls `+where), args...)
	if err != nil {
		return nil, fmt.Errorf("reading the database: %w", err)
	}
	defer rows.Close()
	var all []PullState
	for rows.Next() {
		p, err := scanPull(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("reading the database: %w", err)
		}
		all = append(all, p)
	}
	return all, rows.Err()
}

// Recent returns the pull requests that were looked at last, open ones first.
func (s *Store) Recent(ctx context.Context, limit int) ([]PullState, error) {
	return s.pulls(ctx, `ORDER BY open DESC, updated DESC LIMIT ?`, limit)
}

// WithHead returns the open pull requests with a head commit, WithBase those for a base branch.
func (s *Store) WithHead(ctx context.Context, repo int64, head string) ([]PullState, error) {
	return s.pulls(ctx, `WHERE repo_id = ? AND head = ? AND open = TRUE`, repo, head)
}

// WithBase returns the open pull requests for a base branch.
func (s *Store) WithBase(ctx context.Context, repo int64, base string) ([]PullState, error) {
	return s.pulls(ctx, `WHERE repo_id = ? AND base = ? AND open = TRUE`, repo, base)
}

// Unsettled returns the open pull requests of a repository that the store knows.
func (s *Store) Unsettled(ctx context.Context, repo int64) ([]PullState, error) {
	return s.pulls(ctx, `WHERE repo_id = ? AND open = TRUE`, repo)
}

// Repositories returns the repositories that the store knows a pull request of.
func (s *Store) Repositories(ctx context.Context) ([]Repository, error) {
	newest, err := s.pulls(ctx, `WHERE (repo_id, number) IN (SELECT repo_id, MAX(number) FROM azp_pulls GROUP BY repo_id)`)
	var all []Repository
	for _, p := range newest {
		all = append(all, p.Repository)
	}
	return all, err
}

// Known returns the repository of an id or, where that is 0, of a name, if the store knows a pull request of it.
func (s *Store) Known(ctx context.Context, r Repository) (Repository, bool, error) {
	defer s.turn()()
	where, args := `repo_id = ?`, []any{r.ID}
	if r.ID == 0 {
		where, args = `owner = ? AND name = ?`, []any{r.Owner, r.Name}
	}
	row := s.db.QueryRowContext(ctx, s.bind(`SELECT installation, repo_id FROM azp_pulls WHERE `+where+` ORDER BY updated DESC LIMIT 1`), args...)
	switch err := row.Scan(&r.Installation, &r.ID); {
	case errors.Is(err, sql.ErrNoRows):
		return r, false, nil
	case err != nil:
		return r, false, fmt.Errorf("reading the database: %w", err)
	default:
		return r, true, nil
	}
}

// LatestBase returns the base branch of the pull request of a repository that was looked at last, "" where there is none.
func (s *Store) LatestBase(ctx context.Context, repo int64) (string, error) {
	looked, err := s.pulls(ctx, `WHERE repo_id = ? AND base <> '' ORDER BY updated DESC LIMIT 1`, repo)
	if err != nil || len(looked) == 0 {
		return "", err
	}
	return looked[0].Base, nil
}

// Hold notes who holds a pull request, "" for nobody.
func (s *Store) Hold(ctx context.Context, repo int64, number int, login string) error {
	_, err := s.keep(ctx, `UPDATE azp_pulls SET held_by = ? WHERE repo_id = ? AND number = ?`, login, repo, number)
	return err
}

// ApprovePublisher notes who approved a publisher change, at which head.
func (s *Store) ApprovePublisher(ctx context.Context, repo int64, number int, login, head string) error {
	_, err := s.keep(ctx, `UPDATE azp_pulls SET approved_by = ?, approved_head = ? WHERE repo_id = ? AND number = ?`, login, head, repo, number)
	return err
}

// errLeased says that somebody else works on the pull request.
var errLeased = errors.New("somebody else works on this pull request")

// Lease takes a pull request for a while, or prolongs that. Nobody else can take it until then.
func (s *Store) Lease(ctx context.Context, repo int64, number int, owner string, now time.Time, d time.Duration) error {
	n, err := s.exec(ctx, `UPDATE azp_pulls SET lease_owner = ?, lease_until = ? WHERE repo_id = ? AND number = ? AND (lease_owner = ? OR lease_until < ?)`,
		owner, now.Add(d).UnixNano(), repo, number, owner, now.UnixNano())
	if err == nil && n == 0 {
		return errLeased
	}
	return err
}

// Release gives a lease back.
func (s *Store) Release(ctx context.Context, repo int64, number int, owner string) error {
	_, err := s.exec(ctx, `UPDATE azp_pulls SET lease_until = 0, lease_owner = '' WHERE repo_id = ? AND number = ? AND lease_owner = ?`, repo, number, owner)
	return err
}

// Save stores progress, for who holds the lease. What a power failure takes of it is found out again, or done again without
// harm.
func (s *Store) Save(ctx context.Context, p PullState, owner string, now time.Time) error {
	return s.save(ctx, s.exec, p, owner, now)
}

// SaveDurably is Save for what must not be lost: that a merge is about to be made, or was.
func (s *Store) SaveDurably(ctx context.Context, p PullState, owner string, now time.Time) error {
	return s.save(ctx, s.keep, p, owner, now)
}

func (s *Store) save(ctx context.Context, write func(context.Context, string, ...any) (int64, error), p PullState, owner string, now time.Time) error {
	progress, err := json.Marshal(p.Progress)
	if err != nil {
		return err
	}
	n, err := write(ctx, `UPDATE azp_pulls SET progress = ?, head = ?, base = ?, open = ?, updated = ? WHERE repo_id = ? AND number = ? AND lease_owner = ?`,
		string(progress), p.Head, p.Base, p.Open, now.UnixNano(), p.ID, p.Number, owner)
	if err == nil && n == 0 {
		return errLeased
	}
	return err
}

// Fulfil notes which wishes are fulfilled.
func (s *Store) Fulfil(ctx context.Context, repo int64, number int, owner string, wish int64) error {
	_, err := s.exec(ctx, `UPDATE azp_pulls SET done = ? WHERE repo_id = ? AND number = ? AND lease_owner = ? AND done < ?`, wish, repo, number, owner, wish)
	return err
}

// Fail notes why a job failed, and when it is tried again; the zero time says never.
func (s *Store) Fail(ctx context.Context, repo int64, number int, reason string, next time.Time) error {
	state, err := s.Pull(ctx, repo, number)
	if err != nil {
		return err
	}
	state.Progress.Failure, state.Progress.Next = reason, next
	progress, err := json.Marshal(state.Progress)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `UPDATE azp_pulls SET progress = ? WHERE repo_id = ? AND number = ? AND lease_owner = ''`, string(progress), repo, number)
	return err
}

// Event is an entry of the audit trail.
type Event struct {
	At     time.Time
	Repo   string
	Number int
	Head   string
	Event  string
	Detail string
}

// Audit adds to the audit trail.
func (s *Store) Audit(ctx context.Context, r Repository, e Event) error {
	_, err := s.exec(ctx, `INSERT INTO azp_audit (at, repo_id, repo, number, head, event, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.At.UnixNano(), r.ID, r.FullName(), e.Number, e.Head, e.Event, e.Detail)
	return err
}

// Trail returns the latest entries of the audit trail.
func (s *Store) Trail(ctx context.Context, limit int) ([]Event, error) {
	defer s.turn()()
	rows, err := s.db.QueryContext(ctx, s.bind(`SELECT at, repo, number, head, event, detail FROM azp_audit ORDER BY at DESC LIMIT ?`), limit)
	if err != nil {
		return nil, fmt.Errorf("reading the database: %w", err)
	}
	defer rows.Close()
	var all []Event
	for rows.Next() {
		var e Event
		var at int64
		if err := rows.Scan(&at, &e.Repo, &e.Number, &e.Head, &e.Event, &e.Detail); err != nil {
			return nil, fmt.Errorf("reading the database: %w", err)
		}
		e.At = time.Unix(0, at)
		all = append(all, e)
	}
	return all, rows.Err()
}
