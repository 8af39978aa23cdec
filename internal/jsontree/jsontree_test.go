package jsontree

import (
	"slices"
	"strings"
	"testing"
)

func mustParse(t *testing.T, text string) Value {
	t.Helper()
	doc, problems := Parse([]byte(text))
	if !doc.Root().Exists() {
		t.Fatalf("%q: %v", text, problems)
	}
	return doc.Root()
}

func TestValuesKnowTheirPlaces(t *testing.T) {
	v := mustParse(t, "{\n  \"a\": [1, {\"b/~\": \"x\\u00e9\"}],\n  \"n\": null\n}")
	b := v.Get("a")
	var second Value
	for i, e := range b.Elements() {
		if i == 1 {
			second = e
		}
	}
	got := second.Get("b/~")
	if got.Str() != "xé" || got.Pointer() != "/a/1/b~1~0" {
		t.Errorf("%q at %q", got.Str(), got.Pointer())
	}
	if r := got.Range(); r.Line != 2 || r.Column != 20 || r.EndLine != 2 || r.EndColumn != 29 {
		t.Errorf("range %+v", r)
	}
	if r := v.Range(); r.Line != 1 || r.EndLine != 4 || r.EndColumn != 2 {
		t.Errorf("root range %+v", r)
	}
	m, ok := v.Member("n")
	if !ok || !m.Value.Is(Null) || m.Key.Pointer() != "/n" || m.Value.Pointer() != "/n" {
		t.Errorf("member n: %v %q", ok, m.Key.Pointer())
	}
	if v.Get("missing", "deeper").Exists() || v.Get("n", "x").Pointer() != "" {
		t.Error("a missing value exists")
	}
}

func TestProblems(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, c := range []struct {
		text  string
		code  Code
		start int
		tree  bool
	}{
		{``, Syntax, 0, false},
		{`{"a":1`, Syntax, 6, false},
		{`{"a":1,}`, Syntax, 6, false},
		{`{'a':1}`, Syntax, 1, false},
		{`{"a":01}`, Syntax, 6, false},
		{"[1] // note", TrailingData, 4, false},
		{"[1]\x00", TrailingData, 3, false},
		{"{} {}", TrailingData, 3, false},
		{"\ufeff{}", ByteOrderMark, 0, true},
		{"\ufeff\ufeff{}", Syntax, 3, false},
		{"{\"a\":\"\xff\"}", NotUTF8, 6, true},
		{`{"a":1,"b":2,"\u0061":3}`, DuplicateName, 13, true},
		{`{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"4":0}`, DuplicateName, 61, true},
		{deep, TooDeep, MaxDepth - 1, false},
	} {
		name := c.text
		if len(name) > 40 {
			name = name[:40]
		}
		doc, problems := Parse([]byte(c.text))
		var got *Problem
		for i := range problems {
			if problems[i].Code == c.code {
				got = &problems[i]
			}
		}
		if got == nil || got.Start != c.start || doc.Root().Exists() != c.tree {
			t.Errorf("%q: %+v, tree %v; want code %d at %d, tree %v", name, problems, doc.Root().Exists(), c.code, c.start, c.tree)
		}
	}
	if _, problems := Parse([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))); len(problems) > 0 {
		t.Errorf("depth %d: %v", MaxDepth, problems)
	}
}

