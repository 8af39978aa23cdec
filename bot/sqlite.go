package bot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// openSQLite opens a file. One connection and immediate transactions: SQLite has one writer, and waiting for it in this
// process costs less than failing on its lock.
//
// With NORMAL a transaction waits for the disk only where it has to ([durably]): a power failure may take the last ones that
// did not, always from the end, and they are such as are done again. A program that is killed loses none.
func (d *Database) openSQLite(ctx context.Context, file string) (err error) {
	d.embedded = true
	d.db, err = sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	d.db.SetMaxOpenConns(1)
	return migrate(ctx, riversqlite.New(d.db))
}

// durably runs a transaction on SQLite that is on the disk, with all before it, when durably returns.
func durably(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, `PRAGMA synchronous = FULL`); err != nil {
		return err
	}
	defer func() {
		_, back := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = NORMAL`)
		err = errors.Join(err, back)
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
