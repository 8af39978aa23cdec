package check

import (
	"context"
	"os"
	"testing"
)

// BenchmarkRegistry judges the registry's real packages, as one run of the command does.
func BenchmarkRegistry(b *testing.B) {
	const dir = "../../shared/vectors"
	tree := os.DirFS(dir)
	c := New(Options{})
	targets, err := c.Discover(tree, "azp-registry", "azp-registry")
	if err != nil {
		b.Skip("the registry's real packages are not here: they are not part of this repository")
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range targets {
			if _, err := c.Judge(context.Background(), tree, t); err != nil {
				b.Fatal(err)
			}
		}
	}
}
