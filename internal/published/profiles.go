package published

import (
	"io/fs"
	"path"

	"github.com/azphalt/submissions/internal/likeness"
	"github.com/azphalt/submissions/registry"
)

// Kept is a profile as the registry keeps it.
func Kept(version string, profile likeness.Profile) registry.Profile {
	p := profile.Kept()
	return registry.Profile{Version: version, Name: p.Name, Description: p.Description, Shape: p.Shape, Digests: p.Digests}
}

// known returns what the registry keeps of the package at a place, if it is of that version.
func known(profiles registry.Profiles, at idPlace) (likeness.Profile, bool) {
	p, ok := profiles.Profiles[at.id]
	if !ok || p.Version != at.version {
		return likeness.Profile{}, false
	}
	return likeness.Profile{ID: at.id, Name: p.Name, Description: p.Description, Shape: p.Shape, Digests: p.Digests}, true
}

// readProfiles reads the registry's profiles. Those that can't be read count as none: the packages themselves are there.
func (s *Shelf) readProfiles() (registry.Profiles, bool) {
	text, err := fs.ReadFile(s.tree, path.Join(s.registry, registry.ProfilesPath))
	if err != nil {
		return registry.Profiles{}, false
	}
	p, err := registry.ParseProfiles(text)
	if err != nil {
		return registry.Profiles{}, false
	}
	return p, true
}
