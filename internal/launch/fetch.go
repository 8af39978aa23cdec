package launch

import (
	"regexp"
	"strings"
	"sync"
)

// Package is a package that is fetched when the server starts.
type Package struct {
	Arg        int // the index of the argument that names it
	Start, End int // bytes of that argument
	// Name is the package as it is written, without its version.
	Name string
	// Pinned reports whether the same bytes, or at least the same version, are fetched every time.
	Pinned bool
	// Example is how a pinned one is spelled, with a made-up version or digest.
	Example string
}

// ecosystem reads the name of a package of one kind.
type ecosystem func(spec string) (name string, pinned bool, example string)

// launcher is a program that fetches packages and runs them.
type launcher struct {
	read ecosystem
	// verbs are the words of which a series stands before the package, as in `uv tool run`; none where the program does
	// nothing else.
	verbs []string
	// values are the options whose value is the next argument. Named are those whose value is a package, in the place of
	// the first word; also those whose value is one more.
	values, named, also string
}

const (
	npmValues = "-c --call -w --workspace --registry --cache --userconfig --prefix --loglevel --node-options"
	uvValues  = "-p --python --with-editable --with-requirements --index --default-index -i --index-url --extra-index-url " +
		"-f --find-links --index-strategy --keyring-provider --directory --project --env-file -c --constraints " +
		"--overrides --build-constraints -b --cache-dir --config-file --color --link-mode --resolution " +
		"--prerelease --exclude-newer -C --config-setting -P --upgrade-package --refresh-package " +
		"--reinstall-package --no-build-package --no-binary-package --allow-insecure-host --python-preference " +
		"--torch-backend"
	dockerValues = "-a --attach -c --cpu-shares --add-host --annotation --blkio-weight --cap-add --cap-drop --cgroup-parent " +
		"--cgroupns --cidfile --cpu-period --cpu-quota --cpus --cpuset-cpus --cpuset-mems --detach-keys --device " +
		"--dns --dns-option --dns-search --domainname -e --env --env-file --entrypoint --expose --gpus --group-add " +
		"-h --hostname --health-cmd --health-interval --health-retries --health-timeout --ip --ip6 --ipc " +
		"--isolation -l --label --label-file --link --log-driver --log-opt --mac-address -m --memory " +
		"--memory-reservation --memory-swap --mount --name --net --net-alias --network --network-alias " +
		"--oom-score-adj --pid --pids-limit --platform -p --publish --pull --restart --runtime --secret " +
		"--security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user " +
		"--userns --uts -v --volume --volume-driver --volumes-from -w --workdir --context --host -H --arch " +
		"--authfile --os --pod --requires --systemd --tz --umask --variant"
)

// launchers are the programs that fetch what they run, by name.
var launchers = map[string]launcher{
	"npx":     {read: npm, values: npmValues, named: "-p --package"},
	"npm":     {read: npm, verbs: []string{"exec", "x"}, values: npmValues, named: "-p --package"},
	"pnpx":    {read: npm, named: "--package"},
	"pnpm":    {read: npm, verbs: []string{"dlx"}, named: "--package"},
	"yarn":    {read: npm, verbs: []string{"dlx"}, named: "-p --package"},
	"bunx":    {read: npm, named: "-p --package"},
	"bun":     {read: npm, verbs: []string{"x"}, named: "-p --package"},
	"uvx":     {read: pypi, values: uvValues, named: "--from", also: "--with -w"},
	"uv":      {read: pypi, verbs: []string{"tool run"}, values: uvValues, named: "--from", also: "--with -w"},
	"pipx":    {read: pypi, verbs: []string{"run"}, values: "--python --pip-args --index-url -i", named: "--spec"},
	"docker":  {read: image, verbs: []string{"run", "container run"}, values: dockerValues},
	"podman":  {read: image, verbs: []string{"run", "container run"}, values: dockerValues},
	"nerdctl": {read: image, verbs: []string{"run", "container run"}, values: dockerValues},
	"deno":    {read: deno, verbs: []string{"run"}, values: "-c --config -L --log-level --import-map --location --cert --seed"},
	"go":      {read: goModule, verbs: []string{"run"}, values: "-C -p -tags -ldflags -gcflags -mod -modfile -exec"},
}

