package config

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"merge", "squash", "rebase", "name", "url", "required-checks", "error", "warning", "registry", "rules"}
	for word, want := range map[string]string{
		"squahs": "squash", "Merge": "merge", "required_checks": "required-checks", "RequiredChecks": "required-checks",
		"warn": "warning", "err": "error", "uri": "url", "nmae": "name", "rebase": "rebase",
		"": "", "x": "", "re": "", "ur": "url", "uu": "", "rubbish": "", "mergemerge": "",
	} {
		if got, ok := nearest(word, words); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", word, got, ok, want)
		}
	}
	if got, ok := nearest("bat", []string{"cat", "rat"}); ok {
		t.Errorf("two are equally near, yet %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "abxd", 1}, {"abcd", "bcd", 1}, {"abc", "xyz", 3},
		{"abcdef", "a", maxEdits + 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
