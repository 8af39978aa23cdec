// Package lazyregexp puts off the compiling of patterns until they are first needed: most runs need few of them, and
// compiling them all would be a good part of the time that a short run takes.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the pattern when it is first called. It panics then if the pattern is wrong.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
