// Package wasm reads WebAssembly modules and components without running them: whether they are any, whether they validate,
// what they import and export, and what of WASI that makes them use.
//
// Modules are validated as the WebAssembly specification 2.0 says, with threads, tail calls, exceptions, several memories,
// 64-bit addresses, extended constants and relaxed SIMD on top (its appendix "Validation Algorithm" is what body.go
// follows). They are read as a stream, and the memory that takes is bounded, whatever their size: no library is known that
// validates without compiling, which needs many times the module's size.
package wasm

import (
	"fmt"
	"io"
	"strings"
)

// Kind says what a file is.
type Kind string

// The kinds.
const (
	Core      Kind = "module"    // a core module, what most compilers for WASI preview 1 write
	Component Kind = "component" // a component of the component model, which WASI 0.2 and later are made of
	Other     Kind = ""          // no WebAssembly
)

// Module is what was found out about a file.
type Module struct {
	Kind Kind
	Size int64
	// Looks says what a file that is no WebAssembly looks like, as in "a web page"; "" where nothing can be said.
	Looks string
	// Fault is why a module or component can't be loaded; nil where nothing is wrong. What was read before it is still
	// there.
	Fault *Fault
	// Unchecked says what is used in the module that this package does not know, so that it could not be validated beyond
	// that; "" where it was validated as a whole.
	Unchecked string
	Imports   []Import
	Exports   []string // the first maxExports of the names
	// Tables is how many elements the tables have at first; TablesGrow says that functions can make them larger.
	Tables     uint64
	TablesGrow bool
	// Starts says that a host can run it as a program: a module that exports the function _start, a component that exports
	// wasi:cli/run.
	Starts bool
}

// Fault is a fault of a module and where it was found.
type Fault struct {
	Offset int64 // in bytes from the start of the file
	Reason string
}

func (f *Fault) Error() string { return fmt.Sprintf("at byte %d: %s", f.Offset, f.Reason) }

// Import is something that a module needs from its host.
type Import struct {
	Module string // "" for a component
	Name   string // for a component the name of the interface
	Use           // of WASI
}

// String returns the import's name as error messages of hosts spell it.
func (i Import) String() string {
	if i.Module == "" {
		return i.Name
	}
	return i.Module + "." + i.Name
}

// maxExports bounds the names of exports that are kept.
const maxExports = 1000

// What every binary starts with: the magic number, the version, and what used to be its upper half, the layer.
const (
	magic             = "\x00asm"
	corePreamble      = magic + "\x01\x00\x00\x00"
	componentPreamble = magic + "\x0d\x00\x01\x00"
)

// Read reads a module or component to its end. Faults of what is read are in the Module; the error is about reading alone.
func Read(src io.Reader) (*Module, error) {
	m := &Module{}
	r := newReader(src)
	switch preamble := string(r.peek(len(corePreamble))); {
	case preamble == corePreamble:
		m.Kind = Core
		r.skip(int64(len(preamble)))
		newCore(r, m).sections()
	case preamble == componentPreamble:
		m.Kind = Component
		r.skip(int64(len(preamble)))
		c := component{r, m}
		c.sections(0)
	case strings.HasPrefix(preamble, magic):
		m.Kind = Core
		r.fail("the version of the format is none that hosts know")
	default:
		m.Looks = looks(r.peek(headSize))
	}
	if err := r.drain(); err != nil {
		return nil, err
	}
	m.Size, m.Fault, m.Unchecked = r.offset(), r.fault, r.unknown
	return m, nil
}
