package diff

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/azphalt/submissions/azp"
)

// mcpManifest is a manifest with the inside of an mcp block.
func mcpManifest(block string) string {
	return `{"azphalt":"0.1","id":"com.example.fs","name":"Files","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1","mcp":{` + block + `}}`
}

func server(inside string) string { return `"servers":[{"id":"fs",` + inside + `}]` }

func desktop(inside string) string {
	return server(`"local":{"platforms":{"desktop":{` + inside + `}}}`)
}

func compare(t testing.TB, before, after string) Diff {
	t.Helper()
	sides := [2]Side{}
	for i, text := range []string{before, after} {
		var err error
		if sides[i], err = Manifest("manifest.json", []byte(text), azp.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	return Compare(sides[0], sides[1])
}

func said(d Diff) string {
	var out []string
	for _, c := range d.Changes {
		out = append(out, fmt.Sprintf("%s %s: %s", c.Weight, c.Kind, c.Message))
	}
	return strings.Join(out, "\n")
}

func TestChangesOfAManifest(t *testing.T) {
	const same = "grave version: the version stays \"1.0.0\", though the package is another one\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", desktop(`"command":"npx","args":["a"]`), desktop(`"command":"npx","args":["a"]`), ""},
		{"layout", `"servers":[], "offers":{"tools":["a","b"]}`, `"offers":{"tools":["b","a"]}, "servers":[]`, same},
		{"grants", server(`"local":{"wasi":{"module":"m","grants":["fs:read"]}}`), server(`"local":{"wasi":{"module":"m","grants":["net"]}}`),
			same + "grave grant: server \"fs\": the grant \"net\" is new\nminor grant: server \"fs\": the grant \"fs:read\" is gone"},
		{"command", desktop(`"command":"npx"`), desktop(`"command":"node"`), same + `grave command: server "fs": the command is "node", was "npx"`},
		{"arguments", desktop(`"command":"npx","args":["a","b"]`), desktop(`"command":"npx","args":["b","a"]`),
			same + `grave args: server "fs": the argument list is ["b", "a"], was ["a", "b"]`},
		{"variable", desktop(`"command":"npx"`), desktop(`"command":"npx","env":{"NODE_OPTIONS":"-r ./x.js"}`),
			same + `grave environment: server "fs": the variable "NODE_OPTIONS" is new: "-r ./x.js"`},
		{"host", server(`"remote":{"type":"http","url":"https://a.example/x"}`), server(`"remote":{"type":"http","url":"https://b.example/x"}`),
			same + `grave host: server "fs": the address leads to another host: "b.example", was "a.example"`},
		{"path", server(`"remote":{"type":"http","url":"https://a.example/x"}`), server(`"remote":{"type":"http","url":"https://a.example/y"}`),
			same + `notable address: server "fs": the address is "https://a.example/y", was "https://a.example/x"`},
		{"new server", `"servers":[]`, server(`"local":{"wasi":{"module":"m","grants":["exec"]}}`),
			same + "grave server: the server \"fs\" is new\ngrave grant: server \"fs\": the grant \"exec\" is new\ngrave command: server \"fs\": the module is new: \"m\""},
		{"server gone", server(`"remote":{"type":"http","url":"https://a.example"}`), `"servers":[]`, same + `notable server: the server "fs" is gone`},
		{"inputs", `"inputs":[{"id":"a","password":true},{"id":"b"}]`, `"inputs":[{"id":"a"},{"id":"c","description":"Key","password":true},{"id":"d"}]`,
			same + "notable input: the input \"c\" is new, hidden as it is typed: \"Key\"\nnotable input: the input \"d\" is new, shown as it is typed, and does not say what for\nnotable input: input \"a\": the password mark is gone; it was \"true\"\nminor input: the input \"b\" is gone"},
		{"tools", `"offers":{"tools":["read"]}`, `"offers":{"tools":["delete"]}`, same + "notable tool: the tool \"delete\" is new\nnotable tool: the tool \"read\" is gone"},
		{"a field that nobody knows", `"x":{"y":[1]}`, `"x":{"y":[2]}`, same + `minor other: the field "/mcp/x/y/0" is "2", was "1"`},
		{"another type", desktop(`"command":"npx"`), desktop(`"command":["npx"]`), same + `grave command: server "fs": the command is ["npx"], was "npx"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(compare(t, mcpManifest(c.before), mcpManifest(c.after))); got != strings.TrimSuffix(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	at := func(version string) string { return strings.Replace(mcpManifest(""), "1.0.0", version, 1) }
	for version, want := range map[string]string{
		"1.0.1": "", "0.9.0": `grave version: the version goes back: "0.9.0", was "1.0.0"`, "1.0.0-rc.1": `grave version: the version goes back: "1.0.0-rc.1", was "1.0.0"`,
	} {
		if got := said(compare(t, at("1.0.0"), at(version))); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// archive packs a folder, signs it and reads it as a side. Vouchers counter-sign in turn.
func archive(t *testing.T, files map[string]string, keys ...azp.PrivateKey) Side {
	t.Helper()
	ctx := context.Background()
	folder := fstest.MapFS{"LICENSE": {Data: []byte("MIT License\n")}}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	src, err := azp.ReadSource(ctx, folder, azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := src.Pack(&packed); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		p, err := azp.Read(ctx, bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if i == 0 {
			err = p.Sign(&out, key, "")
		} else {
			err = p.Countersign(&out, key, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		packed = out
	}
	s, err := Archive(ctx, "x.azp", bytes.NewReader(packed.Bytes()), int64(packed.Len()), azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSignersAndPayload(t *testing.T) {
	key := func() azp.PrivateKey {
		k, err := azp.NewPrivateKey()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a, b := key(), key()
	manifest := strings.Replace(mcpManifest(server(`"local":{"wasi":{"module":"server/m.wasm"}}`)), "1.0.0", "%s", 1)
	v1 := map[string]string{"manifest.json": fmt.Sprintf(manifest, "1.0.0"), "server/m.wasm": "old", "notes.txt": "a"}
	v2 := map[string]string{"manifest.json": fmt.Sprintf(manifest, "1.1.0"), "server/m.wasm": "new!", "big.bin": strings.Repeat("x", 2<<20)}
	const payload = `
notable code: the file "server/m.wasm" has other bytes: 4 bytes, was 3 bytes
notable payload: the payload grows from 16 bytes to 2048 KiB
minor file: the file "big.bin" is new: 2048 KiB
minor file: the file "notes.txt" is gone`
	for _, c := range []struct {
		name          string
		before, after []azp.PrivateKey
		want          string
	}{
		{"the same key", []azp.PrivateKey{a}, []azp.PrivateKey{a}, ""},
		{"another key", []azp.PrivateKey{a}, []azp.PrivateKey{b}, fmt.Sprintf("grave signer: it is signed by another key: %q, was %q", b.Public(), a.Public())},
		{"one that is vouched for", []azp.PrivateKey{a}, []azp.PrivateKey{b, a}, fmt.Sprintf("notable signer: it is signed by another key, for which the earlier one vouches: %q, was %q", b.Public(), a.Public())},
		{"no key any more", []azp.PrivateKey{a}, nil, fmt.Sprintf("grave signer: it is no longer signed; it was by %q", a.Public())},
		{"a first key", nil, []azp.PrivateKey{a}, fmt.Sprintf("notable signer: it is signed now, by %q", a.Public())},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := said(Compare(archive(t, v1, c.before...), archive(t, v2, c.after...)))
			if want := strings.TrimPrefix(c.want+payload, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestASourceIsComparedWithAnArchive(t *testing.T) {
	manifest := mcpManifest(desktop(`"command":"npx"`))
	before := archive(t, map[string]string{"manifest.json": manifest, "a.txt": "a"})
	after, err := Source(context.Background(), "folder", fstest.MapFS{
		"LICENSE": {Data: []byte("MIT License\n")}, "manifest.json": {Data: []byte(strings.Replace(manifest, "1.0.0", "1.0.1", 1))}, "a.txt": {Data: []byte("b")},
	}, azp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := said(Compare(before, after)), `minor file: the file "a.txt" has other bytes: 1 bytes, was 1 bytes`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsNoManifestIsNotCompared(t *testing.T) {
	for _, text := range []string{"", "[]", "{"} {
		if _, err := Manifest("m.json", []byte(text), azp.Limits{}); err == nil {
			t.Errorf("%q is compared", text)
		}
	}
}

// pages renders a Diff in every format.
func pages(t testing.TB, d Diff) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, d); err != nil {
			t.Fatal(err)
		}
		out[format] = b.String()
	}
	return out
}

// TestNoNameShowsASecret holds that a token in the place of a name is not shown.
func TestNoNameShowsASecret(t *testing.T) {
	const token = "ghp_Zq8vW2nR5tY7uI0pA3sD6fG9hJ1kL4zXc5Vb"
	for _, inside := range []string{`"command":"srv","env":{"` + token + `":"1"}`, `"command":"srv","args":["${input:` + token + `}"]`, `"command":"srv","` + token + `":["a"]`} {
		d := compare(t, mcpManifest(desktop(`"command":"srv"`)), mcpManifest(desktop(inside)))
		if len(d.Changes) == 0 {
			t.Errorf("%s: no changes", inside)
		}
		for format, page := range pages(t, d) {
			if strings.Contains(page, token[4:12]) {
				t.Errorf("%s: %s shows it: %s", inside, format, page)
			}
		}
	}
}

// TestNoFormatShowsASecret compares the manifests of the labelled corpus with one that has nothing, both ways.
func TestNoFormatShowsASecret(t *testing.T) {
	const dir = "../../shared/corpus-mcp"
	labels, err := os.ReadFile(dir + "/labels.jsonl")
	if err != nil {
		t.Skip("the labelled corpus is not here: it is not part of this repository")
	}
	secrets := map[string][]string{} // pointers by file
	for line := range strings.Lines(string(labels)) {
		var l struct{ File, Pointer, Label string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Label == "secret" {
			secrets[l.File] = append(secrets[l.File], l.Pointer)
		}
	}
	for file, pointers := range secrets {
		text, err := os.ReadFile(filepath.Join(dir, "manifests", file))
		if err != nil {
			t.Fatal(err)
		}
		empty := `{"mcp":{"servers":[]}}`
		for _, d := range []Diff{compare(t, empty, string(text)), compare(t, string(text), empty)} {
			for format, page := range pages(t, d) {
				for _, pointer := range pointers {
					if strings.Contains(page, core(at(t, text, pointer))) {
						t.Errorf("%s shows %s of %s", format, pointer, file)
					}
				}
			}
		}
	}
	if len(secrets) < 20 {
		t.Errorf("only %d files with secrets", len(secrets))
	}
}

// core returns the longest run of letters and digits in which there is a digit: most of the secret. Where there is none of
// some length, it is the whole value.
func core(value string) string {
	long := ""
	for _, run := range strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.ContainsFunc(run, unicode.IsDigit) && len(run) > len(long) {
			long = run
		}
	}
	if len(long) < 6 {
		return value
	}
	return long
}

// at returns the string at a pointer.
func at(t *testing.T, text []byte, pointer string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch w := v.(type) {
		case map[string]any:
			v = w[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				t.Fatal(err)
			}
			v = w[i]
		}
	}
	s, ok := v.(string)
	if !ok {
		t.Fatalf("%s is no string", pointer)
	}
	return s
}

func TestHostileTextStaysText(t *testing.T) {
	const evil = "</td><img src=x> @everyone [x](https://evil.example) #1 `\n::error::x\u202e\x1b[31m"
	text, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	id := string(text)
	d := compare(t, mcpManifest(""), mcpManifest(`"servers":[{"id":`+id+`,"local":{"platforms":{"desktop":{"command":`+id+`,"args":[`+id+`],"env":{`+id+`:`+id+`}}}}}],"offers":{"tools":[`+id+`]},`+id+`:`+id))
	for format, page := range pages(t, d) {
		if strings.ContainsAny(page, "\u202e\x1b\r") || strings.Contains(page, "\n::error") {
			t.Errorf("%s: %q", format, page)
		}
		if format != "markdown" {
			continue
		}
		for line := range strings.Lines(page) {
			outside := strings.TrimPrefix(outsideCode(line), "## ")
			if strings.ContainsAny(outside, "<@[#") {
				t.Errorf("active: %q of %q", outside, line)
			}
		}
	}
}

// outsideCode returns what of a line of Markdown is no code span (CommonMark, section 6.1).
func outsideCode(line string) string {
	var out strings.Builder
	for len(line) > 0 {
		ticks := len(line) - len(strings.TrimLeft(line, "`"))
		if ticks == 0 {
			out.WriteByte(line[0])
			line = line[1:]
			continue
		}
		fence, rest := line[:ticks], line[ticks:]
		line = rest
		for i := 0; i < len(rest); {
			run := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
			if run == len(fence) {
				line = rest[i+run:]
				break
			}
			i += max(run, 1)
		}
	}
	return out.String()
}

func TestManyChangesAreCounted(t *testing.T) {
	var tools []string
	for i := range maxPerKind + 50 {
		tools = append(tools, fmt.Sprintf(`"tool-%d"`, i))
	}
	d := compare(t, mcpManifest(""), mcpManifest(`"offers":{"tools":[`+strings.Join(tools, ",")+`]}, `+desktop(`"command":"x"`)))
	if d.Omitted != 50 || !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind == "command" }) {
		t.Errorf("%d omitted of %d", d.Omitted, len(d.Changes))
	}
	if page := d.Markdown(2000); len(page) > 2000 || !strings.Contains(page, "more") {
		t.Errorf("%d bytes: %s", len(page), page)
	}
}

// FuzzCompare holds that any two manifests can be compared, and that each change has its sentence.
func FuzzCompare(f *testing.F) {
	files, _ := filepath.Glob("../testdata/vectors/manifests/*.json")
	var last []byte
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 4096 && !strings.Contains(file, "expected") {
			f.Add(last, data)
			last = data
		}
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		was, err := Manifest("a", before, azp.Limits{Manifest: 1 << 16})
		if err != nil {
			return
		}
		is, err := Manifest("b", after, azp.Limits{Manifest: 1 << 16})
		if err != nil {
			return
		}
		d := Compare(was, is)
		for _, c := range d.Changes {
			if c.Kind == "" || c.Weight.rank() < 0 || c.Message == "" || strings.ContainsAny(c.Message, "\n\r\x1b") {
				t.Fatalf("%+v", c)
			}
		}
		pages(t, d)
		if same := Compare(is, is); len(same.Changes) > 0 {
			t.Fatalf("%+v", same.Changes)
		}
	})
}
