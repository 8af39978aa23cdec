// Package vectortest reads the reference's test vectors: what packages are, and what the reference says of them.
package vectortest

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Lines reads a file with one JSON value a line. A file without any proves nothing, and fails the test.
func Lines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no vector", path)
	}
	return out
}

// Rules reads the table of rules (rules.tsv): for each id, the pattern of the reference's messages about it.
func Rules(t testing.TB, path string) map[string]*regexp.Regexp {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]*regexp.Regexp{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if f := strings.Split(line, "\t"); len(f) == 3 && !strings.HasPrefix(line, "#") {
			rules[f[0]] = regexp.MustCompile(`(?s)^(?:verifyAzp: )?(?:` + f[1] + `)`)
		}
	}
	return rules
}
