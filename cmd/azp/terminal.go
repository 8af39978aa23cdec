package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// terminal returns the file of a stream that is a terminal.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// isColorful reports whether a stream is to be coloured: a terminal, unless NO_COLOR (no-color.org) or a dumb terminal
// says no.
func isColorful(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// width returns the number of columns of a terminal, 0 for other streams.
func width(w io.Writer) int {
	f, ok := terminal(w)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Progress is shown once work has lasted that long.
const progressDelay = time.Second

// progress says on a terminal how far the work is.
type progress struct {
	w     io.Writer // nil where nothing is shown
	total int
	done  atomic.Int64
	quit  chan struct{}
	ended chan struct{}
}

func newProgress(w io.Writer) *progress {
	if _, ok := terminal(w); !ok {
		w = nil
	}
	return &progress{w: w}
}

func (p *progress) start(total int) {
	p.total, p.quit, p.ended = total, make(chan struct{}), make(chan struct{})
	if p.w == nil {
		close(p.ended)
		return
	}
	go p.show()
}

func (p *progress) show() {
	defer close(p.ended)
	select {
	case <-p.quit:
		return
	case <-time.After(progressDelay):
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		fmt.Fprintf(p.w, "\r\x1b[Kverified %d of %d packages", p.done.Load(), p.total)
		select {
		case <-p.quit:
			fmt.Fprint(p.w, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}

func (p *progress) step() { p.done.Add(1) }

func (p *progress) stop() {
	close(p.quit)
	<-p.ended
}
