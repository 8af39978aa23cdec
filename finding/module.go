package finding

// Module is what was found out about a WebAssembly module or component in a package, without running it. All text of
// strangers in it can be shown.
type Module struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"` // in bytes
	Form   string `json:"form"` // "module" or "component"
	Valid  bool   `json:"valid"`
	Starts bool   `json:"starts"` // a host can run it as a program
	// WASI is the version of WASI that it uses, as in "preview 1" or "0.2.3"; empty where it uses none.
	WASI    string        `json:"wasi,omitempty"`
	Imports []ImportGroup `json:"imports,omitempty"`
	Exports []string      `json:"exports,omitempty"` // the first ones
	// Grants are what the servers that run it ask the user for.
	Grants []string `json:"grants,omitempty"`
}

// ForeignImports is the group of what no host of WASI provides.
const ForeignImports = "not of WASI"

// ImportGroup is what a module imports of one part of WASI.
type ImportGroup struct {
	Group string   `json:"group"` // as in "files", "sockets", "clocks"
	Names []string `json:"names"`
}
