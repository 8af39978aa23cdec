package check

import (
	"github.com/azphalt/submissions/internal/jsontree"
	"github.com/azphalt/submissions/internal/lazyregexp"
)

// judgeScript runs the rules of kind "script".
func (m *manifest) judgeScript() {
	script, ok := m.blockOf("script")
	if !ok {
		return
	}
	m.judgeHeader("script")
	if interpreter := script.Get("interpreter"); !interpreter.Is(jsontree.String) || blank(interpreter.Str()) {
		m.claim(orElse(interpreter, script))
		m.add("script/interpreter", opening(orElse(interpreter, script)), "a script needs an interpreter, the name of the program that runs it", fix(`write one, such as "bash" or "python3"`))
	}
	entry := script.Get("entry")
	switch {
	case !nonEmptyString(entry):
		m.claim(orElse(entry, script))
		m.add("script/entry-missing", opening(orElse(entry, script)), "a script needs entry, the path of the script in the package", fix(`add "entry", such as "script/main.sh"`))
	case !m.has(entry.Str()):
		m.add("script/entry-unlisted", at(entry), "the script "+quote(entry.Str())+" is not in the package", m.suggestPath(entry.Str()))
	}
	m.judgeScriptCommand(script)
	if args, ok := script.Member("args"); ok && !isStringArray(args.Value) {
		m.claimAll(args.Value)
		m.add("script/args", opening(args.Value), "args, where present, has to be an array of strings", fix("write each argument as a string of its own"))
	}
	if deps, ok := script.Member("dependencies"); ok {
		m.judgeDependencies(deps.Value)
	}
}

// commandName is a name under which a host can install a command: no path, no option, nothing that a shell takes for more
// than a word or two.
var commandName = lazyregexp.New(`^[\p{L}\p{N}_.+][\p{L}\p{N}_.+ -]*$`)

func (m *manifest) judgeScriptCommand(script jsontree.Value) {
	command, ok := script.Member("command")
	switch {
	case !ok:
	case !command.Value.Is(jsontree.String) || blank(command.Value.Str()):
		m.claim(command.Value)
		m.add("script/command", opening(command.Value), "command, where present, has to be a string that is not blank", fix("write the name under which users start the script, or remove command"))
	case !commandName().MatchString(command.Value.Str()):
		m.add("script/command-unsafe", at(command.Value), "the command "+quote(command.Value.Str())+" is no plain name: with a slash, a leading dash or a character of the shell it could replace or become another command", fix("use letters, digits, dots, hyphens and underscores"))
	}
}

// packageName is a name that package managers take, and that no shell or option parser takes for something else.
var packageName = lazyregexp.New(`^[\p{L}\p{N}@_][\p{L}\p{N}@_.+:/~=<>!,\[\]-]*$`)

func (m *manifest) judgeDependencies(deps jsontree.Value) {
	if !deps.Is(jsontree.Object) {
		m.claim(deps)
		m.add("script/dependencies-type", opening(deps), "dependencies, where present, has to be an object from package manager to names", fix(`write them by package manager, as in { "apt": ["imagemagick"] }`))
		return
	}
	for d := range deps.Members() {
		name := quote(d.Name())
		if !d.Value.Is(jsontree.Array) || d.Value.Len() == 0 {
			m.claim(d.Value)
			m.add("script/dependencies-empty", opening(d.Value), "the dependencies of "+name+" have to be an array with at least one name", fix("write the names, or remove the package manager"))
			continue
		}
		bad := false
		for _, e := range d.Value.Elements() {
			switch {
			case !e.Is(jsontree.String) || blank(e.Str()):
				m.claim(e)
				if !bad {
					m.add("script/dependencies-item", opening(e), "the dependencies of "+name+" have to be strings that are not blank", fix("write a name, or remove what stands here"))
				}
				bad = true
			case !packageName().MatchString(e.Str()):
				m.add("script/dependency-unsafe", at(e), quote(e.Str())+" is no name of a package: a shell or the package manager could take it for something else", fix("write the name alone"))
			}
		}
	}
}

func isStringArray(v jsontree.Value) bool {
	ok := v.Is(jsontree.Array)
	for _, e := range v.Elements() {
		ok = ok && e.Is(jsontree.String)
	}
	return ok
}

// claimAll claims an array with its elements.
func (m *manifest) claimAll(v jsontree.Value) {
	m.claim(v)
	for _, e := range v.Elements() {
		m.claim(e)
	}
}
