package secret

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The table says of more than a thousand values what they are, with every random part drawn anew for each round. It is wider
// than the corpus, and holds more that nobody can tell by looks: what is missed is in the log of `go test -v`.
func TestLabelled(t *testing.T) {
	data, err := os.ReadFile("testdata/labelled.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			t.Fatalf("line %d has %d columns", i+1, len(columns))
		}
		l := labelled{label: columns[0], place: columns[1], name: columns[2]}
		if err := l.parse(columns[3]); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		for round := range uint64(4) {
			l.count(t, &n, draws{rand.New(rand.NewPCG(round, uint64(i)))})
		}
	}
	recall, precision := n.report(t)
	if recall < 0.95 || precision < 0.98 || n.seen*100 < n.standIns*97 {
		t.Error("below what it was")
	}
}

// labelled is a line of the table.
type labelled struct {
	label, place, name string
	values             []string // one, or all arguments
}

func (l *labelled) parse(column string) error {
	if l.place == "arg" {
		return json.Unmarshal([]byte(column), &l.values)
	}
	l.values = make([]string, 1)
	return json.Unmarshal([]byte(column), &l.values[0])
}

// judge fills the templates of the line, and judges the value that it is about. others reports whether another argument is
// taken for a credential.
func (l labelled) judge(d draws) (r Result, others bool) {
	kinds := map[string]Kind{"env": Env, "header": Header, "url": URL}
	if l.place != "arg" {
		return Judge(d.fill(l.values[0]), Context{l.name, kinds[l.place]}), false
	}
	args := make([]string, len(l.values))
	for i, v := range l.values {
		args[i] = d.fill(v)
	}
	at, _ := strconv.Atoi(l.name)
	for i, r := range Args(args, Context{"args", Arg}) {
		others = others || i != at && r.Verdict == Secret
	}
	return Args(args, Context{"args", Arg})[at], others
}

func (l labelled) count(t *testing.T, n *tally, d draws) {
	r, others := l.judge(d)
	where := l.label + " " + l.place + " " + l.name + " " + strings.Join(l.values, " ")
	if others {
		n.flagged++
		n.wrong++
		t.Logf("another argument than that is flagged: %s", where)
	}
	named := (l.place == "env" || l.place == "header") && roleOf(l.name).credential()
	n.count(t, where, label{Label: l.label, CredentialKey: named, Place: l.place}, r)
}
