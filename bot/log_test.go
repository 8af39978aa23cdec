package bot_test

import (
	"bytes"
	"io"
	"sync"
	"testing"
)

// syncWriter writes to a buffer from several goroutines.
func syncWriter(_ testing.TB, b *bytes.Buffer) io.Writer { return &syncedWriter{b: b} }

type syncedWriter struct {
	mu sync.Mutex
	b  *bytes.Buffer
}

func (w *syncedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}
