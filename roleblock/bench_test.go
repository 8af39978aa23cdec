package roleblock_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/azphalt/submissions/roleblock"
)

// estate is a tree of roles, the first of which are providers and the next clients: every provider has an entry for every
// client, and every client's entry admits it.
func estate(t testing.TB, roles, providers, clients int) fs.FS {
	root := t.TempDir()
	var entries strings.Builder
	for i := range clients {
		fmt.Fprintf(&entries, "client%d:\n  enabled: \"{{ 'web-app-client%d' in group_names }}\"\n  shared: \"{{ 'web-app-client%d' in group_names }}\"\n", i, i, i)
	}
	write := func(role, file, text string) {
		dir := filepath.Join(root, "roles", role, "meta")
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range providers {
		name := fmt.Sprintf("provider%d", i)
		write("web-app-"+name, "mcp.yml", strings.ReplaceAll(providerBlock, "NAME", name))
		write("web-app-"+name, "services.yml", "---\n"+name+":\n  ports:\n    local:\n      http: 8041\n    internal:\n      http: 80\n"+entries.String())
	}
	for i := range clients {
		name := fmt.Sprintf("client%d", i)
		write("web-app-"+name, "mcp.yml", clientBlock)
		write("web-app-"+name, "services.yml", "---\n"+name+":\n  mcp_consumer: true\n")
	}
	for i := range roles - providers - clients {
		name := fmt.Sprintf("plain%d", i)
		write("web-app-"+name, "services.yml", "---\n"+name+":\n  image: x\n  version: 1.2.3\n  ports:\n    local:\n      http: 8041\n")
		write("web-app-"+name, "users.yml", "---\n"+name+":\n  username: x\n  roles: [editor]\n")
	}
	return os.DirFS(root)
}

const providerBlock = `---
classification: native_server
direction: server
transport: sse
exposure: internal
auth: app_password
auth_subject: service_account
implementation: native
credential:
  owner: mcp-NAME
  source: token_store
  key: NAME
endpoint:
  service_key: NAME
  path: /mcp
  port_key: http
tools:
  read_only_default: true
  mutating_tools_enabled: false
`

const clientBlock = `---
classification: native_client
direction: client
implementation: native
supported_transports: [streamable_http, sse]
supported_auths: [app_password]
`

// An estate of 1,000 roles and 60,000 admitted pairs is checked within 256 MiB; BenchmarkLint tells the time.
func TestLargeEstate(t *testing.T) {
	fsys := estate(t, 1000, 300, 200)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	result := lint(t, fsys)
	runtime.ReadMemStats(&after)
	if len(result.Findings) != 0 || len(result.Roles()) != 1000 {
		t.Errorf("%d findings, %d roles", len(result.Findings), len(result.Roles()))
	}
	if after.Sys-before.Sys > 256<<20 {
		t.Errorf("took %d MiB from the system", (after.Sys-before.Sys)>>20)
	}
	if reached := len(result.Model.Matrix().Providers[299].Reached); reached != 200 {
		t.Errorf("the last provider is reached by %d clients", reached)
	}
}

// The cost of a role and of an admitted pair must not depend on how many there are.
func BenchmarkLint(b *testing.B) {
	for _, size := range []struct{ roles, providers, clients int }{
		{250, 0, 0}, {500, 0, 0}, {1000, 0, 0}, {2000, 0, 0},
		{1000, 300, 25}, {1000, 300, 50}, {1000, 300, 100}, {1000, 300, 200}, {1000, 75, 200}, {1000, 150, 200},
	} {
		b.Run(fmt.Sprintf("roles=%d/providers=%d/clients=%d", size.roles, size.providers, size.clients), func(b *testing.B) {
			fsys := estate(b, size.roles, size.providers, size.clients)
			b.ReportAllocs()
			for b.Loop() {
				lint(b, fsys)
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each.Nanoseconds())/float64(size.roles), "ns/role")
			if pairs := size.providers * size.clients; pairs > 0 {
				b.ReportMetric(float64(each.Nanoseconds())/float64(pairs), "ns/pair")
			}
		})
	}
}

// BenchmarkHostile shows that each hostile file ends within a second.
func BenchmarkHostile(b *testing.B) {
	for name, data := range hostileYAML() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				lint(b, fstest.MapFS{"roles/web-app-a/meta/mcp.yml": {Data: []byte(data)}})
			}
		})
	}
}

func BenchmarkDiscover(b *testing.B) {
	result := lint(b, estate(b, 1000, 300, 200))
	for b.Loop() {
		if _, err := result.Model.Discover("web-app-client7", roleblock.Estate{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatrix(b *testing.B) {
	result := lint(b, estate(b, 1000, 300, 200))
	for b.Loop() {
		result.Model.Matrix()
	}
}
