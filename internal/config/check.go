package config

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/azphalt/submissions/internal/source"
)

// What names and paths may measure, in code points.
const (
	maxName   = 100
	maxLabel  = 50 // GitHub's own limit
	maxReason = 200
	maxPath   = 250
)

// line says what is wrong with a text that people read in one line.
func line(s string, most int) (reason, mend string) {
	switch {
	case strings.TrimSpace(s) == "":
		return "is blank", "write something"
	case utf8.RuneCountInString(s) > most:
		return fmt.Sprintf("is longer than %d characters", most), "shorten it"
	case source.Visible(s) != s:
		return "holds characters that can't be seen", "delete them"
	}
	return "", ""
}

func name(s string) (reason, mend string)  { return line(s, maxName) }
func label(s string) (reason, mend string) { return line(s, maxLabel) }

// relative says what is wrong with a path from the repository's root.
func relative(s string) (reason, mend string) {
	if reason, mend = line(s, maxPath); reason != "" {
		return reason, mend
	}
	switch clean := strings.TrimPrefix(path.Clean("/"+s), "/"); {
	case strings.ContainsRune(s, '\\'):
		return "has a backslash", "write forward slashes"
	case clean != s:
		return "is no path from the repository's root in its shortest form", "write it without ., .. and needless slashes, as in a/b"
	}
	return "", ""
}

// folder says what is wrong with the path of a folder in which the registry's files can be kept.
func folder(s string) (reason, mend string) {
	if reason, mend = relative(s); reason != "" {
		return reason, mend
	}
	if i := strings.IndexAny(s, `*?[]{}:"<>|`); i >= 0 {
		return fmt.Sprintf("has the character %c", s[i]), "choose a folder without it"
	}
	for part := range strings.SplitSeq(s, "/") {
		if strings.EqualFold(part, ".git") {
			return "is in .git", "choose another folder"
		}
	}
	if within(strings.ToLower(s), ".github") {
		return "is in .github", "choose another folder"
	}
	return "", ""
}

// within reports whether a path is that of the folder or of something in it.
func within(s, folder string) bool { return s == folder || strings.HasPrefix(s, folder+"/") }

// pattern says what is wrong with a pattern of paths. Alternatives in braces would take exponential time to match, classes
// in brackets can match a slash.
func pattern(s string) (reason, mend string) {
	if s != "" && strings.HasSuffix(s, "/") {
		return "ends with a slash and so matches no file", "add **"
	}
	if reason, mend = relative(s); reason != "" {
		return reason, mend
	}
	if i := strings.IndexAny(s, `[]{}`); i >= 0 {
		return fmt.Sprintf("has the character %c, which means nothing here", s[i]), "use *, ? and ** alone, and several waivers where one does not suffice"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part != "**" && strings.Contains(part, "**") {
			return "has ** beside other characters", "write ** between slashes, for any number of folders, or a single *"
		}
	}
	if !doublestar.ValidatePattern(s) {
		return "is no pattern", "use *, ? and ** alone"
	}
	return "", ""
}

// webAddress says what is wrong with the address of the registry, without a word of it.
func webAddress(s string) (reason, mend string) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return "is no web address", "write it as in https://example.org/registry"
	case u.Scheme != "https":
		return "is not served over https", "write it as in https://example.org/registry"
	case u.User != nil:
		return "holds a user name or a password", "take them out: the file is public"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(s, "#"):
		return "has a query or a fragment", "end it with the path"
	}
	return line(s, maxPath)
}
