package diff

import "slices"

// kind is what a change is about.
type kind struct {
	name    string
	noun    string // as in "the NOUN is new"
	pattern trail  // names from the root of the manifest; "*" is any one, "**" at the end any that follow
	// added, changed and removed are the weights of what is new, other and gone.
	added, changed, removed Weight
	order                   int
}

// The kinds that are no part of the manifest, or are compared by themselves.
var (
	kindVersion = kind{name: "version"}
	kindSigner  = kind{name: "signer", order: 1}
	kindServer  = kind{name: "server", order: 2}
	kindInput   = kind{name: "input", order: 37}
	kindHost    = kind{name: "host", order: 30}
	kindCode    = kind{name: "code", order: 90}
	kindPayload = kind{name: "payload", order: 91}
	kindFile    = kind{name: "file", order: 92}
)

// kinds are those of the manifest, gravest first; the first pattern that fits counts.
var kinds = func() []kind {
	wasi, desktop, android := trail{"mcp", "servers", "*", "local", "wasi"}, trail{"mcp", "servers", "*", "local", "platforms", "desktop"}, trail{"mcp", "servers", "*", "local", "platforms", "android"}
	remote := trail{"mcp", "servers", "*", "remote"}
	inputs := trail{"mcp", "inputs", "*"}
	all := []kind{
		{"identity", "id", trail{"id"}, Grave, Grave, Grave, 0},
		{"identity", "kind", trail{"kind"}, Grave, Grave, Grave, 0},
		{"grant", "grant", wasi.with("grants", "*"), Grave, Grave, Minor, 0},
		{"grant", "capability", trail{"capabilities", "*"}, Grave, Grave, Minor, 0},
		{"command", "command", desktop.with("command"), Grave, Grave, Minor, 0},
		{"command", "component", android.with("component"), Grave, Grave, Minor, 0},
		{"command", "module", wasi.with("module"), Grave, Grave, Minor, 0},
		{"command", "module's checksum", wasi.with("checksum"), Notable, Grave, Grave, 0},
		{"command", "interpreter", trail{"script", "interpreter"}, Grave, Grave, Minor, 0},
		{"command", "command", trail{"script", "command"}, Grave, Grave, Minor, 0},
		{"command", "entry", trail{"script", "entry"}, Grave, Grave, Minor, 0},
		{"command", "entry", trail{"entry"}, Grave, Grave, Minor, 0},
		{"command", "runtime", trail{"runtime"}, Grave, Grave, Minor, 0},
		{"args", "argument list", wasi.with("args"), Grave, Grave, Grave, 0},
		{"args", "argument list", desktop.with("args"), Grave, Grave, Grave, 0},
		{"args", "argument list", android.with("args"), Grave, Grave, Grave, 0},
		{"args", "argument list", trail{"script", "args"}, Grave, Grave, Grave, 0},
		{"dependency", "dependency", trail{"script", "dependencies", "*", "*"}, Grave, Grave, Minor, 0},
		{"environment", "variable", wasi.with("env", "*"), Grave, Grave, Notable, 0},
		{"environment", "variable", desktop.with("env", "*"), Grave, Grave, Notable, 0},
		{"environment", "variable", android.with("env", "*"), Grave, Grave, Notable, 0},
		{"address", "address", remote.with("url"), Notable, Notable, Minor, 0},
		{"address", "address", wasi.with("remoteUrl"), Notable, Notable, Minor, 0},
		{"address", "address", trail{"assets", "*", "remoteUrl"}, Notable, Notable, Minor, 0},
		{"address", "start address", trail{"app", "platforms", "pwa", "startUrl"}, Notable, Notable, Minor, 0},
		{"application", "application", trail{"app", "platforms", "android", "packageId"}, Grave, Grave, Minor, 0},
		{"header", "header", remote.with("headers", "*"), Notable, Notable, Notable, 0},
		{"transport", "transport", remote.with("type"), Notable, Notable, Minor, 0},
		{"input", "password mark", inputs.with("password"), Minor, Notable, Notable, 0},
		{"input", "default", inputs.with("default"), Notable, Notable, Minor, 0},
		{"input", "field", inputs.with("**"), Minor, Minor, Minor, 0},
		{"tool", "tool", trail{"mcp", "offers", "tools", "*"}, Notable, Notable, Notable, 0},
		{"resource", "resource", trail{"mcp", "offers", "resources", "*"}, Notable, Notable, Notable, 0},
		{"prompt", "prompt", trail{"mcp", "offers", "prompts", "*"}, Notable, Notable, Notable, 0},
		{"package", "package", trail{"pack", "entries", "*", "id"}, Notable, Notable, Minor, 0},
		{"package", "version of the package", trail{"pack", "entries", "*", "version"}, Minor, Notable, Notable, 0},
		{"skill", "skill", trail{"skill", "skills", "*", "id"}, Notable, Notable, Minor, 0},
		{"contribution", "contribution", trail{"contributes", "**"}, Notable, Notable, Minor, 0},
		{"license", "license", trail{"license"}, Notable, Notable, Notable, 0},
		{"name", "name", trail{"name"}, Notable, Notable, Notable, 0},
		{"server", "field", trail{"mcp", "servers", "**"}, Notable, Notable, Minor, 0},
		{"other", "field", trail{"**"}, Minor, Minor, Minor, 0},
	}
	for i := range all {
		all[i].order = 10 + i
	}
	return all
}()

// kindOf returns the kind of a change at a place of the manifest.
func kindOf(p trail) kind {
	for _, k := range kinds {
		if k.pattern.fits(p) {
			return k
		}
	}
	panic("diff: the last pattern fits everything")
}

// trail is a place in a manifest, by the names of members and the keys of elements.
type trail []string

// with returns the trail with more steps, in memory of its own.
func (p trail) with(steps ...string) trail { return append(slices.Clip(p), steps...) }

func (p trail) last() string { return p[len(p)-1] }

// isOpen reports whether the kind is that of places which are not known by name.
func (k kind) isOpen() bool { return k.pattern.last() == "**" }

// fits reports whether a pattern fits a place.
func (pattern trail) fits(p trail) bool {
	for i, step := range pattern {
		switch {
		case step == "**":
			return true
		case i >= len(p) || step != "*" && step != p[i]:
			return false
		}
	}
	return len(pattern) == len(p)
}
