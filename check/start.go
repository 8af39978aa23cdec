package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/launch"
)

// start is a command line that a server is started with.
type start struct {
	server string
	launch jsontree.Value // the object with command and args
}

// judgeStarts judges the command lines of the servers: what a reviewer can't see of what will run.
func (b *mcpBlock) judgeStarts() {
	b.notePinned()
	for _, s := range b.starts {
		for _, command := range all(s.launch, "command") {
			if command.Is(jsontree.String) {
				b.judgeCommand(s.server, command)
				b.judgeLine(s, command)
			}
		}
	}
}

// judgeCommand judges the command of a desktop launch by itself.
func (b *mcpBlock) judgeCommand(server string, command jsontree.Value) {
	ctx := valueContext{server: server, where: "desktop.command", command: true}
	text := command.Str()
	b.judgeMachinePath(command, text, ctx)
	b.judgeVariables(command, text, ctx)
	if len(references(text)) > 0 {
		b.add("mcp/command-reference", at(command), server+" has an input reference in its command; hosts fill in inputs in args, env and headers alone",
			fix("name the program, and pass what the user enters as an argument"))
	}
}

// judgeLine judges a command with its arguments.
func (b *mcpBlock) judgeLine(s start, command jsontree.Value) {
	line, args := lineOf(s.launch, command)
	if script, ok := line.Script(); ok {
		b.judgeScriptLine(s, command, args, script)
	}
	for _, p := range line.Packages() {
		arg := args[p.Arg]
		if p.Pinned || b.isClaimed(arg) {
			continue
		}
		offset := arg.Offsets()
		start, end := offset(p.Start), offset(p.End)
		mend := fix("name the version that you tested: %s, with its number in place of the example's", quote(p.Example))
		if pinned := b.pinned[p.Example]; pinned != "" {
			text := jsonString(pinned)
			mend = fixBy([]edit{{start, end, text[1 : len(text)-1]}}, "name the version that the manifest has elsewhere: %s", quote(pinned))
		}
		b.add("mcp/unpinned-command", within(arg, start, end),
			fmt.Sprintf("%s runs whichever version of %s is the newest when it starts, which may not be the one that was reviewed", s.server, quote(p.Name)), mend)
	}
}

// notePinned remembers in which version the manifest has packages, by the example of how they are spelled with one. Of two
// versions none is known to be the right one.
func (b *mcpBlock) notePinned() {
	b.pinned = map[string]string{}
	for _, s := range b.starts {
		for _, command := range all(s.launch, "command") {
			line, args := lineOf(s.launch, command)
			for _, p := range line.Packages() {
				if !p.Pinned || b.isClaimed(args[p.Arg]) {
					continue
				}
				spec := line.Args[p.Arg][p.Start:p.End]
				if before, there := b.pinned[p.Example]; there && before != spec {
					spec = ""
				}
				b.pinned[p.Example] = spec
			}
		}
	}
}

// lineOf is a command with its arguments, and where those stand.
func lineOf(program, command jsontree.Value) (launch.Line, []jsontree.Value) {
	line := launch.Line{Command: command.Str()}
	var args []jsontree.Value
	for _, arg := range program.Get("args").Elements() {
		args, line.Args = append(args, arg), append(line.Args, arg.Str())
	}
	return line, args
}

// judgeScriptLine reports a command line that goes through a shell.
func (b *mcpBlock) judgeScriptLine(s start, command jsontree.Value, args []jsontree.Value, script launch.Script) {
	text, where := command, "its command"
	if script.Arg >= 0 {
		text, where = args[script.Arg], "desktop.args"
	}
	switch {
	case script.End > 0:
		offset := text.Offsets()
		b.add("mcp/shell-command", within(text, offset(script.Start), offset(script.End)),
			fmt.Sprintf("%s fetches a program and runs it at once, in %s: nobody can say what will run", s.server, where), fix("put the program into a package with a version, and start that"))
	case script.Shell != "":
		b.add("mcp/shell-command", at(command), fmt.Sprintf("%s is started through a shell, %s: what runs depends on the shell, and what the user enters could become a command", s.server, quote(script.Shell)),
			fix("name the program in command, and give each of its arguments in args"))
	default:
		b.add("mcp/shell-command", at(command), s.server+" has a whole command line in its command, which no host takes apart: there is no program of that name", b.takeApart(s, command))
	}
}

// takeApart is the mend of a command line that is plain words: the first is the program, the others are arguments.
func (b *mcpBlock) takeApart(s start, command jsontree.Value) option {
	const mend = "name the program in command, and give each of its arguments in args"
	words := strings.Fields(command.Str())
	if len(words) < 2 || strings.ContainsAny(command.Str(), "|;<>`&$\"'*?\\(){}~") || b.isClaimed(command) {
		return fix(mend)
	}
	var list []string
	for _, word := range words[1:] {
		list = append(list, jsonString(word))
	}
	start, end := command.Span()
	edits := []edit{{start, end, jsonString(words[0])}}
	if args := s.launch.Get("args"); args.Is(jsontree.Array) {
		text := strings.Join(list, ", ")
		if args.Len() > 0 {
			text += ", "
		}
		at, _ := args.Span()
		edits = append(edits, edit{at + 1, at + 1, text})
	} else if args.Exists() {
		return fix(mend)
	} else {
		edits[0].text += ", " + jsonString("args") + ": [" + strings.Join(list, ", ") + "]"
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	return fixBy(edits, mend)
}
