package bot

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object ids
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// objectID is the id that git gives to an object.
func objectID(kind string, content []byte) string {
	sum := sha1.New() //nolint:gosec // likewise
	fmt.Fprintf(sum, "%s %d\x00", kind, len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// with returns the tree with entries laid over it, whose id is the one that git gives to it; false where git's id can't be
// told, because an entry has none.
func (t *Tree) with(entries []NewEntry) (*Tree, bool) {
	files := maps.Clone(t.Files)
	for _, n := range entries {
		switch {
		case n.Content != nil:
			files[n.Path] = Entry{ID: objectID("blob", []byte(*n.Content)), Mode: n.Mode, Size: int64(len(*n.Content))}
		case n.Blob != "":
			files[n.Path] = Entry{ID: n.Blob, Mode: n.Mode, Size: n.Size}
		default:
			delete(files, n.Path)
		}
	}
	id, ok := treeID(files)
	return &Tree{ID: id, Files: files}, ok
}

// treeID returns the id of the tree that holds these files.
func treeID(files map[string]Entry) (string, bool) {
	folders := map[string]map[string]Entry{}
	order := map[string]string{} // names by what git sorts by: a folder as if its name ended in a slash
	entries := map[string]Entry{}
	for p, e := range files {
		first, rest, deeper := strings.Cut(p, "/")
		if !deeper {
			entries[first], order[first] = e, first
			continue
		}
		if folders[first] == nil {
			folders[first] = map[string]Entry{}
		}
		folders[first][rest] = e
	}
	for name, below := range folders {
		id, ok := treeID(below)
		if _, both := entries[name]; both || !ok {
			return "", false
		}
		entries[name], order[name+"/"] = Entry{ID: id, Mode: dirMode}, name
	}
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(order)) {
		e := entries[order[key]]
		id, err := hex.DecodeString(e.ID)
		if err != nil || len(id) != sha1.Size {
			return "", false
		}
		fmt.Fprintf(&text, "%s %s\x00", strings.TrimPrefix(e.Mode, "0"), order[key])
		text.Write(id)
	}
	return objectID("tree", text.Bytes()), true
}
