package secret

import (
	"testing"

	"github.com/azphalt/submissions/internal/labelled"
)

// The table says of more than a thousand values what they are, with every random part drawn anew for each round. It is wider
// than the corpus, and holds more that nobody can tell by looks: what is missed is in the log of `go test -v`.
func TestLabelled(t *testing.T) {
	var n tally
	for seed := range uint64(4) {
		values, err := labelled.Values(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			countLabelled(t, &n, v)
		}
	}
	recall, precision := n.report(t)
	if recall < 0.95 || precision < 0.98 || n.seen*100 < n.standIns*97 {
		t.Error("below what it was")
	}
}

func countLabelled(t *testing.T, n *tally, v labelled.Value) {
	if v.Place != "arg" {
		kind := map[string]Kind{"env": Env, "header": Header, "url": URL}[v.Place]
		named := v.Place != "url" && CredentialName(v.Name)
		n.count(t, v.Template, label{Label: v.Label, CredentialKey: named, Place: v.Place}, Judge(v.Text, Context{v.Name, kind}))
		return
	}
	for i, r := range Args(v.Args, Context{"args", Arg}) {
		l := label{Label: "benign"}
		if i == v.At {
			l.Label = v.Label
		}
		n.count(t, v.Template, l, r)
	}
}
