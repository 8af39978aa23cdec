package roleblock

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func TestScalarTypes(t *testing.T) {
	for text, want := range map[string]scalarType{
		"": typeNull, "~": typeNull, "null": typeNull, "Null": typeNull, "NULL": typeNull, "nUll": typeString, "none": typeString, "None": typeString,
		"true": typeBool, "Yes": typeBool, "ON": typeBool, "off": typeBool, "y": typeString, "N": typeString, "tRue": typeString,
		"0": typeInt, "-0": typeInt, "+12": typeInt, "0x32": typeInt, "0X32": typeString, "32_768": typeInt, "_1": typeString, "0777": typeInt, "08": typeString, "0o17": typeString,
		"0b1_0": typeInt, "1:30": typeInt, "1:60": typeString, "190:20:30": typeInt, "9999999999999999999999": typeInt,
		"1.0": typeOther, "1.": typeOther, ".5": typeOther, "1e3": typeString, "1.0e+3": typeOther, "1.0e3": typeString, ".inf": typeOther, "-.Inf": typeOther, ".nan": typeOther,
		"2020-01-01": typeOther, "2020-1-1": typeString, "2020-01-01 10:00:00": typeOther, "1.2.3": typeString, "sha256:12": typeString, ".": typeString, "-": typeString, "=": typeString,
	} {
		if got := (&node{kind: scalar, text: text}).typ(); got != want {
			t.Errorf("%q has type %d, want %d", text, got, want)
		}
		if got := (&node{kind: scalar, text: text, quoted: true}).typ(); got != typeString {
			t.Errorf("%q in quotes has type %d", text, got)
		}
	}
	for tag, want := range map[string]scalarType{"!!str": typeString, "!": typeString, "!vault": typeString, "!!int": typeInt, "!!float": typeOther} {
		if got := (&node{kind: scalar, text: "5", tag: tag}).typ(); got != want {
			t.Errorf("%s 5 has type %d, want %d", tag, got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-5": -5, "0x1F": 31, "017": 15, "0b101": 5, "1:30": 90, "-1:0:1": -3601, "1_000": 1000, "9223372036854775807": 1<<63 - 1} {
		if got, ok := parseInt(text); !ok || got != want {
			t.Errorf("%q is %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"9223372036854775808", "9223372036854775807:00", "0b___"} {
		if got, ok := parseInt(text); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
	for text, want := range map[string]bool{"1": true, "0": false, "-1": false, "0x0": false, "0x0a": true, "00": false, "99999999999999999999": true, "0:00": false} {
		if isPositiveInt(text) != want {
			t.Errorf("%q above zero: %v", text, !want)
		}
	}
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		name, text, rule string
		line             int
	}{
		{"one", "a: 1\n", "", 0},
		{"empty", "", "", 0},
		{"marker only", "---\n", "", 0},
		{"end marker", "a: 1\n...\n", "", 0},
		{"end marker and comment", "a: 1\n...\n# x\n", "", 0},
		{"end marker first", "...\n---\na: 1\n", "", 0},
		{"carriage returns and line feeds", "---\r\na: 1\r\nb: [x,\r\n  y]\r\n", "", 0},
		{"byte order mark and marker", "\ufeff---\na: 1\n", "", 0},
		{"no line end", "a: 1", "", 0},
		{"tagged", "a: !vault |\n  x\n", "", 0},
		{"marker in a literal is text", "a: |\n  ---\nb: 1\n", "", 0},
		{"longer line of dashes", "a: b\n ---- c\n", "", 0},
		{"colon in flow", "a: [http://x:80/y]\n", "", 0},

		{"trailing marker", "a: 1\n---\n", multiDocument, 2},
		{"two empty", "---\n---\n", multiDocument, 2},
		{"second after end", "a: 1\n...\n---\nb: 1\n", multiDocument, 3},
		{"second after end, without marker", "a: 1\n...\nb: 1\n", multiDocument, 3},
		{"second with comment", "a: 1\n--- # x\n", multiDocument, 2},
		{"second broken", "a: 1\n---\n\tb", multiDocument, 2},
		{"marker in quotes ends the document, too", "a: '\n---\n'\n", yamlSyntax, 1},

		{"tab", "a:\n\tb: 1\n", yamlSyntax, 2},
		{"unclosed list", "a: 1\nb: [x\n", yamlSyntax, 2},
		{"unclosed list, more keys", "a: [x\nb: 1\n", yamlSyntax, 2},
		{"unclosed braces", "a: {x: 1\n", yamlSyntax, 1},
		{"unclosed quote", "a: 1\nb: \"x\nc: 1\n", yamlSyntax, 2},
		{"no colon", "a: 1\nb\nc: 1\n", yamlSyntax, 2},
		{"no colon at the end", "a: 1\nb\n", yamlSyntax, 2},
		{"two colons", "a: 1\nb: c: d\n", yamlSyntax, 2},
		{"bad indentation", "a: 1\n  b: 1\n", yamlSyntax, 2},
		{"list in a mapping", "a: 1\n- b\n", yamlSyntax, 2},
		{"reserved character", "a: 1\nb: @x\n", yamlSyntax, 2},
		{"unknown alias", "a: 1\nb: *x\n", yamlSyntax, 2},
		{"alias before its anchor", "a: *x\nb: &x 1\n", yamlSyntax, 1},
		{"anchor twice", "a: &x 1\nb: &x 2\n", yamlSyntax, 2},
		{"merge of a scalar", "a: 1\n<<: b\n", yamlSyntax, 2},
		{"merge of a list with a scalar", "a: &a {}\n<<: [*a, b]\n", yamlSyntax, 2},
		{"not UTF-8", "a: 1\nb: \xff\n", yamlSyntax, 2},
		{"cut UTF-8", "a: 1\nb: \xc3", yamlSyntax, 2},
		{"surrogate", "a: \xed\xa0\x80\n", yamlSyntax, 1},
		{"control character", "a: 1\n# \x07\n", yamlSyntax, 2},
		{"null byte", "a\x00: 1\n", yamlSyntax, 1},
		{"wrong version", "%YAML 2.0\n---\na: 1\n", yamlSyntax, 1},
		{"unknown tag handle", "a: 1\nb: !x!y z\n", yamlSyntax, 2},
	} {
		d := parse("f", []byte(c.text), 100)
		rule, line := "", 0
		if d.fault != nil {
			rule, line = d.faultRule, d.line(d.fault.start)
		}
		if rule != c.rule || line != c.line {
			t.Errorf("%s: %q at line %d, want %q at %d (%+v)", c.name, rule, line, c.rule, c.line, d.fault)
		}
		if (d.fault == nil) != d.readable() || d.fault != nil && d.root != nil {
			t.Errorf("%s: a file at fault is not read further", c.name)
		}
	}
}

func TestMergeKeys(t *testing.T) {
	d := parse("f", []byte(strings.TrimSpace(`
base: &base {a: base, b: base, c: base}
more: &more {<<: *base, b: more, d: more}
last: &last {a: last, e: last}
x:
  <<: [*more, *last]
  d: own
  <<: {c: second}
  '<<': text
self: &self
  <<: [*self, *base]
  a: own
`)), 100)
	root := d.expand(d.root)
	want := map[string]map[string]string{
		"x":    {"a": "base", "b": "more", "c": "second", "d": "own", "e": "last", "<<": "text"},
		"self": {"a": "own", "b": "base", "c": "base"},
	}
	for name, fields := range want {
		p, ok := root.get(name)
		if !ok {
			t.Fatalf("no %s: %+v", name, d.fault)
		}
		got := d.expand(p.value.node)
		if len(got.pairs) != len(fields) {
			t.Errorf("%s has %d keys, want %d", name, len(got.pairs), len(fields))
		}
		for k, v := range fields {
			if q, ok := got.get(k); !ok || q.value.text != v {
				t.Errorf("%s.%s is %+v, want %s", name, k, q.value, v)
			}
		}
	}
}

func TestPlacesOfKeysAndItems(t *testing.T) {
	runCases(t, []ruleCase{
		{name: "through an alias", base: exampleServer,
			edits: []string{
				"classification: native_server\n", "mutating_proofs: &e\n  service_key: gone\n  path: /mcp\n  port_key: http\nclassification: native_server\n",
				exampleServer.lines("endpoint:\n", "tools:"), "endpoint: *e\n",
			},
			want: []string{"endpoint-service-unknown@service_key: gone"}},
		{name: "through a merge", base: examplePublic,
			edits: []string{"limits:\n  request_bytes: 65536\n", "reason: &l {request_bytes: 0}\nlimits:\n  <<: *l\n"},
			want:  []string{"limits-value-invalid@reason"}},
		{name: "an explicit key beats a merged one", base: examplePublic,
			edits: []string{"limits:\n", "reason: &l {request_bytes: 0, rate: 1}\nlimits:\n  <<: *l\n"},
			want:  []string{"unknown-key@reason"}},
		{name: "the last duplicate counts", base: exampleServer,
			edits: []string{"transport: sse\n", "transport: sse\ntransport: stdio\n"},
			want:  []string{"duplicate-key@stdio", "transport-invalid@stdio"}},
		{name: "list item in a shared list", base: exampleClient,
			edits: []string{
				"supported_transports: [streamable_http, sse]", "reason: &l\n  - sse\n  - pigeon\nsupported_transports: *l",
			},
			want: []string{"supported-transports-invalid@- pigeon"}},
		{name: "flow over lines", base: exampleClient,
			edits: []string{"[streamable_http, sse]", "[sse,\n  pigeon,\n  \"dove\"]"},
			want:  []string{"supported-transports-invalid@pigeon", "supported-transports-invalid@dove"}},
	})
	fsys := filesOf(string(exampleClient.with("[streamable_http, sse]", "[sse, 'é', \"pigeon\" , ]")))
	result := wantFindings(t, fsys, "supported-transports-invalid@", "supported-transports-invalid@")
	if a, b := result.Findings[0], result.Findings[1]; a.Column != 29 || a.EndColumn != 32 || b.Column != 34 || b.EndColumn != 42 {
		t.Errorf("columns %+v and %+v", a.Range, b.Range)
	}
}

func TestPlacesWithByteOrderMarkAndCarriageReturns(t *testing.T) {
	text := "\ufeff" + strings.ReplaceAll(exampleClient.lines("classification", "--"), "\n", "\r\n")
	fsys := filesOf(string(exampleClient))
	fsys["roles/web-app-assistant/meta/mcp.yml"].Data = []byte(strings.Replace(text, "native_client", "nativ_client", 1))
	f := wantFindings(t, fsys, "classification-invalid@").Findings[0]
	if f.Line != 1 || f.Column != 2 || f.EndColumn != 16 {
		t.Errorf("place %+v", f.Range)
	}
	if e := f.Fix.Edits[0]; e.Column != 18 || e.EndColumn != 30 || e.Text != "native_client" {
		t.Errorf("edit %+v", e)
	}
	if strings.ContainsAny(f.Excerpt.Text, "\r\ufeff") {
		t.Errorf("excerpt %q", f.Excerpt.Text)
	}
}

// A flow collection that begins long before a value does not make finding its place slow.
func TestPlacesAscend(t *testing.T) {
	text := "{" + strings.Repeat("? , : x, [a]: b, ? {c: d}, &e f: *e, g: , !!str : '', ", 500) + "}"
	text = strings.ReplaceAll(text, "&e f: *e", "f: f")
	first, _, err := load([]byte(text), 100)
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	last := [2]int{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if at := [2]int{n.Line, n.Column}; at[0] < last[0] || at[0] == last[0] && at[1] < last[1] {
			steps++
		} else {
			last = at
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(first)
	if steps > 0 {
		t.Errorf("the library's places go back %d times", steps)
	}
}

func TestEndsOfTokens(t *testing.T) {
	for text, want := range map[string]int{`"a\"b" c`: 6, `"a\\" c`: 5, `"a`: 2, `"a\`: 3} {
		if got := doubleQuotedEnd([]byte(text), 0); min(got, len(text)) != want {
			t.Errorf("%s ends at %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{`'a''b' c`: 6, `'a\' c`: 4, `'a`: 2, `'a''`: 4, `''`: 2} {
		if got := singleQuotedEnd([]byte(text), 0); got != want {
			t.Errorf("%s ends at %d, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text   string
		indent int
		want   string // what follows
	}{
		{"|\n  a\n\n  b\n # c\n", 0, " # c\n"},
		{"|\n  a\n c\n", 0, " c\n"},
		{">-2 # x\n   a\n  b\n c\n", 0, " c\n"},
		{"|1\n a\n  b\nc\n", -1, "c\n"},
		{"|\n\n\nc: d\n", 0, "c: d\n"},
		{"|+\r\n   a\r\n  c\r\n", 2, "  c\r\n"},
		{"|\n  a", 0, ""},
		{"|", 0, ""},
	} {
		data := []byte(c.text)
		if end := blockScalarEnd(data, 0, lineEnd(data, 0), c.indent); string(data[end:]) != c.want {
			t.Errorf("%q is followed by %q, want %q", c.text, data[end:], c.want)
		}
	}
	for text, want := range map[string]int{"&a x": 3, "&a !b x": 6, "!b\n  # c\n  x": 11, "x": 0, "&a": 2} {
		if got := skipProperties([]byte(text), 0); got != want {
			t.Errorf("%q: the value begins at %d, want %d", text, got, want)
		}
	}
}
