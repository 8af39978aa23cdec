package shape

import (
	"sync"
	"testing"
)

// A process pays for the tables only when a value is long enough to be a token, and for an expression only when a value
// starts like a token of its kind.
func TestTextThatIsNoTokenCostsNothing(t *testing.T) {
	before, reads := load, 0
	var fresh *table
	load = sync.OnceValue(func() *table {
		reads++
		fresh = read()
		return fresh
	})
	t.Cleanup(func() { load = before })

	Prefixed("weather")
	if reads != 0 {
		t.Error("the tables were read for a word that is too short for a token")
	}
	for _, text := range []string{"The weather of the next week, by city", "https://example.com/servers/weather", "@modelcontextprotocol/server-filesystem"} {
		Prefixed(text)
	}
	if reads != 1 {
		t.Fatalf("the tables were read %d times, want once", reads)
	}
	for _, first := range fresh.starts {
		for w := first; w != nil; w = w.next {
			if w.rule.re != nil {
				t.Errorf("the expression of %s was compiled, and no text starts with %q", w.rule.id, w.text)
			}
		}
	}
}
