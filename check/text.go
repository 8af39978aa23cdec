package check

import "github.com/azphalt/submissions/internal/source"

// quote puts a name from a package into a message.
func quote(s string) string { return source.Quote(s) }
