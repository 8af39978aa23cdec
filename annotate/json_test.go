package annotate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestJSONSpellsTextPlainlyAndHidesNothing(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"<a&b>", `"<a&b>"`},
		{`\u003c`, `"\\u003c"`},
		{`\\u003c<`, `"\\\\u003c<"`},
		{"é 東京 🔑", `"é 東京 🔑"`},
		{"\n\"\x1b", `"\n\"\u001b"`},
		{"\x7f\u0085\u202e\u2028\ufeff", `"\u007f\u0085\u202e\u2028\ufeff"`},
		{"\U000e0041", `"\udb40\udc41"`},
		{"\xff", `"\ufffd"`},
	} {
		var b strings.Builder
		if err := encode(&b, c.in); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != c.want {
			t.Errorf("%+q is %s, want %s", c.in, got, c.want)
		}
	}
}

// FuzzJSON proves that the plain spelling says the same as the standard library's, for texts in every field of a finding. The
// fields of a whole report are of the same types.
func FuzzJSON(f *testing.F) {
	seedReports(f)
	f.Fuzz(func(t *testing.T, a, b, c string, n int) {
		r := fuzzReport(a, b, c, n).Packages[0].Findings[0]
		var spelt strings.Builder
		if err := encode(&spelt, r); err != nil {
			t.Fatal(err)
		}
		got := spelt.String()
		standard, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var x, y any
		if err := json.Unmarshal([]byte(got), &x); err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		if err := json.Unmarshal(standard, &y); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Errorf("got  %s\nwant %s", got, standard)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unseen(r) }) {
			t.Errorf("unseen characters in %+q", got)
		}
	})
}
