package roleblock

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// The blocks of docs/roles.md that are there to be copied are without faults.
func TestBlocksOfTheDocumentation(t *testing.T) {
	data, err := os.ReadFile("../docs/roles.md")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	var adapter string
	for i, part := range strings.Split(string(data), "```") {
		text, isYAML := strings.CutPrefix(part, "yaml\n")
		if i%2 == 0 || !isYAML {
			continue
		}
		if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# roles/") {
			fsys[strings.TrimPrefix(first, "# ")] = &fstest.MapFile{Data: []byte(text)}
		} else if strings.HasPrefix(text, "adapter:") {
			adapter = text
		}
	}
	if len(fsys) != 4 || adapter == "" {
		t.Fatalf("%d files, adapter %q", len(fsys), adapter)
	}
	wantFindings(t, fsys)

	const specification = "{}"
	server, _, _ := strings.Cut(string(fsys["roles/web-app-notes/meta/mcp.yml"].Data), "tools:")
	server = strings.NewReplacer("native_server", "adapter_server", "implementation: native", "implementation: adapter").Replace(server)
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(specification)))
	fsys["roles/web-app-notes/meta/mcp.yml"].Data = []byte(server + strings.ReplaceAll(adapter, "sha256:…", sum))
	fsys["roles/web-app-notes/files/mcp/openapi.json"] = &fstest.MapFile{Data: []byte(specification)}
	wantFindings(t, fsys)
}

// Files that the lint does not read may be as they like.
func TestRolesWithoutBlocksAreFree(t *testing.T) {
	wantFindings(t, filesOf("-- roles/a/tasks/main.yml --\n- {\n-- roles/a/meta/main.yml --\n- {\n-- roles/b/meta/services.yml --\nb: {}\n"))
}
