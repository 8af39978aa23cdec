package secret

import (
	"testing"

	"github.com/azphalt/submissions/internal/labelled"
)

// The values of these tables were thought up from providers' documentation and from how people write configurations.

type sample struct {
	kind  Kind
	key   string
	value string
}

// rounds is how often every template is filled.
const rounds = 40

func checkSamples(t *testing.T, want Verdict, samples []sample) {
	t.Helper()
	for i, s := range samples {
		misses, got := 0, Benign
		for round := range uint64(rounds) {
			value := labelled.NewDraws(round, uint64(i)).Fill(s.value)
			if r := Judge(value, Context{s.key, s.kind}); r.Verdict != want {
				misses++
				got = r.Verdict
			}
		}
		// A drawing may look like words by chance.
		if misses > rounds/20 {
			t.Errorf("%s %q (kind %d): %d of %d are not %s but %s", s.key, s.value, s.kind, misses, rounds, want, got)
		}
	}
}
