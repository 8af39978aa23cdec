package labelled

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	digits = "0123456789"
	hexes  = "0123456789abcdef"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base62 = lowers + uppers + digits
)

var alphabets = map[string]string{
	"d": digits, "h": hexes, "l": lowers, "u": uppers, "b32": uppers + "234567", "b36": lowers + digits, "b62": base62,
	"u64": base62 + "-_", "s64": base62 + "+/",
	"b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "H": "0123456789ABCDEF",
}

// Draws fills templates. What looks like a token is drawn when a test runs, anew for every seed, so that no scanner of the
// repository finds any.
type Draws struct {
	r     *rand.Rand
	drawn *[]string
}

// NewDraws returns the draws of a seed.
func NewDraws(seed, stream uint64) Draws {
	return Draws{rand.New(rand.NewPCG(seed, stream)), new([]string)}
}

// Drawn returns what was drawn, in order.
func (d Draws) Drawn() []string { return *d.drawn }

// Fill returns a template with its parts in angle quotes drawn: `«b62:40»` is forty characters of base 62, and likewise d
// (digits), h (hexadecimal), H (the same in capitals), b58, l and u (lower and upper case), b32, b36, u64 and s64 (base64, of URLs and the standard one);
// `«uuid»` is a UUID, `«jwt:ROLE»` a JWT that claims the role, and `«base64:TEXT»` encodes a text, itself a template with
// square brackets for angle quotes.
func (d Draws) Fill(template string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "«")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		spec, after, _ := strings.Cut(rest, "»")
		d.part(&b, spec)
		template = after
	}
}

func (d Draws) part(b *strings.Builder, spec string) {
	switch name, of, _ := strings.Cut(spec, ":"); name {
	case "uuid":
		fmt.Fprintf(b, "%s-%s-4%s-8%s-%s", d.draw(hexes, 8), d.draw(hexes, 4), d.draw(hexes, 3), d.draw(hexes, 3), d.draw(hexes, 12))
	case "base64":
		b.WriteString(base64.StdEncoding.EncodeToString([]byte(d.Fill(strings.NewReplacer("[", "«", "]", "»").Replace(of)))))
	case "jwt":
		part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		b.WriteString(part(`{"alg":"HS256","typ":"JWT"}`) + "." +
			part(`{"iss":"test","ref":"`+d.draw(lowers, 20)+`","role":"`+of+`"}`) + "." + d.draw(alphabets["u64"], 43))
	default:
		n, err := strconv.Atoi(of)
		if err != nil {
			panic(fmt.Sprintf("«%s»: %v", spec, err))
		}
		b.WriteString(d.draw(alphabets[name], n))
	}
}

func (d Draws) draw(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.r.IntN(len(alphabet))]
	}
	*d.drawn = append(*d.drawn, string(b))
	return string(b)
}
