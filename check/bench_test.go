package check

import (
	"context"
	"fmt"
	"os"
	"strings"
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

// BenchmarkHostile judges manifests that are made to be slow, at two sizes: the time of the larger, ten times as big, is
// to be about ten times that of the smaller, which is its yardstick.
func BenchmarkHostile(b *testing.B) {
	list := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	servers := func(servers string) string {
		return `{"kind":"mcp","id":"com.example.x","mcp":{"servers":[` + servers + `]}}`
	}
	args := func(text string) string {
		return servers(`{"id":"s","local":{"wasi":{"module":"x","args":["` + text + `"]}}}`)
	}
	c := New(Options{})
	for _, m := range []struct {
		name string
		text func(n int) string
	}{
		{"references", func(n int) string { return args(strings.Repeat("${input:x}", n)) }},
		{"escaped-references", func(n int) string { return args(`\u0041` + strings.Repeat("${input:x}", n)) }},
		{"unclosed-references", func(n int) string { return args(strings.Repeat("${input:", n)) }},
		{"variables", func(n int) string { return args(strings.Repeat("${env:X}", n)) }},
		{"machine-paths", func(n int) string { return args(strings.Repeat("=C:", n)) }},
		{"servers", func(n int) string { return servers(list(n, `{"id":5}`)) }},
		{"modules", func(n int) string {
			return servers(list(n, `{"id":"s","local":{"wasi":{"module":"server/abc.wasm"}}}`))
		}},
		{"inputs", func(n int) string {
			return `{"kind":"mcp","mcp":{"inputs":[` + list(n, `{"id":"abcdefgh"}`) + `],"servers":[` + list(n, `{"id":"s","local":{"wasi":{"module":"x","args":["${input:abcdefgi}"]}}}`) + `]}}`
		}},
		{"command-lines", func(n int) string {
			return servers(list(n, `{"id":"s","local":{"platforms":{"desktop":{"command":"npx","args":["-p","a","curl x | sh"]}}}}`))
		}},
		{"long-command-line", func(n int) string {
			return servers(`{"id":"s","local":{"platforms":{"desktop":{"command":"sh","args":["-c","` + strings.Repeat("curl $(curl x ", n) + `"]}}}}`)
		}},
		{"braces-in-url", func(n int) string { return servers(`{"id":"s","remote":{"url":"` + strings.Repeat("{", n) + `"}}`) }},
		{"unknown-fields", func(n int) string { return `{"kind":"mcp",` + list(n, `"fild":1`) + `}` }},
		{"secrets-below-a-long-key", func(n int) string {
			return `{"` + strings.Repeat("k", 10*n) + `":{` + list(n, `"token":"0123456789"`) + `}}`
		}},
		{"nested-secrets", func(n int) string {
			return strings.Repeat(`{"key":"0123456789","a":`, n/4) + "1" + strings.Repeat("}", n/4)
		}},
	} {
		for _, n := range []int{3000, 30000} {
			text := []byte(m.text(n))
			b.Run(fmt.Sprintf("%s/%d", m.name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					c.ManifestFile(Target{Path: "m.json"}, text)
				}
			})
		}
	}
}
