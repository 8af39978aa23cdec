package shape

import "testing"

// What the first value that may be a token pays before any expression is compiled.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		read()
	}
}
