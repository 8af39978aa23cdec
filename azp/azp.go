// Package azp reads, verifies, packs, signs and counter-signs .azp packages: signed ZIP archives with a manifest, as the
// azphalt standard defines them.
//
// Reading is strict: whatever two ZIP or JSON readers could take differently is a problem, never a choice. Faults of a
// package are Problems; a Go error means only that the bytes could not be read.
package azp

// The names that the format gives to entries of its own.
const (
	ManifestName  = "manifest.json"
	SignatureName = "signature.json"
	LicenseName   = "LICENSE"
)

// MediaType is the media type of a package: a hint for routing, never a reason to trust.
const MediaType = "application/vnd.azphalt.package"

// Limits bounds what is read. A value of zero stands for the default.
type Limits struct {
	Package  int64 // bytes of the archive
	Unpacked int64 // bytes of all entries together, unpacked
	Entries  int   // entries of the archive, or files of a source folder
	Manifest int64 // bytes of manifest.json, and of signature.json
	Depth    int   // nesting of JSON beyond which a manifest is reported as hard to read
}

// DefaultLimits are the limits of the registry.
var DefaultLimits = Limits{
	Package:  256 << 20,
	Unpacked: 1 << 30,
	Entries:  20_000,
	Manifest: 4 << 20,
	Depth:    128,
}

// orDefault fills what is not set.
func (l Limits) orDefault() Limits {
	d := DefaultLimits
	if l.Package <= 0 {
		l.Package = d.Package
	}
	if l.Unpacked <= 0 {
		l.Unpacked = d.Unpacked
	}
	if l.Entries <= 0 {
		l.Entries = d.Entries
	}
	if l.Manifest <= 0 {
		l.Manifest = d.Manifest
	}
	if l.Depth <= 0 {
		l.Depth = d.Depth
	}
	return l
}