// TestFaultsAreSaidOnce holds what is said of a text as a whole: bytes that are no JSON because they are no UTF-8 are one
// fault.
func TestFaultsAreSaidOnce(t *testing.T) {
	for text, want := range map[string][]Problem{
		"\xff\xfe{\x00}\x00":  {{Code: Syntax, End: 1, Detail: "it is UTF-16, and JSON is UTF-8"}},
		"\xfe\xff\x00{\x00}":  {{Code: Syntax, End: 1, Detail: "it is UTF-16, and JSON is UTF-8"}},
		"{\x00}\x00":          {{Code: Syntax, Start: 1, End: 2, Detail: "it is UTF-16, and JSON is UTF-8"}},
		"{\"a\":\"\xff\",}":   {{Code: NotUTF8, Start: 6, End: 7}, {Code: Syntax, Start: 8, End: 9, Detail: "a comma stands before the closing bracket"}},
		`[{"a/b":1,"a/b":2}]`: {{DuplicateName, 10, 15, "a/b", "/0/a~1b"}},
	} {
		if _, got := Parse([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestNamesMatchExactlyAndTheLastOfARepeatedOneWins(t *testing.T) {
	v := mustParse(t, `{"Kind":1,"ſkind":2,"\u006bind":3,"kind":4}`)
	if got := string(v.Get("kind").Raw()); got != "4" {
		t.Errorf("kind is %s", got)
	}
	if v.Get("KIND").Exists() {
		t.Error("case was folded")
	}
}

func TestEmptyIsWhatJavaScriptTakesForFalse(t *testing.T) {
	for text, want := range map[string]bool{
		`null`: true, `false`: true, `""`: true, `0`: true, `-0`: true, `0.0e5`: true, `1e-999`: true,
		`true`: false, `"0"`: false, `0.1`: false, `[]`: false, `{}`: false, `1e-300`: false,
	} {
		if got := mustParse(t, text).Empty(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestStringifyWritesWhatJavaScriptWrites(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"10":2,"9":3,"a":{},"c":[],"b":4}`:          "{\n  \"9\": 3,\n  \"10\": 2,\n  \"b\": 4,\n  \"a\": {},\n  \"c\": []\n}",
		`[1e21,1e-7,0.000001,-0,1e400,123e-20,5e-324]`:      "[\n  1e+21,\n  1e-7,\n  0.000001,\n  0,\n  null,\n  1.23e-18,\n  5e-324\n]",
		`"\ud800x\udc00\ud83d\ude00\u2028\u007f\u0001\b</"`: "\"\\ud800x\\udc00😀\u2028\u007f\\u0001\\b</\"",
	} {
		if got, ok := Stringify(mustParse(t, in), 1<<20, nil); string(got) != want || !ok {
			t.Errorf("%s:\n%s\nwant\n%s", in, got, want)
		}
	}
	got, _ := Stringify(mustParse(t, `{"files":1,"id":"x"}`), 1<<20, []string{"files"}, Field{"files", []Pair{{"p", "d"}}})
	if want := "{\n  \"id\": \"x\",\n  \"files\": {\n    \"p\": \"d\"\n  }\n}"; string(got) != want {
		t.Errorf("%s", got)
	}
	if out, ok := Stringify(mustParse(t, strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), 1<<16, nil); ok || len(out) > 1<<17 {
		t.Errorf("deep nesting: %d bytes, ok %v", len(out), ok)
	}
}

func TestUTF16Len(t *testing.T) {
	if n := UTF16Len(mustParse(t, `"a\ud800é😀"`).Str()); n != 5 {
		t.Errorf("%d", n)
	}
}

func TestPointersStayShort(t *testing.T) {
	long := strings.Repeat("k", 1<<20)
	v := mustParse(t, `{"a":{"`+long+`":[1]}}`)
	v.Walk(func(_, value Value) bool {
		if p := value.Pointer(); len(p) > maxPointer || value.Is(Number) && p != "/a" {
			t.Errorf("%d bytes of pointer", len(p))
		}
		return true
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud800",{"b":null}],"a":2}`, "\ufeff[]", "[1]x", `{"a":"` + "\xff" + `"}`, "[[[["} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, problems := Parse(data)
		if !doc.Root().Exists() {
			if len(problems) == 0 {
				t.Fatal("neither tree nor problem")
			}
			return
		}
		doc.Root().Walk(func(_, value Value) bool {
			start, end := value.Span()
			if start >= end || end > len(data) || value.Range().Line < 1 {
				t.Fatalf("span %d-%d", start, end)
			}
			if start%64 == 0 {
				_ = value.Pointer()
			}
			return true
		})
		out, ok := Stringify(doc.Root(), 1<<20, nil)
		if !ok {
			return
		}
		again, problems := Parse(out)
		if !again.Root().Exists() || len(problems) > 0 {
			t.Fatalf("%q is no JSON: %v", out, problems)
		}
		if twice, _ := Stringify(again.Root(), 1<<22, nil); string(twice) != string(out) {
			t.Fatalf("%q is written differently the second time: %q", out, twice)
		}
	})
}

// A pointer into the deep is that of an ancestor, and the same whether the text is deep somewhere else or not.
func TestPointersIntoTheDeep(t *testing.T) {
	const depth = 2 * maxSteps
	deep := mustParse(t, strings.Repeat(`{"a":[`, depth/2)+"1"+strings.Repeat("]}", depth/2))
	n := 0
	for v := deep; v.Exists(); n++ {
		want := strings.Repeat("/a/0", n/2) + strings.Repeat("/a", n%2)
		if got := v.Pointer(); got != want[:min(len(want), maxPointer)] {
			t.Fatalf("%d deep: %q", n, got)
		}
		next := v.Get("a")
		for _, e := range v.Elements() {
			next = e
		}
		v = next
	}
	if n != depth+1 {
		t.Errorf("%d values", n)
	}
}
