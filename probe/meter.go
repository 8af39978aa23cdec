package probe

import (
	"errors"
	"io"
	"sync"
)

// meter counts what a server sends, up to a limit.
type meter struct {
	mu   sync.Mutex
	left int
}

// errFlood ends the reading of what has no end.
var errFlood = errors.New("the server sends more than is read")

func (m *meter) count(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left -= n; m.left < 0 {
		return errFlood
	}
	return nil
}

func (m *meter) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left < 0
}

// metered is what a server sends.
type metered struct {
	io.ReadCloser
	meter *meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if over := m.meter.count(n); over != nil {
		return 0, over
	}
	return n, err
}
