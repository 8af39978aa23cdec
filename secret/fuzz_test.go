package secret

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/azphalt/submissions/finding"
)

// seeds are values of every form.
var seeds = []string{
	"", "debug", "${input:key}", "Bearer ${input:a}", "Bearer ${TOKEN}", "<YOUR_KEY>", "xxxx", "postgres://a:Winter-Coat-22@db/app?x=${input:b}",
	"https://h/private/k3VxQ81mZp0rT6wYb2/mcp?key=k3VxQ81mZp0rT6wYb2#t=1", "Server=db;User Id=sa;Pwd=Winter-Coat-22;", `{"a":{"password":"Winter-Coat-22"}}`,
	`{\"token\":\"k3VxQ81mZp0rT6wYb2\"}`, "a=1; session=k3VxQ81mZp0rT6wYb2", "Basic c3ZjOldpbnRlci1Db2F0LTIy", "eyJwYXNzd29yZCI6IldpbnRlci1Db2F0LTIyIn0=",
	"-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("Kx7q", 16) + "\n-----END PRIVATE KEY-----", "tool --token k3VxQ81mZp0rT6wYb2 -e A=b", "svc:Winter-Coat-22@tcp(db:1)/x",
	"data:text/plain;base64,c3ZjOldpbnRlci1Db2F0LTIy", "é${input:ü}é", "%41%", "${A:-k3VxQ81mZp0rT6wYb2}", "\x01\x02\x03", "a\r\nDB_PASS=Winter-Coat-22\r\n", "\xff\xfe=:",
}

func checkResult(t *testing.T, value string, r Result) {
	t.Helper()
	end, gravest := 0, Benign
	for _, m := range r.Matches {
		if m.Start < end || m.End < m.Start || m.End > len(value) {
			t.Fatalf("%q: range %d to %d after %d", value, m.Start, m.End, end)
		}
		if utf8.ValidString(value) && (!utf8.ValidString(value[:m.Start]) || !utf8.ValidString(value[m.Start:m.End])) {
			t.Fatalf("%q: range %d to %d cuts a character", value, m.Start, m.End)
		}
		if m.Verdict < Placeholder || m.Rule == "" || m.Reason == "" || m.InputID == "" {
			t.Fatalf("%q: incomplete %+v", value, m)
		}
		end, gravest = m.End, max(gravest, m.Verdict)
	}
	if len(r.Matches) > 0 && r.Verdict != gravest || len(r.Matches) == 0 && r.Verdict > Reference {
		t.Fatalf("%q: verdict %s", value, r.Verdict)
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "API_KEY", uint8(Env))
		f.Add(s, "Cookie", uint8(Header))
		f.Add(s, "url", uint8(URL))
		f.Add(s, "notes", uint8(Unknown))
	}
	f.Fuzz(func(t *testing.T, value, key string, kind uint8) {
		checkResult(t, value, Judge(value, Context{key, Kind(kind % uint8(textLine))}))
	})
}

func FuzzArgs(f *testing.F) {
	f.Add("run\n-e\nDB_PASS=Winter-Coat-22\n--token\nk3VxQ81mZp0rT6wYb2\n-H\nAuthorization: Bearer a\n-u\na:b\n-pSecret")
	for _, s := range seeds {
		f.Add("--token\n" + s)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\n")
		results := Args(args, Context{Key: "args"})
		if len(results) != len(args) {
			t.Fatalf("%d results for %d arguments", len(results), len(args))
		}
		for i, r := range results {
			checkResult(t, args[i], r)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte(harmlessLines))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := 0
		err := Text(bytes.NewReader(text), func(m TextMatch) {
			if m.Start < before || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("range %d to %d after %d", m.Start, m.End, before)
			}
			if got := rangeOf(text, m.Start, m.End); got != m.Range {
				t.Fatalf("range %+v, want %+v", m.Range, got)
			}
			before = m.Start
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// rangeOf is the plain way to tell the place of a span.
func rangeOf(text []byte, start, end int) finding.Range {
	place := func(at int) (line, column int) {
		bol := bytes.LastIndexByte(text[:at], '\n') + 1
		return bytes.Count(text[:at], []byte("\n")) + 1, utf8.RuneCount(text[bol:at]) + 1
	}
	var r finding.Range
	r.Line, r.Column = place(start)
	r.EndLine, r.EndColumn = place(end)
	return r
}
