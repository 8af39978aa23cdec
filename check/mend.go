package check

import "github.com/azphalt/submissions/azp"

const packAgain = "pack the folder again with `azp pack`"

// mends says in words how to mend the problems of the container, of which the azp package does not speak.
var mends = map[azp.Code]string{
	azp.NotAZip:             packAgain + ", and upload the archive exactly as it is",
	azp.ManifestMissing:     "put manifest.json at the root of the archive, as `azp pack` does",
	azp.ManifestNotJSON:     "correct the text here; the other rules are judged once it can be read",
	azp.UnsafePath:          "name the file as seen from the root of the package, without a leading slash and without ..",
	azp.FilesMissing:        packAgain + ", which computes files",
	azp.FilesType:           packAgain + ", which computes files",
	azp.PayloadMissing:      "pack again with the file in place, or without what refers to it",
	azp.PayloadUnlisted:     packAgain + ", or leave the file out",
	azp.SignatureMalformed:  "sign again with `azp sign`",
	azp.SignatureKeyType:    "make a key with `azp keygen`, and sign again with `azp sign`",
	azp.SignatureInvalid:    "sign again with `azp sign`, after all else is done",
	azp.SignatureUnreadable: "sign again with `azp sign`",

	azp.TrailingData:     "upload the archive exactly as `azp pack` or `azp sign` wrote it",
	azp.LeadingData:      packAgain,
	azp.HiddenData:       packAgain + "; programs that change an archive in place leave bytes behind",
	azp.SeveralEnds:      packAgain + "; packages need no comment",
	azp.EndRecord:        packAgain,
	azp.Overlap:          packAgain,
	azp.DuplicateName:    "remove one of them, or " + packAgain,
	azp.NameCollision:    "give the files names that differ in more than that",
	azp.HeaderMismatch:   packAgain,
	azp.ChecksumMismatch: packAgain + ", and upload the archive exactly as it is",
	azp.SizeMismatch:     packAgain,
	azp.UnsafeName:       `rename the file: forward slashes, visible characters, no "." or ".." between them`,
	azp.Encrypted:        "pack again without a password",
	azp.UnknownFeature:   packAgain,
	azp.SpecialFile:      "pack the file itself, as `azp pack` does",
	azp.DirectoryEntry:   packAgain + ", or with `zip -D`, which leaves directory entries out",
	azp.BadEncoding:      "rename the file, with a name in UTF-8",
	azp.NotPortable:      "rename the file",
	azp.LicenseMissing:   "put the text of the license into a file LICENSE, and pack again",
	azp.NotCanonical:     "sign again with `azp sign`, which writes padded base64 of the standard alphabet",
	azp.ChainInvalid:     "ask for a counter-signature over the key below it, or remove this one",
	azp.GitLFSPointer:    "run `git lfs pull` before packing; in a submission, take the file out of LFS (`git lfs untrack`)",
	azp.LinkInSource:     "commit the file itself",
	azp.LicenseNotUTF8:   "save the file as UTF-8",

	azp.JSONDuplicateKey:  "remove one of the two",
	azp.JSONConfusableKey: "remove it, or write the name as the format has it",
	azp.JSONNotUTF8:       "save the file as UTF-8",
	azp.JSONByteOrder:     "save the file as UTF-8 without BOM",
	azp.JSONDeep:          "flatten the value, or move it into a file of the package",
	azp.JSONTooDeep:       "flatten the value, or move it into a file of the package",

	azp.PackageTooBig:   "keep big files elsewhere and refer to them with remoteUrl and checksum",
	azp.UnpackedTooBig:  "keep big files elsewhere and refer to them with remoteUrl and checksum",
	azp.TooManyEntries:  "leave out what is not needed, or put many small files into one",
	azp.ManifestTooBig:  "move long texts and tables into files of the package",
	azp.DirectoryTooBig: packAgain,
}
