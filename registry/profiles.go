package registry

import (
	"fmt"
	"maps"

	"github.com/azphalt/submissions/azp"
)

// ProfilesPath is where a registry keeps what its packages are known by, below its folder. It is one file, so that a package
// can be compared with all others by one read.
const ProfilesPath = "profiles.json"

const (
	profilesVersion = 1
	// MaxProfiles bounds the file, in bytes; each merge that adds a package sends all of it.
	MaxProfiles = 8 << 20
)

// Profiles is what the newest version of each id is known by.
type Profiles struct {
	Version  int                `json:"version"`
	Profiles map[string]Profile `json:"profiles"` // by id
}

// Profile is what a version is known by.
type Profile struct {
	Version     string   `json:"version"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Shape       []string `json:"shape,omitempty"`   // its kind first, then what it declares
	Digests     []string `json:"digests,omitempty"` // of its payload
}

// ParseProfiles reads profiles.json; no text is an empty one.
func ParseProfiles(text []byte) (Profiles, error) {
	if len(text) == 0 {
		return Profiles{Version: profilesVersion, Profiles: map[string]Profile{}}, nil
	}
	var p Profiles
	if err := decodeStrictly(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", ProfilesPath, err)
	}
	if p.Version != profilesVersion || p.Profiles == nil {
		return p, fmt.Errorf("%s has a shape that is not known", ProfilesPath)
	}
	return p, nil
}

// With returns the profiles with that of a version, unless they have a newer one of its id.
func (p Profiles) With(id string, profile Profile) Profiles {
	if before, there := p.Profiles[id]; there && azp.CompareVersions(before.Version, profile.Version) > 0 {
		return p
	}
	out := Profiles{Version: profilesVersion, Profiles: maps.Clone(p.Profiles)}
	out.Profiles[id] = profile
	return out
}

// Text returns the file, the same for the same profiles.
func (p Profiles) Text() []byte { return textOf(p) }
