// Package launch reads the command line that starts a server: does it go through a shell, and which packages does it fetch
// at that time, in which version? It runs nothing and asks nobody; what it does not understand, it leaves out.
//
// How the programs spell their options was taken from their manuals: npm-exec(1), pnpm-dlx, yarn-dlx and bunx, uvx and
// `uv tool run`, pipx, docker-run(1) and podman-run(1), deno and `go run`.
package launch

import (
	"path"
	"strings"
)

// Line is a command line: the program, and its arguments.
type Line struct {
	Command string
	Args    []string
}

// maxArgs bounds the arguments that are looked at; no launcher has its package behind more.
const maxArgs = 1000

// Program returns the name by which the program of a command is known: without folder and without the ending of Windows.
func Program(command string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// position is where a line stands after words were taken off: at a program, with its arguments from args on.
type position struct {
	program string
	args    int
}

// unwrap takes off the programs that only start another one; cmd says that `cmd /c` is one of them.
func (l Line) unwrap(cmd bool) position {
	here := position{program: Program(l.Command)}
	for here.args < min(len(l.Args), maxArgs) {
		next := here.args
		switch {
		case here.program == "env", here.program == "sudo", here.program == "nohup":
			for next < len(l.Args) && (strings.HasPrefix(l.Args[next], "-") || here.program == "env" && strings.Contains(l.Args[next], "=")) {
				next++
			}
		case here.program == "cmd" && cmd && strings.EqualFold(l.Args[next], "/c"):
			next++
		default:
			return here
		}
		if next >= len(l.Args) || strings.ContainsAny(l.Args[next], " \t\n") {
			return here
		}
		here = position{Program(l.Args[next]), next + 1}
	}
	return here
}
