package check

import "github.com/azphalt/submissions/internal/source"

// quote puts a name from a package into a message.
func quote(s string) string { return source.Quote(s) }

// plural puts a number of things into a message.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
