package azp

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/azphalt/submissions/internal/source"
)

func quoted(name string) string { return source.Quote(name) }

// maxName bounds the length of a name in bytes; no file system stores a longer path.
const maxName = 4096

// checkNames refuses names that could lead out of the package or that some system takes for others.
func (a *Archive) checkNames() {
	names := make([]string, 0, len(a.Entries))
	for _, e := range a.Entries {
		if !validName(e.Name) {
			e.Broken = true
			a.report(problem(BadEncoding, e.Name, "the entry's name is not UTF-8, the only encoding of names that packages know"))
			continue
		}
		for _, p := range NameProblems(e.Name) {
			a.report(p)
		}
		if e.IsDir() && (e.Size != 0 || e.Packed > 2 || e.CRC32 != 0) {
			a.fault(e, DirectoryEntry, "the entry is a directory and holds data")
		}
		names = append(names, e.Name)
	}
	a.Problems = append(a.Problems, collisions(names)...)
}

// NameProblems returns what is wrong with a path inside a package.
func NameProblems(name string) []Problem {
	bare := strings.TrimSuffix(name, "/")
	segments := strings.Split(bare, "/")
	switch {
	case strings.HasPrefix(name, "/"):
		return []Problem{problem(UnsafePath, name, "the path is absolute")}
	case slices.Contains(segments, ".."):
		return []Problem{problem(UnsafePath, name, "the path leaves the package (a .. segment)")}
	case bare == "":
		return []Problem{problem(UnsafeName, name, "the entry has no name")}
	case bare == "__proto__":
		return []Problem{problem(UnsafeName, name, "readers written in JavaScript lose a file of this name")}
	case len(name) > maxName:
		return []Problem{problem(UnsafeName, name, "the path has %d bytes; no system stores more than %d", len(name), maxName)}
	case strings.Contains(name, `\`):
		return []Problem{problem(UnsafeName, name, `the path has a backslash, which only Windows reads as a separator; packages use "/"`)}
	case len(name) >= 2 && name[1] == ':' && unicode.IsLetter(rune(name[0])):
		return []Problem{problem(UnsafeName, name, "the path starts with a Windows drive")}
	}
	for _, r := range name {
		if r != ' ' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) && !isJoiner(r) {
			return []Problem{problem(UnsafeName, name, "the path has the invisible or control character %U", r)}
		}
	}
	return segmentProblems(name, segments)
}

// isJoiner allows the two invisible characters that scripts and emoji need.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func segmentProblems(name string, segments []string) []Problem {
	for _, s := range segments {
		switch {
		case s == "":
			return []Problem{problem(UnsafeName, name, `the path has an empty segment ("//")`)}
		case s == ".":
			return []Problem{problem(UnsafeName, name, `the path has a "." segment`)}
		case strings.HasSuffix(s, " "):
			return []Problem{problem(UnsafeName, name, "a segment of the path ends in a space, which Windows drops")}
		}
	}
	for _, s := range segments {
		if strings.ContainsAny(s, `<>:"|?*`) || strings.HasSuffix(s, ".") || reservedOnWindows(s) {
			return []Problem{problem(NotPortable, name, "Windows can't store a file of this name")}
		}
	}
	return nil
}

func reservedOnWindows(segment string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(segment), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '1' && stem[3] <= '9'
}

// collisions reports names that occur twice, names that some file system takes for one another, and files that would
// have to be directories too.
func collisions(names []string) []Problem {
	type folded struct {
		key  string // as a file system that folds case and normalises sees it, with a separator that sorts first
		name string
	}
	all := make([]folded, len(names))
	for i, name := range names {
		all[i] = folded{strings.ReplaceAll(fold(strings.TrimSuffix(name, "/")), "/", "\x00"), name}
	}
	slices.SortFunc(all, func(x, y folded) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.name, y.name)) })
	var problems []Problem
	for i := 1; i < len(all); i++ {
		before, this := all[i-1], all[i]
		switch {
		case this.name == before.name:
			if i < 2 || all[i-2].name != this.name { // say it once for the third copy, too
				problems = append(problems, problem(DuplicateName, this.name, "the archive has more than one entry of this name: readers disagree about which one counts"))
			}
		case this.key == before.key && this.name+"/" != before.name && before.name+"/" != this.name:
			problems = append(problems, problem(NameCollision, this.name, "the name differs from %s only by letter case or Unicode form: on some systems they are one file", quoted(before.name)))
		case this.key == before.key || strings.HasPrefix(this.key, before.key+"\x00") && !strings.HasSuffix(before.name, "/"):
			problems = append(problems, problem(NameCollision, this.name, "the path needs %s to be a directory, but that is a file", quoted(strings.TrimSuffix(before.name, "/"))))
		}
	}
	return problems
}

// fold maps names to the same key that a case-folding, normalising file system takes for one.
func fold(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
		}
	}
	return strings.ToLower(name)
}
