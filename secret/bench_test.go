package secret

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/internal/labelled"
)

// everyday is what most values of a manifest are like.
var everyday = []struct {
	ctx   Context
	value string
}{
	{Context{"azphalt", Unknown}, "0.1"}, {Context{"id", Unknown}, "com.example.files"}, {Context{"version", Unknown}, "1.0.0"},
	{Context{"description", Unknown}, "Reads and writes files below one folder, and searches them by name or content."},
	{Context{"LOG_LEVEL", Env}, "debug"}, {Context{"AWS_REGION", Env}, "eu-central-1"}, {Context{"API_URL", Env}, "https://api.example.com/v1"},
	{Context{"MODEL", Env}, "claude-3-7-sonnet-20250219"}, {Context{"API_KEY", Env}, "${input:api-key}"}, {Context{"DATA_DIR", Env}, "/var/lib/app"},
	{Context{"url", URL}, "https://mcp.example.com/mcp"}, {Context{"Authorization", Header}, "Bearer ${input:token}"}, {Context{"Accept", Header}, "application/json, text/event-stream"},
	{Context{"MAX_TOKENS", Env}, "4096"}, {Context{"PORT", Env}, "8080"}, {Context{"command", Unknown}, "npx"}, {Context{"checksum", Unknown}, "sha256-" + strings.Repeat("0123456789abcdef", 4)},
	{Context{"PROJECT_ID", Env}, "acme-prod-123456"}, {Context{"DEBUG", Env}, "false"}, {Context{"license", Unknown}, "Apache-2.0"},
}

func TestEverydayValuesAreCheap(t *testing.T) {
	for _, v := range everyday {
		r := Judge(v.value, v.ctx)
		if r.Verdict > Reference {
			t.Errorf("%s is %s", v.ctx.Key, r.Verdict)
		}
		if strings.Contains(v.value, "${") {
			continue
		}
		if n := testing.AllocsPerRun(10, func() { Judge(v.value, v.ctx) }); n > 0 {
			t.Errorf("%s: %v allocations", v.ctx.Key, n)
		}
	}
}

// One operation judges the 20 values of one manifest.
func BenchmarkManifest(b *testing.B) {
	for b.Loop() {
		for _, v := range everyday {
			Judge(v.value, v.ctx)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	d := labelled.NewDraws(1, 1)
	for name, v := range map[string]struct {
		ctx   Context
		value string
	}{
		"setting":  {Context{"LOG_LEVEL", Env}, "debug"},
		"model":    {Context{"MODEL", Env}, "claude-3-7-sonnet-20250219"},
		"url":      {Context{"API_URL", Env}, "https://api.example.com/v1"},
		"provider": {Context{"GITHUB_TOKEN", Env}, d.Fill("ghp_«b62:36»")},
		"password": {Context{"DB_PASS", Env}, "Winter-Coat-22"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Judge(v.value, v.ctx)
			}
		})
	}
}

func BenchmarkArgs(b *testing.B) {
	args := []string{"-y", "@example/server@1.2.3", "--port", "8080", "--token", "${input:token}", "-e", "LOG_LEVEL=info", "/srv/data"}
	for b.Loop() {
		Args(args, Context{Key: "args"})
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat(harmlessLines, 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Text(strings.NewReader(text), func(TextMatch) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostile judges repetitions that could lead astray, at two sizes: the time of the larger, eight times as long, is
// to be about eight times that of the smaller, which is its yardstick.
func BenchmarkHostile(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		for _, size := range []int{32 << 10, 256 << 10} {
			value := strings.Repeat(hostile[name], size/len(hostile[name]))
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "-"), size), func(b *testing.B) {
				b.SetBytes(int64(len(value)))
				for b.Loop() {
					Judge(value, Context{"url", URL})
				}
			})
		}
	}
}
