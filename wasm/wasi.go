package wasm

import "strings"

// Use is what an import means in WASI.
type Use struct {
	Group Group
	// Access is what the function or interface lets the module do to what is not its own.
	Access Access
	// Version is that of WASI, as in "preview 1" or "0.2.3"; "" for what is not WASI.
	Version string
	// Mistyped says that WASI has a function of that name, with another type.
	Mistyped bool
}

// Provided reports whether hosts of WASI provide the import.
func (u Use) Provided() bool { return u.Group != Unknown && !u.Mistyped }

// Group is what a part of WASI is about.
type Group string

// The groups.
const (
	Unknown     Group = "" // no part of WASI
	Arguments   Group = "arguments"
	Environment Group = "environment"
	Clocks      Group = "clocks"
	Random      Group = "random"
	Streams     Group = "streams"
	Files       Group = "files"
	Sockets     Group = "sockets"
	HTTP        Group = "http"
	Process     Group = "process"
)

// Access is a set of what needs the user's grant.
type Access uint8

// The kinds of access.
const (
	ReadFiles Access = 1 << iota
	WriteFiles
	Network
	ReadEnvironment
)

const (
	preview1 = "wasi_snapshot_preview1"
	// Preview1 is the version of WASI that core modules use.
	Preview1 = "preview 1"
)

// function is a function of WASI preview 1.
type function struct {
	group  Group
	access Access
	params string // in letters of signatures
}

// functions are those of WASI preview 1 (its document wasi_snapshot_preview1.witx). Each gives an error number, but for
// proc_exit. What works on open files alone needs no access of its own: without those that open them there are none but the
// standard streams.
var functions = map[string]function{
	"args_get": {Arguments, 0, "ii"}, "args_sizes_get": {Arguments, 0, "ii"},
	"environ_get": {Environment, ReadEnvironment, "ii"}, "environ_sizes_get": {Environment, ReadEnvironment, "ii"},
	"clock_res_get": {Clocks, 0, "ii"}, "clock_time_get": {Clocks, 0, "ili"}, "poll_oneoff": {Clocks, 0, "iiii"},
	"random_get": {Random, 0, "ii"},
	"proc_exit":  {Process, 0, "i"}, "proc_raise": {Process, 0, "i"}, "sched_yield": {Process, 0, ""},

	"fd_advise": {Streams, 0, "illi"}, "fd_allocate": {Streams, 0, "ill"}, "fd_close": {Streams, 0, "i"},
	"fd_datasync": {Streams, 0, "i"}, "fd_fdstat_get": {Streams, 0, "ii"}, "fd_fdstat_set_flags": {Streams, 0, "ii"},
	"fd_fdstat_set_rights": {Streams, 0, "ill"}, "fd_filestat_get": {Streams, 0, "ii"},
	"fd_filestat_set_size": {Streams, 0, "il"}, "fd_filestat_set_times": {Streams, 0, "illi"}, "fd_pread": {Streams, 0, "iiili"},
	"fd_prestat_get": {Streams, 0, "ii"}, "fd_prestat_dir_name": {Streams, 0, "iii"}, "fd_pwrite": {Streams, 0, "iiili"},
	"fd_read": {Streams, 0, "iiii"}, "fd_renumber": {Streams, 0, "ii"}, "fd_seek": {Streams, 0, "ilii"}, "fd_sync": {Streams, 0, "i"},
	"fd_tell": {Streams, 0, "ii"}, "fd_write": {Streams, 0, "iiii"},

	"fd_readdir": {Files, ReadFiles, "iiili"}, "path_filestat_get": {Files, ReadFiles, "iiiii"}, "path_readlink": {Files, ReadFiles, "iiiiii"},
	"path_open": {Files, ReadFiles | WriteFiles, "iiiiillii"}, "path_create_directory": {Files, WriteFiles, "iii"},
	"path_filestat_set_times": {Files, WriteFiles, "iiiilli"}, "path_link": {Files, WriteFiles, "iiiiiii"},
	"path_remove_directory": {Files, WriteFiles, "iii"}, "path_rename": {Files, WriteFiles, "iiiiii"},
	"path_symlink": {Files, WriteFiles, "iiiii"}, "path_unlink_file": {Files, WriteFiles, "iii"},

	"sock_accept": {Sockets, Network, "iii"}, "sock_recv": {Sockets, Network, "iiiiii"}, "sock_send": {Sockets, Network, "iiiii"},
	"sock_shutdown": {Sockets, Network, "ii"},
}

