package check

import (
	"regexp"
	"sync"

	"github.com/azphalt/submissions/internal/source"
)

// quote puts a name from a package into a message.
func quote(s string) string { return source.Quote(s) }

// lazily compiles a pattern when it is first needed: most packages need none, and compiling them all would be a good part
// of the time that a short run takes.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
