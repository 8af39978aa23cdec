package bot

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// inbox stores deliveries in groups: those that come while a group is being written make the next one. So many deliveries
// wait for the disk, and for whatever else is written, only once.
type inbox struct {
	insert  func(context.Context, []river.InsertManyParams) error // durable when it returns
	mu      sync.Mutex
	waiting []letter
	writing bool
}

// deliveryID is what makes two deliveries the same.
type deliveryID struct {
	guid         string
	installation int64
}

// letter is a delivery that waits to be stored, and where its sender waits.
type letter struct {
	args   deliveryArgs
	stored chan error // holds one
}

// deliveryOptions have a delivery that is there already taken without effect.
var deliveryOptions = &river.InsertOpts{Queue: deliveryQueue, UniqueOpts: river.UniqueOpts{ByArgs: true}}

// storeTimeout bounds how long a group may take; GitHub waits ten seconds for an answer.
const storeTimeout = 8 * time.Second

// Deliver stores a delivery.
func (d *Database) Deliver(ctx context.Context, guid string, n Notice) error {
	l := letter{deliveryArgs{guid, cmp.Or(n.Repo.Installation, n.Repo.byName()), n, time.Now()}, make(chan error, 1)}
	d.inbox.take(l)
	select {
	case err := <-l.stored:
		return err
	case <-ctx.Done():
		return ctx.Err() // it may be stored or not; whoever sent it sends it again
	}
}

func (b *inbox) take(l letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, l)
	if !b.writing {
		b.writing = true
		go b.write()
	}
}

// write stores groups until nothing waits.
func (b *inbox) write() {
	for {
		b.mu.Lock()
		group := b.waiting
		b.waiting = nil
		b.writing = len(group) > 0
		b.mu.Unlock()
		if len(group) == 0 {
			return
		}
		err := b.store(group)
		for _, l := range group {
			l.stored <- err
		}
	}
}

func (b *inbox) store(group []letter) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	var params []river.InsertManyParams
	seen := map[deliveryID]bool{} // PostgreSQL takes none twice at once
	for _, l := range group {
		if id := (deliveryID{l.args.GUID, l.args.Installation}); !seen[id] {
			seen[id] = true
			params = append(params, river.InsertManyParams{Args: l.args, InsertOpts: deliveryOptions})
		}
	}
	return b.insert(ctx, params)
}
