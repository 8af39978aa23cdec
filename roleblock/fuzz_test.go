package roleblock_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/roleblock"
)

// fuzzedPlaces are the files that FuzzLint reads its bytes as.
var fuzzedPlaces = []string{"roles/web-app-x/meta/mcp.yml", "roles/web-app-x/meta/services.yml", "users.yml", "meta/categories.yml"}

// placeOf returns the index of the fuzzed place that a file is like.
func placeOf(file string) uint8 {
	same := func(place string) bool { return filepath.Base(place) == filepath.Base(file) }
	return uint8(max(0, slices.IndexFunc(fuzzedPlaces, same)))
}

// FuzzLint reads arbitrary bytes as one of the files that are judged, between roles that it can interact with.
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
			f.Add(placeOf(file), data)
		}
	}
	for _, rule := range roleblock.Rules() {
		for name, file := range tree(rule.Bad) {
			if filepath.Ext(name) == ".yml" && len(file.Data) < 4<<10 {
				f.Add(placeOf(name), file.Data)
			}
		}
	}
	peers := tree(roleblock.Rules()[0].Good)
	f.Fuzz(func(t *testing.T, place uint8, data []byte) {
		fsys := fstest.MapFS{fuzzedPlaces[int(place)%len(fuzzedPlaces)]: {Data: data}}
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
	})
}
