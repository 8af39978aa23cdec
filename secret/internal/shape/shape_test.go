package shape

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// sample draws a text that re matches.
func sample(r *rand.Rand, re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		ranges := len(re.Rune) / 2
		i := 2 * r.IntN(ranges)
		b.WriteRune(re.Rune[i] + r.Int32N(re.Rune[i+1]-re.Rune[i]+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('.')
	case syntax.OpCapture:
		return sample(r, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sample(r, sub))
		}
	case syntax.OpAlternate:
		return sample(r, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpQuest:
		return repeat(r, re.Sub[0], 0, 1)
	case syntax.OpStar:
		return repeat(r, re.Sub[0], 0, 8)
	case syntax.OpPlus:
		return repeat(r, re.Sub[0], 1, 8)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 8
		}
		return repeat(r, re.Sub[0], re.Min, most)
	}
	return b.String()
}

func repeat(r *rand.Rand, re *syntax.Regexp, least, most int) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteString(sample(r, re))
	}
	return b.String()
}

func forEachLine(t *testing.T, check func(id, kind string, words []string, re *syntax.Regexp)) {
	t.Helper()
	for line := range strings.Lines(gitleaks + providers) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		re, err := syntax.Parse(columns[3], syntax.Perl)
		if err != nil {
			t.Errorf("%s: %v", columns[0], err)
			continue
		}
		check(columns[0], columns[1], strings.Split(columns[2], ","), re)
	}
}

// Every row of the tables finds the tokens that its own expression describes.
func TestEveryShapeIsFound(t *testing.T) {
	rows := 0
	forEachLine(t, func(id, kind string, words []string, re *syntax.Regexp) {
		rows++
		r := rand.New(rand.NewPCG(uint64(rows), 1))
		for range 20 {
			token := sample(r, re)
			switch kind {
			case "prefix":
				if _, n := Prefixed(token); n != len(token) && len(token) >= MinLength {
					t.Errorf("%s: %d of %d bytes found", id, n, len(token))
					return
				}
			case "key":
				if _, ok := Keyed("MY_"+strings.ToUpper(words[0])+"_SETTING", token); !ok {
					t.Errorf("%s: not found by its name", id)
					return
				}
			default:
				t.Errorf("%s: unknown kind %q", id, kind)
			}
		}
	})
	if rows < 200 {
		t.Errorf("the tables have %d rows only", rows)
	}
}

func TestWordsOfTheTablesAreLowerCase(t *testing.T) {
	forEachLine(t, func(id, _ string, words []string, _ *syntax.Regexp) {
		for _, w := range words {
			if w == "" || w != strings.ToLower(w) {
				t.Errorf("%s: word %q", id, w)
			}
		}
	})
}

func TestPrefixedWantsTheWholeToken(t *testing.T) {
	body := strings.Repeat("aB3", 12)
	for token, want := range map[string]int{
		"ghp_" + body:                      40,
		"ghp_" + body + "/x":               40,
		"ghp_" + body[1:]:                  0,
		"xghp_" + body:                     0,
		"GHP_" + body:                      0,
		"AKIA" + strings.Repeat("A", 15):   0,
		"AKIA" + strings.Repeat("A", 16):   20,
		"AKIA" + strings.Repeat("A", 17):   0,
		"ghp_" + strings.Repeat("a", 9000): maxLength,
		strings.Repeat("ghp_", 1<<18):      0,
		"":                                 0,
	} {
		if _, n := Prefixed(token); n != want {
			t.Errorf("%.8s… of %d bytes: %d, want %d", token, len(token), n, want)
		}
	}
}

func TestKeyedWantsNameAndShape(t *testing.T) {
	value := strings.Repeat("a1b2c3d4", 5)
	if _, ok := Keyed("DATADOG", value); !ok {
		t.Error("not found")
	}
	if _, ok := Keyed("DATADOG", value+"0"); ok {
		t.Error("another length found")
	}
	if _, ok := Keyed("OTHER", value); ok {
		t.Error("another name found")
	}
}