// preview1Use says what a function that a module imports means.
func preview1Use(module, name string, t funcType) Use {
	f, ok := functions[name]
	if module != preview1 || !ok {
		return Use{}
	}
	results := typesOf("i", i32)
	if name == "proc_exit" {
		results = ""
	}
	want := funcType{typesOf(f.params, i32), results}
	return Use{Group: f.group, Access: f.access, Version: Preview1, Mistyped: t != want}
}

// interfaces are the packages of WASI 0.2 and later with their parts, "" standing for those that are not named.
var interfaces = map[string]map[string]Use{
	"cli": {
		"": {Group: Streams}, "environment": {Group: Environment, Access: ReadEnvironment}, "exit": {Group: Process}, "run": {Group: Process},
	},
	"clocks":     {"": {Group: Clocks}},
	"filesystem": {"": {Group: Files, Access: ReadFiles | WriteFiles}},
	"http":       {"": {Group: HTTP, Access: Network}},
	"io":         {"": {Group: Streams}, "poll": {Group: Clocks}},
	"random":     {"": {Group: Random}},
	"sockets":    {"": {Group: Sockets, Access: Network}},
}

// interfaceUse says what an interface that a component imports means: wasi:PACKAGE/INTERFACE@VERSION.
func interfaceUse(name string) Use {
	rest, ok := strings.CutPrefix(name, "wasi:")
	rest, version, versioned := strings.Cut(rest, "@")
	pkg, part, whole := strings.Cut(rest, "/")
	parts := interfaces[pkg]
	if !ok || !versioned || !whole || parts == nil {
		return Use{}
	}
	use, named := parts[part]
	if !named {
		use = parts[""]
	}
	use.Version = version
	return use
}

// LFSPointer is what a pointer of Git LFS looks like.
const LFSPointer = "a Git LFS pointer"

// headSize is how much of a file is looked at to say what it is.
const headSize = 512

// looks says what a file that is no WebAssembly looks like.
func looks(head []byte) string {
	text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(head), "\ufeff")))
	for _, sign := range []struct{ prefix, what string }{
		{"<!doctype html", "a web page"}, {"<html", "a web page"}, {"<head", "a web page"}, {"<?xml", "an XML document"},
		{"(module", "WebAssembly's text format, which has to be assembled"}, {"(component", "WebAssembly's text format, which has to be assembled"},
		{"version https://git-lfs.github.com/spec/v1\n", LFSPointer}, {"{", "JSON"},
	} {
		if strings.HasPrefix(text, sign.prefix) {
			return sign.what
		}
	}
	for _, sign := range []struct{ prefix, what string }{
		{"\x1f\x8b", "a file compressed with gzip"}, {"PK\x03\x04", "a ZIP archive"}, {"\x28\xb5\x2f\xfd", "a file compressed with Zstandard"},
		{"\x7fELF", "a program for Linux"}, {"MZ", "a program for Windows"}, {"\xcf\xfa\xed\xfe", "a program for macOS"},
		{"\xca\xfe\xba\xbe", "a program for macOS or Java"}, {"#!", "a script"},
	} {
		if strings.HasPrefix(string(head), sign.prefix) {
			return sign.what
		}
	}
	switch {
	case len(head) == 0:
		return "an empty file"
	case isText(head):
		return "text"
	default:
		return ""
	}
}

// isText reports whether the start of a file is plain text.
func isText(head []byte) bool {
	for _, b := range head {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return strings.ToValidUTF8(string(head[:max(0, len(head)-3)]), "") == string(head[:max(0, len(head)-3)])
}
