package registry

import (
	"fmt"
	"maps"
	"strings"
)

// PublishersPath is where the publishers lie below the registry's folder.
const PublishersPath = "publishers.json"

// publishersVersion is the version of the file's shape.
const publishersVersion = 1

// Publishers says who each id belongs to.
type Publishers struct {
	Version    int            `json:"version"`
	Publishers map[string]Pin `json:"publishers"` // by id
}

// Pin is an owner, and how it became one.
type Pin struct {
	Owner
	ApprovedBy  string `json:"approvedBy,omitempty"` // login of who approved it; "" where the registry admits publishers by itself
	PullRequest int    `json:"pullRequest"`
}

// ParsePublishers reads publishers.json; no text is an empty one. What is not understood is an error, since an owner that
// is overlooked would be none.
func ParsePublishers(text []byte) (Publishers, error) {
	if len(text) == 0 {
		return Publishers{Version: publishersVersion, Publishers: map[string]Pin{}}, nil
	}
	var p Publishers
	if err := decodeStrictly(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", PublishersPath, err)
	}
	if p.Version != publishersVersion || p.Publishers == nil {
		return p, fmt.Errorf("%s has a shape that is not known", PublishersPath)
	}
	for id, pin := range p.Publishers {
		if pin.PublicKey == "" && pin.GitHubID == 0 {
			return p, fmt.Errorf("%s names no owner of %q", PublishersPath, id)
		}
	}
	return p, nil
}

// Of returns who an id belongs to. Ids that differ only in case belong together: some file systems can't tell them apart.
func (p Publishers) Of(id string) (Pin, bool) {
	if pin, ok := p.Publishers[id]; ok {
		return pin, true
	}
	for other, pin := range p.Publishers {
		if strings.EqualFold(other, id) {
			return pin, true
		}
	}
	return Pin{}, false
}

// Knows reports whether an owner has an id in the namespace of this one: all of it but its last label.
func (p Publishers) Knows(o Owner, id string) bool {
	for other, pin := range p.Publishers {
		same := o.PublicKey != "" && pin.PublicKey == o.PublicKey || o.PublicKey == "" && pin.PublicKey == "" && o.GitHubID != 0 && pin.GitHubID == o.GitHubID
		if same && namespace(other) == namespace(id) {
			return true
		}
	}
	return false
}

func namespace(id string) string {
	i := strings.LastIndexByte(id, '.')
	return id[:max(i, 0)]
}

// With returns the publishers with one more pin.
func (p Publishers) With(id string, pin Pin) Publishers {
	out := Publishers{Version: publishersVersion, Publishers: maps.Clone(p.Publishers)}
	out.Publishers[id] = pin
	return out
}

// Text returns the file, the same for the same publishers.
func (p Publishers) Text() []byte { return textOf(p) }