// Packages returns the packages that the line fetches, also from the script that it gives to a shell, in the order of the
// arguments.
func (l Line) Packages() []Package {
	if p := l.plain(); len(p) > 0 {
		return p
	}
	return l.scripted()
}

// plain is Packages for a line without a shell.
func (l Line) plain() []Package {
	here := l.unwrap(true)
	launcher, ok := launchers[here.program]
	if !ok {
		return nil
	}
	args := l.Args[:min(len(l.Args), maxArgs)]
	from, ok := launcher.start(args, here.args)
	if !ok {
		return nil
	}
	return launcher.packages(args, from)
}

// start returns the index of the argument behind the verbs. Options may stand before and between them.
func (l launcher) start(args []string, from int) (int, bool) {
	if len(l.verbs) == 0 {
		return from, true
	}
	for _, verb := range l.verbs {
		i, words := from, strings.Fields(verb)
		for len(words) > 0 && i < len(args) {
			switch n := l.option(args[i]); {
			case n > 0:
				i += n
			case args[i] == words[0]:
				i, words = i+1, words[1:]
			default:
				i = len(args)
			}
		}
		if len(words) == 0 {
			return i, true
		}
	}
	return 0, false
}

// packages reads the arguments from an index on, up to the word that is run.
func (l launcher) packages(args []string, from int) []Package {
	var found []Package
	named := false
	for i := from; i < len(args); {
		arg := args[i]
		n := l.option(arg)
		if n == 0 || arg == "--" {
			if arg == "--" {
				i++
			}
			if !named && i < len(args) {
				found = l.add(found, args[i], i, 0)
			}
			break
		}
		option, value, glued := strings.Cut(arg, "=")
		if isNamed := isOneOf(l.named, option); isNamed || isOneOf(l.also, option) {
			named = named || isNamed
			switch {
			case glued:
				found = l.add(found, value, i, len(option)+1)
			case i+1 < len(args):
				found = l.add(found, args[i+1], i+1, 0)
			}
		}
		i += n
	}
	return found
}

// option returns how many arguments an option takes up, 0 where an argument is none.
func (l launcher) option(arg string) int {
	switch {
	case len(arg) < 2 || arg[0] != '-':
		return 0
	case isOneOf(l.values, arg), isOneOf(l.named, arg), isOneOf(l.also, arg):
		return 2
	case arg[1] != '-' && len(arg) > 2 && !strings.Contains(arg, "="): // a cluster: its last letter may want a value
		for i := 1; i < len(arg); i++ {
			if isOneOf(l.values, "-"+arg[i:i+1]) {
				if i == len(arg)-1 {
					return 2
				}
				break // the rest is the value
			}
		}
	}
	return 1
}

func isOneOf(list, word string) bool {
	for len(list) > 0 {
		first, rest, _ := strings.Cut(list, " ")
		if first == word {
			return true
		}
		list = rest
	}
	return false
}

// add reads the name of a package. One that the host fills in, and a path, say nothing.
func (l launcher) add(found []Package, spec string, arg, start int) []Package {
	isPath := spec == "" || spec[0] == '.' || spec[0] == '/' || strings.Contains(spec, `\`) || strings.HasPrefix(spec, "file:")
	if isPath || len(spec) > maxSpec || spec[0] == '<' || strings.ContainsAny(spec, "${} \t\n") {
		return found
	}
	name, pinned, example := l.read(spec)
	if name == "" {
		return found
	}
	return append(found, Package{Arg: arg, Start: start, End: start + len(spec), Name: name, Pinned: pinned, Example: example})
}

// maxSpec bounds the name of a package.
const maxSpec = 500

// exact finds a version that is one and no range.
var exact = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v?[0-9]+(?:\.[0-9]+){1,3}[0-9A-Za-z.+!-]*$`)
})

