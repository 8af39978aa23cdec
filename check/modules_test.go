package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/wat"
)

const (
	pathOpen   = `(import "wasi_snapshot_preview1" "path_open" (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))`
	unlinkFile = `(import "wasi_snapshot_preview1" "path_unlink_file" (func (param i32 i32 i32) (result i32)))`
	sockSend   = `(import "wasi_snapshot_preview1" "sock_send" (func (param i32 i32 i32 i32 i32) (result i32)))`
	environGet = `(import "wasi_snapshot_preview1" "environ_get" (func (param i32 i32) (result i32)))`
	abort      = `(import "env" "abort" (func))`
)

// moduleManifest is the manifest of a server with one module.
func moduleManifest(wasi string) string {
	return `{"azphalt":"0.1","id":"com.example.notes","name":"Notes","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1",` +
		`"mcp":{"servers":[{"id":"notes","local":{"wasi":{"module":"server/notes.wasm"` + wasi + `}}}]}}`
}

// judgeServerFolder judges a source folder with a module.
func judgeServerFolder(t *testing.T, manifest string, module []byte) finding.Package {
	t.Helper()
	folder := fstest.MapFS{
		"manifest.json": {Data: []byte(manifest)}, "LICENSE": {Data: []byte("MIT License\n")}, "server/notes.wasm": {Data: module},
	}
	p, err := New(Options{}).Source(context.Background(), Target{Path: "notes", Shape: finding.Source}, folder)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func program(t *testing.T, imports ...string) []byte {
	t.Helper()
	code, err := wat.Assemble("(module " + strings.Join(imports, " ") + ` (func (export "_start")))`)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func ruleIDs(p finding.Package) (out []string) {
	for _, f := range p.Findings {
		out = append(out, f.Rule)
	}
	return out
}

// What a module can do and what its server asks for agree, or there is a warning; and the fixes make them agree.
func TestModulesAndGrants(t *testing.T) {
	for _, c := range []struct {
		imports []string
		wasi    string
		want    []string
	}{
		{nil, ``, nil},
		{nil, `,"grants":[]`, nil},
		{[]string{environGet}, ``, nil}, // every program of some compilers reads it
		{[]string{environGet}, `,"grants":["env"]`, nil},
		{nil, `,"grants":["env"]`, []string{"wasm/grant-unused"}},
		{nil, `,"grants":["exec"]`, []string{"wasm/grant-unused"}},
		{nil, `,"grants":["fs:read","fs:write","net"]`, []string{"wasm/grant-unused", "wasm/grant-unused", "wasm/grant-unused"}},
		{nil, `,"grants":["gpu"]`, []string{"mcp/grant-unknown"}},
		{[]string{abort}, `,"grants":["exec","net"]`, []string{"wasm/import-unknown"}}, // by which it may do anything
		{[]string{sockSend}, `,"grants":["net"]`, nil},
		{[]string{sockSend}, `,"grants":[]`, []string{"wasm/net-ungranted"}},
		{[]string{pathOpen}, `,"grants":["fs:read"]`, nil},
		{[]string{pathOpen}, `,"grants":["fs:write"]`, nil},
		{[]string{pathOpen}, ``, []string{"wasm/files-ungranted"}},
		{[]string{pathOpen, unlinkFile}, `,"grants":["fs:read"]`, []string{"wasm/files-ungranted"}},
		{[]string{pathOpen, unlinkFile}, `,"grants":["fs:read","fs:write"]`, nil},
		{[]string{pathOpen, sockSend}, `,"grants":[]`, []string{"wasm/files-ungranted", "wasm/net-ungranted"}},
	} {
		module := program(t, c.imports...)
		p := judgeServerFolder(t, moduleManifest(c.wasi), module)
		if got := ruleIDs(p); !slices.Equal(got, c.want) {
			t.Errorf("%q with %q: %q, want %q", c.imports, c.wasi, got, c.want)
			continue
		}
		if len(p.Findings) == 1 && (strings.HasSuffix(c.want[0], "-ungranted") || c.want[0] == "wasm/grant-unused") {
			mended := applyEdits(moduleManifest(c.wasi), p.Findings[0].Fix.Edits)
			if left := ruleIDs(judgeServerFolder(t, mended, module)); len(left) > 0 {
				t.Errorf("%s\nstill has %v", mended, left)
			}
		}
	}
}

// applyEdits applies edits of a text of one line.
func applyEdits(text string, edits []finding.Edit) string {
	for _, e := range slices.Backward(edits) {
		text = text[:e.Column-1] + e.Text + text[e.EndColumn-1:]
	}
	return text
}

// A module that can't be loaded has one finding, which says why; nothing is made of what it seems to import.
func TestModulesThatCannotBeLoaded(t *testing.T) {
	good := program(t, sockSend)
	for name, c := range map[string]struct {
		module []byte
		want   string
	}{
		"a web page":          {[]byte("<!doctype html><title>404</title>"), "wasm/not-wasm"},
		"an empty file":       {nil, "wasm/not-wasm"},
		"a native program":    {[]byte("\x7fELF\x02\x01\x01"), "wasm/not-wasm"},
		"a pointer":           {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\n"), "azp/git-lfs-pointer"},
		"a part of a module":  {good[:len(good)-2], "wasm/invalid"},
		"an old version":      {[]byte("\x00asm\x0d\x00\x00\x00"), "wasm/invalid"},
		"converted line ends": {bytes.ReplaceAll(program(t, `(import "env" "a\nb" (func))`), []byte("\n"), []byte("\r\n")), "wasm/invalid"},
	} {
		if got := ruleIDs(judgeServerFolder(t, moduleManifest(`,"grants":["fs:read"]`), c.module)); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
	}
}

// Every package's files are looked at, those of extensions too; what they import is between them and the editor.
func TestModulesOfOtherKinds(t *testing.T) {
	const manifest = `{"azphalt":"0.1","id":"com.example.blur","name":"Blur","version":"1.0.0","kind":"code","license":"MIT","compat":">=0.1","entry":"code/blur.wasm"}`
	judge := func(module string) []string {
		folder := fstest.MapFS{"manifest.json": {Data: []byte(manifest)}, "LICENSE": {Data: []byte("MIT\n")}, "code/blur.wasm": {Data: []byte(module)}}
		p, err := New(Options{}).Source(context.Background(), Target{Path: "blur", Shape: finding.Source}, folder)
		if err != nil {
			t.Fatal(err)
		}
		return ruleIDs(p)
	}
	if got := judge("not a module"); !slices.Equal(got, []string{"wasm/not-wasm"}) {
		t.Errorf("got %q", got)
	}
	if got := judge(string(program(t, abort))); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// The report says what a module is, with nothing in it that can't be shown.
func TestModulesAreDescribed(t *testing.T) {
	module := program(t, pathOpen, sockSend, "(import \"env\" \"evil\u202e\" (func))")
	p := judgeServerFolder(t, moduleManifest(`,"grants":["net","fs:read"]`), module)
	got, err := json.Marshal(p.Modules)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`[{"path":"server/notes.wasm","size":%d,"form":"module","valid":true,"starts":true,"wasi":"preview 1","imports":[`+
		`{"group":"files","names":["path_open"]},{"group":"not of WASI","names":["env.evil\\u202e"]},{"group":"sockets","names":["sock_send"]}],`+
		`"exports":["_start"],"grants":["net","fs:read"]}]`, len(module))
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Many servers with one module of many imports take no longer than each of the two alone.
func TestModulesOfManyServers(t *testing.T) {
	var imports []string
	for i := range 10_000 {
		imports = append(imports, fmt.Sprintf(`(import "env" "f%d" (func))`, i))
	}
	servers := strings.Repeat(`{"id":"a","local":{"wasi":{"module":"server/notes.wasm"}}},`, 5000)
	manifest := strings.Replace(moduleManifest(``), `"servers":[`, `"servers":[`+servers, 1)
	p := judgeServerFolder(t, manifest, program(t, imports...))
	if n := len(p.Findings); n < 5001 || len(p.Modules) != 1 {
		t.Errorf("%d findings", n)
	}
}
