package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// IndexPath is where the index lies below the registry's folder: a file for each version.
const IndexPath = "index"

// EntryPath is where the entry of a version lies below the registry's folder.
func EntryPath(id, version string) string { return path.Join(IndexPath, id, version+".json") }

// entryFormat is the version of an entry's shape.
const entryFormat = 1

// Entry is a version as the index has it. It is written once and never changes. The manifest makes it possible to search the
// registry without opening a package.
type Entry struct {
	Format      int             `json:"format"`
	ID          string          `json:"id"`
	Version     string          `json:"version"`
	Digest      string          `json:"digest"`          // of the package as it is published
	Submitted   string          `json:"submittedDigest"` // as in [Admission]
	Size        int64           `json:"size"`            // in bytes
	Path        string          `json:"path"`            // in the repository, when it was published
	Blob        string          `json:"blob"`            // git's id of these bytes, by which they can be had for ever
	PublishedAt time.Time       `json:"publishedAt"`
	PullRequest int             `json:"pullRequest"`
	Publisher   Owner           `json:"publisher"`
	Manifest    json.RawMessage `json:"manifest"`
}

// Text returns the file.
func (e Entry) Text() ([]byte, error) {
	e.Format, e.PublishedAt = entryFormat, e.PublishedAt.UTC().Truncate(time.Second)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("writing the entry of the index: %w", err)
	}
	return out.Bytes(), nil
}

// ReadEntry reads the file with a name below [IndexPath].
func ReadEntry(name string, text []byte) (Entry, error) {
	var e Entry
	if err := decodeStrictly(text, &e); err != nil {
		return e, err
	}
	switch {
	case e.Format != entryFormat:
		return e, fmt.Errorf("its format %d is not known", e.Format)
	case e.ID == "" || e.Version == "" || path.Join(IndexPath, name) != EntryPath(e.ID, e.Version):
		return e, errors.New("its name is not that of what it describes")
	case !isHex(e.Blob, 40) || !strings.HasPrefix(e.Digest, "sha256-") || e.Size <= 0 || e.PublishedAt.IsZero() || len(e.Manifest) == 0:
		return e, errors.New("it is not complete")
	}
	return e, nil
}

func isHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}
