package published

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/likeness"
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
	Version  int              `json:"version"`
	Profiles map[string]known `json:"profiles"` // by id
}

// known is the profile of a version.
type known struct {
	Version     string   `json:"version"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Shape       []string `json:"shape,omitempty"`
	Digests     []string `json:"digests,omitempty"`
}

// ParseProfiles reads profiles.json; no text is an empty one.
func ParseProfiles(text []byte) (Profiles, error) {
	if len(text) == 0 {
		return Profiles{Version: profilesVersion, Profiles: map[string]known{}}, nil
	}
	var p Profiles
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("%s can't be read: %w", ProfilesPath, err)
	}
	if p.Version != profilesVersion || p.Profiles == nil {
		return p, errors.New(ProfilesPath + " has a shape that is not known")
	}
	return p, nil
}

// With returns the profiles with that of a version, unless they have a newer one of its id.
func (p Profiles) With(version string, profile likeness.Profile) Profiles {
	if before, there := p.Profiles[profile.ID]; there && azp.CompareVersions(before.Version, version) > 0 {
		return p
	}
	kept := profile.Kept()
	out := Profiles{Version: profilesVersion, Profiles: maps.Clone(p.Profiles)}
	out.Profiles[profile.ID] = known{Version: version, Name: kept.Name, Description: kept.Description, Shape: kept.Shape, Digests: kept.Digests}
	return out
}

// Text returns the file, the same for the same profiles.
func (p Profiles) Text() []byte {
	text, err := json.MarshalIndent(p, "", " ") // sorts the ids
	if err != nil {
		panic(err) // no value of these types fails
	}
	return append(text, '\n')
}

// of returns the profile of a version of an id, if it is here.
func (p Profiles) of(id, version string) (likeness.Profile, bool) {
	k, ok := p.Profiles[id]
	if !ok || k.Version != version {
		return likeness.Profile{}, false
	}
	return likeness.Profile{ID: id, Name: k.Name, Description: k.Description, Shape: k.Shape, Digests: k.Digests}, true
}

// readProfiles reads the registry's profiles. Those that can't be read count as none: the packages themselves are there.
func (s *Shelf) readProfiles() (Profiles, bool) {
	none, _ := ParseProfiles(nil)
	text, err := fs.ReadFile(s.tree, path.Join(s.registry, ProfilesPath))
	if err != nil {
		return none, false
	}
	p, err := ParseProfiles(text)
	if err != nil {
		return none, false
	}
	return p, true
}
