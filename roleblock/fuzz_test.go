package roleblock_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/roleblock"
)

// FuzzLint reads arbitrary bytes as each file of a role, between roles that they can interact with.
func FuzzLint(f *testing.F) {
	files, err := filepath.Glob("testdata/vectors/*/roles/*/meta/*.yml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Size() < 4<<10 {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, rule := range roleblock.Rules() {
		for name, file := range tree(rule.Bad) {
			if filepath.Ext(name) == ".yml" && len(file.Data) < 4<<10 {
				f.Add(file.Data)
			}
		}
	}
	peers := tree(roleblock.Rules()[0].Good)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"roles/web-app-x/meta/mcp.yml", "roles/web-app-x/meta/services.yml", "users.yml", "meta/categories.yml"} {
			fsys := fstest.MapFS{name: {Data: data}}
			maps.Copy(fsys, peers)
			result := lint(t, fsys)
			for _, finding := range result.Findings {
				checkShape(t, finding)
			}
			result.Model.Derived()
			result.Model.Matrix()
			if _, err := result.Model.Discover("web-app-assistant", roleblock.Estate{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
