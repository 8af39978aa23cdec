package azp

import (
	"fmt"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/source"
)

// Code names a fault of a package. Codes are the ids of the rules that report them.
type Code string

// Faults that the format itself names (its section 2 and 3).
const (
	NotAZip             Code = "azp/not-a-zip"
	ManifestMissing     Code = "azp/manifest-missing"
	ManifestNotJSON     Code = "azp/manifest-not-json"
	UnsafePath          Code = "azp/unsafe-path"
	FilesMissing        Code = "azp/files-missing"
	PayloadMissing      Code = "azp/payload-missing"
	DigestMismatch      Code = "azp/digest-mismatch"
	PayloadUnlisted     Code = "azp/payload-unlisted"
	SignatureMalformed  Code = "azp/signature-malformed"
	SignatureKeyType    Code = "azp/signature-key-type"
	SignatureInvalid    Code = "azp/signature-invalid"
	SignatureUnreadable Code = "azp/signature-unreadable"
)

// Faults by which two readers of the archive would see different packages, or by which an archive harms who unpacks it.
const (
	TrailingData     Code = "zip/trailing-data"     // bytes behind the end of the archive
	LeadingData      Code = "zip/leading-data"      // bytes before the first entry
	HiddenData       Code = "zip/hidden-data"       // bytes between entries that no entry owns
	SeveralEnds      Code = "zip/several-ends"      // more than one end record could be the archive's
	EndRecord        Code = "zip/end-record"        // the end record contradicts the archive
	Overlap          Code = "zip/overlap"           // entries share bytes
	DuplicateName    Code = "zip/duplicate-name"    // a name occurs twice
	NameCollision    Code = "zip/name-collision"    // names differ, but not on every file system
	HeaderMismatch   Code = "zip/header-mismatch"   // local header and central directory disagree
	ChecksumMismatch Code = "zip/checksum-mismatch" // CRC-32 is not that of the data
	SizeMismatch     Code = "zip/size-mismatch"     // the data is longer or shorter than declared
	UnsafeName       Code = "zip/unsafe-name"       // a name that some system reads as another
	Encrypted        Code = "zip/encrypted"         // an entry is encrypted
	UnknownFeature   Code = "zip/unknown-feature"   // a flag, version or extra field that readers take differently
	SpecialFile      Code = "zip/special-file"      // a link, device or set-user-id file
	DirectoryEntry   Code = "zip/directory-entry"   // a directory entry that holds data or stands in files
	BadEncoding      Code = "zip/name-encoding"     // a name that is not UTF-8
	NotPortable      Code = "zip/name-not-portable" // a name that some systems can't store
	LicenseMissing   Code = "azp/license-missing"   // no LICENSE
	NotCanonical     Code = "azp/not-canonical"     // base64 or DER that only lenient readers take
	ChainInvalid     Code = "azp/chain-invalid"     // a counter-signature that does not verify
	GitLFSPointer    Code = "azp/git-lfs-pointer"   // a Git LFS pointer stands in place of the bytes
	LinkInSource     Code = "azp/link-in-source"    // a source folder holds a link or special file
	LicenseNotUTF8   Code = "azp/license-not-utf8"  // packing would change its bytes
	FilesType        Code = "azp/files-type"        // manifest.files is no object
)

// Faults of a JSON text.
const (
	JSONDuplicateKey  Code = "json/duplicate-key"
	JSONConfusableKey Code = "json/confusable-key"
	JSONNotUTF8       Code = "json/not-utf8"
	JSONByteOrder     Code = "json/byte-order-mark"
	JSONDeep          Code = "json/deep"     // more levels than many readers take
	JSONTooDeep       Code = "json/too-deep" // more levels than are read
)

// Limits that a package exceeds.
const (
	PackageTooBig   Code = "limit/package"
	UnpackedTooBig  Code = "limit/unpacked"
	TooManyEntries  Code = "limit/entries"
	ManifestTooBig  Code = "limit/manifest"
	DirectoryTooBig Code = "limit/directory"
)

// Problem is one fault.
type Problem struct {
	Code   Code
	Entry  string   // the entry or file that it is about, "" for the package as a whole; may hold any bytes
	Others []string // further entries with the same fault, said together
	Detail string   // one sentence for a person, in which text of the package is made visible
	Want   string   // the right value, where it is known

	// In names the JSON text in which the fault has its place (manifest.json or signature.json), Pointer the value there,
	// Start and End its bytes. In is "" where the fault has no place in a text.
	In         string
	Pointer    string
	Start, End int
}

func problem(code Code, entry, format string, args ...any) Problem {
	return Problem{Code: code, Entry: entry, Detail: fmt.Sprintf(format, args...)}
}

// at gives the problem its place in a JSON text.
func (p Problem) at(in string, v jsontree.Value) Problem {
	p.In, p.Pointer = in, v.Pointer()
	p.Start, p.End = v.Span()
	return p
}

// jsonProblems words what is wrong with a JSON text; notJSON is the code for one that is none.
func jsonProblems(in string, notJSON Code, found []jsontree.Problem) []Problem {
	var out []Problem
	for _, f := range found {
		var p Problem
		switch f.Code {
		case jsontree.Syntax:
			p = problem(notJSON, "", "%s is not JSON: %s", in, f.Detail)
		case jsontree.TrailingData:
			p = problem(notJSON, "", "%s is not JSON: something follows the value", in)
		case jsontree.TooDeep:
			p = problem(JSONTooDeep, "", "%s is nested more than %d levels deep", in, jsontree.MaxDepth)
		case jsontree.ByteOrderMark:
			p = problem(JSONByteOrder, "", "%s starts with a byte order mark, which JSON must not have", in)
		case jsontree.NotUTF8:
			p = problem(JSONNotUTF8, "", "%s is not UTF-8 from here on", in)
		case jsontree.DuplicateName:
			p = problem(JSONDuplicateKey, "", "the key %s stands twice in one object: parsers disagree about which one counts", source.Quote(f.Detail))
		}
		p.In, p.Start, p.End, p.Pointer = in, f.Start, f.End, f.Pointer
		out = append(out, p)
	}
	return out
}

// deepProblem reports a manifest that is nested deeper than many readers take.
func deepProblem(doc *jsontree.Doc, limit int) Problem {
	p := problem(JSONDeep, "", "the manifest is nested %d levels deep; many readers stop at %d", doc.Depth(), limit)
	p.In, p.End = ManifestName, 1
	return p
}
