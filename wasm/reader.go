package wasm

import (
	"errors"
	"io"
	"math"
	"unicode/utf8"
)

// bufferSize is how much is read at once.
const bufferSize = 32 << 10

// maxName bounds a name in bytes. Longer ones end the reading as something unknown.
const maxName = 100_000

// reader reads the encodings that the binary format is made of. What goes wrong sticks: after the first fault, or the first
// thing that is not known, it stands at the end and everything reads as 0, so that only loops have to ask.
type reader struct {
	src  io.Reader
	buf  []byte // what was read
	pos  int    // of the next byte in buf
	end  int    // in buf: of what was read, or of the part that is being read
	base int64  // offset of buf[0]
	// limit is the offset at which the part ends that is being read: a section, a function.
	limit int64

	fault   *Fault
	unknown string
	err     error // of src, io.EOF at its end
	space   [bufferSize]byte
}

func newReader(src io.Reader) *reader { return &reader{src: src, limit: math.MaxInt64} }

// offset is where the reader stands.
func (r *reader) offset() int64 { return r.base + int64(r.pos) }

// stopped reports whether there is nothing more to learn.
func (r *reader) stopped() bool {
	return r.fault != nil || r.unknown != "" || r.err != nil && r.err != io.EOF
}

// fail stops the reading for a fault.
func (r *reader) fail(reason string) { r.failAt(r.offset(), reason) }

func (r *reader) failAt(offset int64, reason string) {
	if !r.stopped() {
		r.fault = &Fault{Offset: offset, Reason: reason}
		r.end = r.pos
	}
}

// giveUp stops the reading for something that this package does not know.
func (r *reader) giveUp(what string) {
	if !r.stopped() {
		r.unknown = what
		r.end = r.pos
	}
}

// fill reads on once the buffer is used up, and reports whether there is something before the limit.
func (r *reader) fill() bool {
	if r.pos < r.end {
		return true
	}
	if r.offset() >= r.limit || r.stopped() {
		return false
	}
	return r.read()
}

// read reads the next part of the file.
func (r *reader) read() bool {
	r.base += int64(r.pos)
	r.buf, r.pos = nil, 0
	for len(r.buf) == 0 && r.err == nil {
		var n int
		n, r.err = r.src.Read(r.space[:])
		r.buf = r.space[:n]
	}
	r.cut()
	return r.end > 0
}

// cut has the buffer end at the limit, and where the reading has stopped.
func (r *reader) cut() {
	r.end = int(min(int64(len(r.buf)), r.limit-r.base))
	if r.stopped() {
		r.end = r.pos
	}
}

// enter makes the next n bytes a part of their own and returns the end of what surrounds it, for leave.
func (r *reader) enter(n uint32) (outer int64) {
	outer = r.limit
	if end := r.offset() + int64(n); end <= outer {
		r.limit = end
		r.cut()
	} else {
		r.fail("a part is longer than what surrounds it")
	}
	return outer
}

// leave ends a part, all of which must have been read.
func (r *reader) leave(outer int64) {
	if r.offset() != r.limit {
		r.fail("bytes are left over at the end of a part")
	}
	r.limit = outer
	r.cut()
}

// atEnd reports whether the part, or the file, is at its end.
func (r *reader) atEnd() bool { return r.stopped() || r.offset() == r.limit || !r.fill() }

// peek returns up to n of the next bytes, fewer at the end only. It is for the start of a file: n is at most bufferSize.
func (r *reader) peek(n int) []byte {
	for len(r.buf) < n && r.err == nil {
		var got int
		got, r.err = r.src.Read(r.space[len(r.buf):])
		r.buf = r.space[:len(r.buf)+got]
	}
	r.cut()
	return r.buf[:min(n, len(r.buf))]
}

// drain reads what is left, so that the size is known and faults of reading are found.
func (r *reader) drain() error {
	r.pos = len(r.buf)
	r.limit = math.MaxInt64
	for r.err == nil {
		r.read()
		r.pos = len(r.buf)
	}
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

func (r *reader) byte() byte {
	if r.pos >= r.end && !r.fill() {
		r.fail("the end comes too early")
		return 0
	}
	b := r.buf[r.pos]
	r.pos++
	return b
}

// skip passes over bytes of which any are right.
func (r *reader) skip(n int64) {
	for n > 0 && !r.stopped() {
		if !r.fill() {
			r.fail("the end comes too early")
			return
		}
		step := min(n, int64(r.end-r.pos))
		r.pos += int(step)
		n -= step
	}
}

// u32 reads an unsigned number of up to 32 bits.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.buf[r.pos] < 0x80 {
		r.pos++
		return uint32(r.buf[r.pos-1])
	}
	return uint32(r.leb(32, false))
}

// leb reads a number in LEB128 of at most so many bits.
func (r *reader) leb(bits uint, signed bool) uint64 {
	var n uint64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if left := bits - shift; left < 7 && !fits(b, left, signed) || left <= 7 && b&0x80 != 0 {
			r.fail("a number is too large for its type")
			return 0
		}
		if b&0x80 == 0 {
			if signed && b&0x40 != 0 && shift+7 < 64 {
				n |= ^uint64(0) << (shift + 7)
			}
			return n
		}
	}
}

// fits reports whether the bits of the last byte of a number that lie above its size repeat the sign, or are 0.
func fits(b byte, left uint, signed bool) bool {
	high := b & 0x7f >> left
	if !signed {
		return high == 0
	}
	ones := byte(0x7f) >> left
	if b>>(left-1)&1 == 1 {
		return high == ones
	}
	return high == 0
}

// name reads a name, which is UTF-8.
func (r *reader) name() string {
	n := r.u32()
	if n > maxName {
		if int64(n) > r.limit-r.offset() {
			r.fail("a name is longer than what surrounds it")
		}
		r.giveUp("a name of more than 100,000 bytes")
		return ""
	}
	name := make([]byte, 0, min(n, 256))
	for range n {
		if r.stopped() {
			return ""
		}
		name = append(name, r.byte())
	}
	if !utf8.Valid(name) {
		r.fail("a name is not UTF-8")
		return ""
	}
	return string(name)
}

// count reads the length of a list. A longer one than the limit ends the reading as something unknown.
func (r *reader) count(limit uint32, what string) uint32 {
	n := r.u32()
	if n > limit {
		if int64(n) > r.limit-r.offset() { // each element takes a byte at least
			r.fail("a list is longer than what surrounds it")
		}
		r.giveUp("more " + what + " than are checked")
		return 0
	}
	return n
}
