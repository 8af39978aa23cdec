package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/azphalt/submissions/internal/wat"
)

func assemble(t testing.TB, text string) []byte {
	t.Helper()
	code, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func read(t testing.TB, data []byte) *Module {
	t.Helper()
	m, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if m.Size != int64(len(data)) {
		t.Errorf("size %d, want %d", m.Size, len(data))
	}
	return m
}

// The functions of WASI preview 1 are those of a host, with its types.
func TestFunctionsAreThoseOfAHost(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	host, err := wasi_snapshot_preview1.NewBuilder(r).Compile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range host.ExportedFunctions() {
		use := preview1Use(preview1, name, funcType{string(f.ParamTypes()), string(f.ResultTypes())})
		if !use.Provided() || use.Version != Preview1 {
			t.Errorf("%s%v%v: %+v", name, f.ParamTypes(), f.ResultTypes(), use)
		}
	}
	if n := len(host.ExportedFunctions()); n != len(functions) {
		t.Errorf("%d functions, the host has %d", len(functions), n)
	}
}

// Real programs, by five compilers: what they say of themselves.
func TestRealModules(t *testing.T) {
	host := filepath.Join(specDir(t), "..", "..", "..", "imports", "wasi_snapshot_preview1", "testdata")
	for name, want := range map[string]Access{
		"tinygo/wasi.wasm":     ReadFiles | WriteFiles,
		"cargo-wasi/wasi.wasm": ReadFiles | WriteFiles | Network | ReadEnvironment,
		"zig/wasi.wasm":        ReadFiles | WriteFiles,
		"zig-cc/wasi.wasm":     ReadFiles | WriteFiles | Network,
		"print_args.wasm":      0,
	} {
		data, err := os.ReadFile(filepath.Join(host, name))
		if err != nil {
			t.Fatal(err)
		}
		isGood(t, name, read(t, data), want)
	}
	isGood(t, "Go", read(t, goModule(t)), ReadEnvironment)
}

func isGood(t *testing.T, name string, m *Module, want Access) {
	t.Helper()
	var access Access
	for _, i := range m.Imports {
		if !i.Provided() {
			t.Errorf("%s: %v is not provided", name, i)
		}
		access |= i.Access
	}
	if m.Kind != Core || m.Fault != nil || m.Unchecked != "" || !m.Starts || access != want {
		t.Errorf("%s: %s, %v, %q, starts %v, access %b, want %b", name, m.Kind, m.Fault, m.Unchecked, m.Starts, access, want)
	}
}

func TestImportsAreTold(t *testing.T) {
	m := read(t, assemble(t, `(module
	  (import "wasi_snapshot_preview1" "sock_send" (func (param i32 i32 i32 i32 i32) (result i32)))
	  (import "wasi_snapshot_preview1" "fd_write" (func (param i32) (result i32)))
	  (import "wasi_snapshot_preview1" "sock_open" (func (param i32) (result i32)))
	  (import "wasi_unstable" "fd_close" (func (param i32) (result i32)))
	  (import "env" "abort" (func))
	  (func (export "_start") (param i32)))`))
	var got []string
	for _, i := range m.Imports {
		word := i.String() + " " + string(i.Group)
		if !i.Provided() {
			word += " not provided"
		}
		if i.Mistyped {
			word += ", mistyped"
		}
		got = append(got, word)
	}
	want := []string{
		"wasi_snapshot_preview1.sock_send sockets", "wasi_snapshot_preview1.fd_write streams not provided, mistyped",
		"wasi_snapshot_preview1.sock_open  not provided", "wasi_unstable.fd_close  not provided", "env.abort  not provided",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if m.Starts {
		t.Error("a _start that takes something starts nothing")
	}
}

func TestFaults(t *testing.T) {
	good := assemble(t, `(module (memory (export "memory") 1) (func (export "_start")))`)
	for name, c := range map[string]struct {
		data   []byte
		reason string
	}{
		"magic number alone": {good[:4], "the version of the format is none that hosts know"},
		"cut in a section":   {good[:len(good)-1], "the end comes too early"},
		"cut in a header":    {good[:9], "the end comes too early"},
		"no bodies":          {good[:len(good)-6], "functions have no body"},
		"later version":      {append([]byte(magic+"\x02\x00\x00\x00"), good[8:]...), "the version of the format is none that hosts know"},
		"bytes after it":     {append(slices.Clone(good), 99, 0), "a section is of an unknown kind"},
		"section twice":      {append(slices.Clone(good), sectionMemory, 3, 1, 0, 1), "a section stands twice, or in the wrong order"},
		"value left over":    {assemble(t, `(module (func i32.const 1))`), "values are left over at the end of a block"},
		"operand missing":    {assemble(t, `(module (func drop))`), "an instruction lacks an operand"},
		"exported twice":     {assemble(t, `(module (func (export "a") (export "a")))`), "a name is exported twice"},
		"huge list":          {[]byte(corePreamble + "\x01\x05\xff\xff\xff\xff\x0f"), "a list is longer than what surrounds it"},
		"huge name":          {[]byte(corePreamble + "\x00\x05\xff\xff\xff\xff\x0f"), "a name is longer than what surrounds it"},
		"huge section":       {[]byte(corePreamble + "\x00\xff\xff\xff\xff\x0f"), "the end comes too early"},
		"name not UTF-8":     {[]byte(corePreamble + "\x00\x02\x01\xff"), "a name is not UTF-8"},
	} {
		m := read(t, c.data)
		if m.Fault == nil || m.Fault.Reason != c.reason {
			t.Errorf("%s: %v, want %s", name, m.Fault, c.reason)
		}
	}
}

func TestWhatIsNotKnownIsSaid(t *testing.T) {
	structType := []byte(corePreamble + "\x01\x03\x01\x5f\x00")
	if m := read(t, structType); m.Fault != nil || m.Unchecked != unknownGC {
		t.Errorf("%v, %q", m.Fault, m.Unchecked)
	}
}

func TestWhatItLooksLike(t *testing.T) {
	for data, want := range map[string]string{
		"<!DOCTYPE html><title>404": "a web page", "\n <html>": "a web page", "": "an empty file", "not a module\n": "text", `{"error": 1}`: "JSON",
		"(module)": "WebAssembly's text format, which has to be assembled", "\x7fELF\x02": "a program for Linux", "\x1f\x8b\x08": "a file compressed with gzip",
		"version https://git-lfs.github.com/spec/v1\noid": "a Git LFS pointer", "\x00\x01\x02\x03": "",
	} {
		if m := read(t, []byte(data)); m.Kind != Other || m.Looks != want || m.Fault != nil {
			t.Errorf("%q: %q, %q, want %q", data, m.Kind, m.Looks, want)
		}
	}
}

// section returns a section, or any other part that its size precedes.
func section(id byte, data ...[]byte) []byte {
	all := slices.Concat(data...)
	return append(binary.AppendUvarint([]byte{id}, uint64(len(all))), all...)
}

func sized(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

func TestComponents(t *testing.T) {
	module := assemble(t, `(module (func (export "_start")))`)
	imports := section(sectionComponentImport, []byte{3},
		[]byte{0}, sized("wasi:cli/environment@0.2.3"), []byte{5, 0},
		[]byte{1}, sized("wasi:sockets/tcp@0.2.3"), []byte{5, 1},
		[]byte{0}, sized("acme:billing/api@1.0.0"), []byte{1, 2})
	exports := section(sectionComponentExport, []byte{1}, []byte{0}, sized("wasi:cli/run@0.2.3"), []byte{5, 3, 0})
	nested := section(sectionComponent, []byte(componentPreamble), section(sectionComponentImport, []byte{1}, []byte{0}, sized("inner"), []byte{4, 0}))
	whole := slices.Concat([]byte(componentPreamble), imports, section(sectionCoreModule, module), nested, section(7, []byte{0}), exports)

	m := read(t, whole)
	if m.Kind != Component || m.Fault != nil || !m.Starts || len(m.Imports) != 3 || !slices.Equal(m.Exports, []string{"wasi:cli/run@0.2.3"}) {
		t.Fatalf("%+v", m)
	}
	if i := m.Imports[0]; i.Group != Environment || i.Version != "0.2.3" || i.Access != ReadEnvironment || i.String() != "wasi:cli/environment@0.2.3" {
		t.Errorf("%+v", i)
	}
	if i := m.Imports[1]; i.Group != Sockets || i.Access != Network {
		t.Errorf("%+v", i)
	}
	if i := m.Imports[2]; i.Provided() {
		t.Errorf("%+v", i)
	}
	broken := assemble(t, `(module (func i32.const 1))`)
	if m := read(t, slices.Concat([]byte(componentPreamble), section(sectionCoreModule, broken))); m.Fault == nil {
		t.Error("a component with an invalid module in it is valid")
	}
	if m := read(t, slices.Concat([]byte(componentPreamble), section(sectionCoreModule, []byte("nothing")))); m.Fault == nil {
		t.Error("a component with no module where one belongs is valid")
	}
}

// A fault of reading is no fault of the module.
func TestReadingErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{0, 4, 8, 20, 40} {
		module := assemble(t, `(module (memory (export "memory") 1) (func (export "_start")))`)
		src := &failing{bytes.NewReader(module[:min(n, len(module))]), broken}
		if _, err := Read(src); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if m, err := Read(iotest.OneByteReader(bytes.NewReader(assemble(t, `(module (func (export "_start")))`)))); err != nil || !m.Starts {
		t.Error(m, err)
	}
}

// failing ends with an error in place of the end.
type failing struct {
	*bytes.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil {
		return n, f.err
	}
	return n, nil
}

func FuzzRead(f *testing.F) {
	f.Add(assemble(f, `(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) (memory (export "memory") 1) (func (export "_start") i32.const 0 call 0))`))
	f.Add(slices.Concat([]byte(componentPreamble), section(sectionCoreModule, []byte(corePreamble)), section(sectionComponentImport, []byte{1}, []byte{0}, sized("wasi:io/poll@0.2.0"), []byte{5, 0})))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(bytes.NewReader(data))
		if err != nil || m.Size != int64(len(data)) {
			t.Fatal(m, err)
		}
		if m.Fault != nil && (m.Fault.Offset < 0 || m.Fault.Offset > m.Size) {
			t.Errorf("the fault is at %d of %d", m.Fault.Offset, m.Size)
		}
	})
}
