package launch

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Script is a text that a shell reads.
type Script struct {
	// Arg is the index of the argument that holds it, -1 where that is the command itself.
	Arg int
	// Shell is the program that reads it; "" where the command is a whole line, which only a shell could take apart.
	Shell string
	// Start and End are the bytes of the part that fetches a program and pipes it into a shell; both 0 where there is none.
	Start, End int
}

// shell is a program that reads a script from an argument.
type shell struct {
	options []string // behind which the script stands; letter case does not count
	posix   bool     // options may stand in a cluster, as in -lc, and a word that is none is the name of a file
}

var shells = func() map[string]shell {
	posix := shell{options: []string{"-c", "--command"}, posix: true}
	power := shell{options: []string{"-c", "-command", "-e", "-ec", "-enc", "-encodedcommand"}}
	all := map[string]shell{"cmd": {options: []string{"/c", "/k"}}, "powershell": power, "pwsh": power}
	for _, name := range []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"} {
		all[name] = posix
	}
	return all
}()

// Script returns the text that the line gives to a shell, and whether it does.
func (l Line) Script() (Script, bool) {
	if here := l.unwrap(false); shells[here.program].options != nil {
		if at, ok := shells[here.program].script(l.Args[:min(len(l.Args), maxArgs)], here.args); ok {
			s := Script{Arg: at, Shell: here.program}
			s.Start, s.End = download(l.Args[at])
			return s, true
		}
	}
	if needsShell(l.Command) {
		s := Script{Arg: -1}
		s.Start, s.End = download(l.Command)
		return s, true
	}
	return Script{}, false
}

// script returns the index of the argument that holds the script.
func (s shell) script(args []string, from int) (int, bool) {
	for i := from; i+1 < len(args); i++ {
		switch arg := strings.ToLower(args[i]); {
		case slices.Contains(s.options, arg), s.posix && isCluster(arg) && strings.HasSuffix(arg, "c"):
			return i + 1, true
		case s.posix && arg[:min(1, len(arg))] != "-", arg == "-file", arg == "-f":
			return 0, false
		}
	}
	return 0, false
}

// isCluster reports whether an argument is several short options in one.
func isCluster(arg string) bool { return len(arg) > 2 && arg[0] == '-' && arg[1] != '-' }

// needsShell reports whether a command is more than the name of a program: it has the signs of a shell, or words behind a
// program that is named without a folder. A path may have spaces.
func needsShell(command string) bool {
	if strings.ContainsAny(command, "|;<>`\n") || strings.Contains(command, "&&") || strings.Contains(command, "$(") {
		return true
	}
	first, rest, ok := strings.Cut(strings.TrimSpace(command), " ")
	return ok && !strings.ContainsAny(first, `/\`) && strings.TrimSpace(rest) != ""
}

// maxScript bounds the text that is searched for a download.
const maxScript = 64 << 10

// downloads find a program that is fetched and run at once: `curl … | sh`, `sh -c "$(curl …)"`, `bash <(curl …)` and, of
// PowerShell, `iwr … | iex` and `iex (iwr …)`.
var downloads = sync.OnceValue(func() *regexp.Regexp {
	const (
		fetch = `\b(?:curl|wget)\b`
		run   = `(?:sudo\s+)?(?:[a-z/]*/)?(?:(?:ba|da|z|k|a)?sh|python[0-9.]*|node|perl|ruby)\b`
		get   = `\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b`
	)
	return regexp.MustCompile(`(?i)` + fetch + `[^|;\n]*\|\s*` + run +
		`|(?:\$\(|<\(|\x60)\s*` + fetch + `[^)\n\x60]*[)\x60]` +
		`|` + get + `[^|;\n]*\|\s*(?:iex|invoke-expression)\b` +
		`|\b(?:iex|invoke-expression)\s*[( ]*` + get + `[^\n]*`)
})

// download returns the part of a script that fetches a program and runs it.
func download(script string) (start, end int) {
	if at := downloads().FindStringIndex(script[:min(len(script), maxScript)]); at != nil {
		return at[0], at[1]
	}
	return 0, 0
}
