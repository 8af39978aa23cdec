package check

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/labelled"
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
		{"long-value", func(n int) string { return args(strings.Repeat("token: x; ", n)) }},
		{"arguments", func(n int) string {
			return servers(`{"id":"s","local":{"wasi":{"module":"x","args":[` + list(n, `"--token","0123456789"`) + `]}}}`)
		}},
		{"arguments-with-secrets", func(n int) string {
			return servers(`{"id":"s","local":{"wasi":{"module":"x","args":[` + list(n, `"--password=Kx9vL27q"`) + `]}}}`)
		}},
		{"deep-json-in-a-value", func(n int) string {
			return args(strings.Repeat(`{\"a\":`, n) + `{\"password\":\"Kx9vL27q\"}` + strings.Repeat("}", n))
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

// BenchmarkSecrets judges 5,000 manifests with 20 values each, with the rules about what values look like and without
// them, which is the yardstick: the whole is to take less than ten times that. The values are those of an ordinary
// manifest, and of the table of labels, of which a third are secrets.
func BenchmarkSecrets(b *testing.B) {
	values, err := labelled.Values(1)
	if err != nil {
		b.Fatal(err)
	}
	var ordinary, mixed [][]byte
	for i := range 5000 {
		env := map[string]string{}
		for k := range 20 {
			v := values[(20*i+k)%len(values)]
			env[fmt.Sprint(v.Name, k)] = v.Text
		}
		mixed = append(mixed, withEnv(b, env))
		ordinary = append(ordinary, withEnv(b, map[string]string{
			"LOG_LEVEL": "debug", "AWS_REGION": "eu-central-1", "API_URL": "https://api.example.com/v1", "MODEL": "claude-3-7-sonnet-20250219",
			"API_TOKEN": "${input:token}", "DATA_DIR": "/var/lib/app", "MAX_TOKENS": "4096", "PORT": "8080", "PROJECT": "acme-prod-123456",
			"DEBUG": "false", "TIMEOUT": "30", "FEATURES": "docs,account", "HOST": "localhost", "MODE": "stdio", "CACHE": "redis://localhost:6379/0",
			"COMMIT": "9fceb02c0ffee8b1d2a7c1e5f3a4b5c6d7e8f901", "TENANT": "5b3bd3a1-71a2-4f27-a1b9-0d1f2e3c4b5a", "LANG": "en_US.UTF-8",
			"HEADERS": `{"Accept":"application/json"}`, "RUN": fmt.Sprint(i),
		}))
	}
	c := New(Options{})
	for name, manifests := range map[string][][]byte{"ordinary": ordinary, "mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, text := range manifests {
					c.ManifestFile(Target{Path: "m.json"}, text)
				}
			}
		})
		b.Run(name+"-without", func(b *testing.B) {
			for b.Loop() {
				for _, text := range manifests {
					withoutLooks(c, text)
				}
			}
		})
	}
}

// withEnv is a manifest whose server has an environment.
func withEnv(b *testing.B, env map[string]string) []byte {
	text, err := json.Marshal(env)
	if err != nil {
		b.Fatal(err)
	}
	return []byte(`{"azphalt":"0.1","id":"com.example.x","name":"X","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1","mcp":{` +
		`"inputs":[{"id":"token","type":"promptString","password":true}],"servers":[{"id":"s","local":{"platforms":{"desktop":` +
		`{"command":"srv","env":` + string(text) + `}}}}]}}`)
}

// withoutLooks is ManifestFile without the rules about what values look like.
func withoutLooks(c *Checker, text []byte) {
	rep := newReporter(c, "m.json", "m.json")
	doc, _ := azp.ParseManifest(text, c.limits)
	m := newManifest(rep, doc)
	m.listManifestFiles()
	m.judgeMCP()
	m.judgeCapabilities()
	m.serverBlock().judgeStarts()
	m.serverBlock().judgeInputUse()
	m.judgeShape()
	rep.findings()
}
