// Package build knows which version of the program this is.
package build

import (
	"cmp"
	"runtime/debug"
	"sync"
)

// version is set by the linker for a release: -ldflags "-X github.com/azphalt/submissions/internal/build.version=1.2.3".
var version string

// Version returns the program's version: that of the release, of the module, or "devel".
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if version != "" || !ok || info.Main.Version == "(devel)" {
		return cmp.Or(version, "devel")
	}
	return cmp.Or(info.Main.Version, "devel")
})
