package bot

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// recorder is an executor that keeps what it is asked to note, and can fail at one job.
type recorder struct {
	riverdriver.Executor
	groups [][]int64
	failAt int64
}

var errRecorder = errors.New("the disk is full")

func (r *recorder) JobSetStateIfRunningMany(_ context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	var rows []*rivertype.JobRow
	for i, id := range p.ID {
		if id == r.failAt {
			return nil, errRecorder
		}
		// Each column has to stay with its job.
		if *p.Attempt[i] != int(id) || string(p.ErrData[i]) != string(p.MetadataUpdates[i]) || !p.FinalizedAt[i].Equal(*p.ScheduledAt[i]) ||
			p.MetadataDoMerge[i] != (id%2 == 0) || p.State[i] != rivertype.JobState(p.ErrData[i]) || p.Schema != "s" || p.Now == nil {
			return nil, errors.New("the columns are mixed up")
		}
		rows = append(rows, &rivertype.JobRow{ID: id})
	}
	r.groups = append(r.groups, slices.Clone(p.ID))
	return rows, nil
}

func ends(n int) *riverdriver.JobSetStateIfRunningManyParams {
	now := time.Now()
	p := &riverdriver.JobSetStateIfRunningManyParams{Now: &now, Schema: "s"}
	for id := range n {
		at, text := now.Add(time.Duration(id)), []byte{byte('a' + id)}
		p.ID = append(p.ID, int64(id))
		p.Attempt = append(p.Attempt, &id)
		p.ErrData, p.MetadataUpdates = append(p.ErrData, text), append(p.MetadataUpdates, text)
		p.FinalizedAt, p.ScheduledAt = append(p.FinalizedAt, &at), append(p.ScheduledAt, &at)
		p.MetadataDoMerge = append(p.MetadataDoMerge, id%2 == 0)
		p.State = append(p.State, rivertype.JobState(text))
	}
	return p
}

// The ends of many jobs are noted in small groups, all of them, in their order.
func TestEndsAreNotedAFewAtATime(t *testing.T) {
	r := &recorder{failAt: -1}
	rows, err := patientExecutor{r}.JobSetStateIfRunningMany(t.Context(), ends(2*patience+1))
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, group := range r.groups {
		if len(group) > patience {
			t.Errorf("a group of %d", len(group))
		}
		got = append(got, group...)
	}
	if len(r.groups) != 3 || len(rows) != 2*patience+1 || !slices.Equal(got, ends(2*patience+1).ID) {
		t.Errorf("noted %v, returned %d rows", r.groups, len(rows))
	}
}

// What can't be noted is an error, so that the queue tries all of it again.
func TestEndsThatCannotBeNoted(t *testing.T) {
	r := &recorder{failAt: patience}
	if _, err := (patientExecutor{r}).JobSetStateIfRunningMany(t.Context(), ends(2*patience)); !errors.Is(err, errRecorder) {
		t.Errorf("got %v", err)
	}
}