// commit finds the name of a commit or, in some repositories, of a release.
var commit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9a-f]{7,64}|v?[0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*)$`)
})

// npm reads the argument of npx: NAME@VERSION, or a repository with its commit behind a number sign.
func npm(spec string) (name string, pinned bool, example string) {
	if strings.HasPrefix(spec, "git") && strings.ContainsAny(spec, ":") || spec[0] != '@' && strings.Contains(spec, "/") {
		return repository(spec, "#")
	}
	name, version := spec, ""
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		name, version = spec[:i], spec[i+1:]
	}
	return name, exactNPM(version), name + "@1.2.3"
}

// exactNPM reports whether a version has all its three numbers: with fewer, npm takes the newest of those.
func exactNPM(version string) bool {
	return strings.Count(version, ".") >= 2 && exact().MatchString(version)
}

// pypi reads a requirement of Python: NAME==VERSION or, of uvx, NAME@VERSION, or a repository with its commit behind an @.
func pypi(spec string) (name string, pinned bool, example string) {
	if strings.Contains(spec, "://") {
		return repository(spec, "@")
	}
	end := strings.IndexAny(spec, "=<>!~@;")
	if end < 0 {
		return spec, false, spec + "==1.2.3"
	}
	name = spec[:end]
	version := strings.TrimLeft(spec[end:], "=@")
	return name, (strings.HasPrefix(spec[end:], "==") || spec[end] == '@') && exact().MatchString(version), name + "==1.2.3"
}

// repository reads the address of a repository, with a commit behind a separator. An address of another kind says nothing.
func repository(spec, separator string) (name string, pinned bool, example string) {
	isGit := strings.HasPrefix(spec, "git") || !strings.Contains(spec, "://")
	if !isGit {
		return "", false, ""
	}
	start := max(strings.Index(spec, "://"), 0)
	if start > 0 {
		start += len("://")
		if slash := strings.IndexByte(spec[start:], '/'); slash >= 0 { // what is before it is host and user
			start += slash
		}
	}
	name, ref := spec, ""
	if i := strings.Index(spec[start:], separator); i >= 0 {
		name, ref = spec[:start+i], spec[start+i+1:]
	}
	ref, _, _ = strings.Cut(ref, "#")
	ref = strings.TrimPrefix(ref, "semver:")
	return name, commit().MatchString(ref), name + separator + "v1.2.3"
}

// moving are tags of images that mean another image tomorrow.
const moving = "latest main master edge nightly dev develop development stable next beta alpha canary rolling head " +
	"snapshot unstable preview current lts"

// image reads the name of a container image: NAME:TAG or NAME@DIGEST.
func image(spec string) (name string, pinned bool, example string) {
	name, digest, _ := strings.Cut(spec, "@")
	if digest != "" {
		return name, strings.HasPrefix(digest, "sha256:"), name + "@sha256:…"
	}
	tag := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	return name, tag != "" && !isOneOf(moving, strings.ToLower(tag)), name + ":1.2.3"
}

// deno reads what deno fetches from a registry: npm:NAME@VERSION or jsr:NAME@VERSION.
func deno(spec string) (name string, pinned bool, example string) {
	registry, rest, ok := strings.Cut(spec, ":")
	if !ok || registry != "npm" && registry != "jsr" {
		return "", false, ""
	}
	name, pinned, example = npm(rest)
	return registry + ":" + name, pinned, registry + ":" + example
}

// goModule reads what `go run` fetches: PATH@VERSION.
func goModule(spec string) (name string, pinned bool, example string) {
	name, version, ok := strings.Cut(spec, "@")
	if !ok {
		return "", false, ""
	}
	return name, commit().MatchString(version), name + "@v1.2.3"
}
