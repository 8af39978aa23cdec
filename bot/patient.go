package bot

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
)

// patientDriver is the queue's driver for SQLite, but that it notes the ends of jobs a few at a time. The queue gathers them
// and hands over a hundred and more, which the driver writes one after the other in a single transaction, and every delivery
// waits for it, as there is one connection.
type patientDriver struct{ *riversqlite.Driver }

// GetExecutor returns what runs the queue's statements.
func (d patientDriver) GetExecutor() riverdriver.Executor {
	return patientExecutor{d.Driver.GetExecutor()}
}

type patientExecutor struct{ riverdriver.Executor }

// patience is how many ends of jobs are noted at once.
const patience = 4

// JobSetStateIfRunningMany notes that jobs have ended. Each end stands for itself, and to note it again has no effect: where
// this fails half-way, the queue does all of it again.
func (e patientExecutor) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	var all []*rivertype.JobRow
	for from := 0; from < len(p.ID); from += patience {
		to := min(from+patience, len(p.ID))
		rows, err := e.Executor.JobSetStateIfRunningMany(ctx, &riverdriver.JobSetStateIfRunningManyParams{
			ID: p.ID[from:to], Attempt: p.Attempt[from:to], ErrData: p.ErrData[from:to], FinalizedAt: p.FinalizedAt[from:to],
			MetadataDoMerge: p.MetadataDoMerge[from:to], MetadataUpdates: p.MetadataUpdates[from:to],
			Now: p.Now, ScheduledAt: p.ScheduledAt[from:to], Schema: p.Schema, State: p.State[from:to],
		})
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
