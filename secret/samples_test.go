package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// The values of this table were thought up from providers' documentation and from how people write configurations. What
// looks like a token is drawn when the test runs, anew for every round, so that no scanner of this repository finds any.

const (
	digits = "0123456789"
	hexes  = "0123456789abcdef"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base32 = uppers + "234567"
	base36 = lowers + digits
	base62 = lowers + uppers + digits
	url64  = base62 + "-_"
	std64  = base62 + "+/"
)

// draws fills `{alphabet:length}` in templates.
type draws struct{ *rand.Rand }

var alphabets = map[string]string{
	"d": digits, "h": hexes, "l": lowers, "u": uppers, "b32": base32, "b36": base36, "b62": base62, "u64": url64, "s64": std64,
}

func (d draws) fill(template string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "«")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		spec, after, _ := strings.Cut(rest, "»")
		switch name, length, _ := strings.Cut(spec, ":"); name {
		case "uuid":
			fmt.Fprintf(&b, "%s-%s-4%s-8%s-%s", d.draw(hexes, 8), d.draw(hexes, 4), d.draw(hexes, 3), d.draw(hexes, 3), d.draw(hexes, 12))
		case "base64":
			b.WriteString(base64.StdEncoding.EncodeToString([]byte(d.fill(strings.NewReplacer("[", "«", "]", "»").Replace(length)))))
		case "jwt":
			part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
			b.WriteString(part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"iss":"test","ref":"`+d.draw(lowers, 20)+`","role":"`+length+`"}`) + "." + d.draw(url64, 43))
		default:
			n, err := strconv.Atoi(length)
			if err != nil {
				panic(fmt.Sprintf("«%s»: %v", spec, err))
			}
			b.WriteString(d.draw(alphabets[name], n))
		}
		template = after
	}
}

func (d draws) draw(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.IntN(len(alphabet))]
	}
	return string(b)
}

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
			value := draws{rand.New(rand.NewPCG(round, uint64(i)))}.fill(s.value)
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
