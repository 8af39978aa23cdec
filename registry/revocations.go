package registry

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// RevocationsPath is where a registry's maintainers say which versions they pulled, below the registry's folder.
const RevocationsPath = "revocations.json"

// revocationsVersion is the version of the file's shape.
const revocationsVersion = 1

// Revocation says that a version was pulled after it was published.
type Revocation struct {
	ID        string    `json:"id"`
	Version   string    `json:"version"`
	Reason    string    `json:"reason,omitempty"`
	RevokedAt time.Time `json:"revokedAt"`
}

// ParseRevocations reads revocations.json, and returns the newest first; no text is none. What is not understood is an error,
// since a revocation that is overlooked would be none.
func ParseRevocations(text []byte) ([]Revocation, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var file struct {
		Version     int          `json:"version"`
		Revocations []Revocation `json:"revocations"`
	}
	if err := decodeStrictly(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", RevocationsPath, err)
	}
	if file.Version != revocationsVersion || file.Revocations == nil {
		return nil, fmt.Errorf("%s has a shape that is not known", RevocationsPath)
	}
	for i, r := range file.Revocations {
		if r.ID == "" || r.Version == "" || r.RevokedAt.IsZero() {
			return nil, errors.New(RevocationsPath + " has an entry without id, version or revokedAt")
		}
		file.Revocations[i].RevokedAt = r.RevokedAt.UTC()
	}
	slices.SortStableFunc(file.Revocations, func(a, b Revocation) int { return b.RevokedAt.Compare(a.RevokedAt) })
	return file.Revocations, nil
}
