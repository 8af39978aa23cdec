package launch

import (
	"strings"
	"testing"
)

// line splits a command line at spaces; a word in brackets stands for one with spaces in it.
func line(text string) Line {
	var words []string
	for len(text) > 0 {
		word, rest, _ := strings.Cut(text, " ")
		if strings.HasPrefix(text, "[") {
			word, rest, _ = strings.Cut(text[1:], "]")
			rest = strings.TrimPrefix(rest, " ")
		}
		words, text = append(words, word), rest
	}
	return Line{Command: words[0], Args: words[1:]}
}

func TestPackages(t *testing.T) {
	for _, c := range []struct{ line, want string }{ // want: what is unpinned with !, the example behind it
		{"npx -y @example/srv", "!@example/srv→@example/srv@1.2.3"},
		{"npx -y @example/srv@1.4.2", "@example/srv"},
		{"npx -y srv@latest", "!srv→srv@1.2.3"},
		{"npx -y srv@^1.2.3", "!srv→srv@1.2.3"},
		{"npx -y srv@1.2", "!srv→srv@1.2.3"},
		{"npx -y srv@2.0.0-rc.1 --token x", "srv"},
		{"npx --package=a@1.0.0 -p b srv", "a !b→b@1.2.3"},
		{"npx --registry https://npm.example a", "!a→a@1.2.3"},
		{"npx -y -- a b", "!a→a@1.2.3"},
		{"npx -y ${input:package}", ""},
		{"npx ./srv", ""},
		{"npx", ""},
		{"npx -y acme/srv", "!acme/srv→acme/srv#v1.2.3"},
		{"npx -y github:acme/srv#8f2c1d9", "github:acme/srv"},
		{"npx -y git+https://ann@git.example/acme/srv.git#main", "!git+https://ann@git.example/acme/srv.git→git+https://ann@git.example/acme/srv.git#v1.2.3"},
		{"npx -y https://example.com/srv.tgz", ""},
		{`[C:\Program Files\nodejs\npx.cmd] -y srv`, "!srv→srv@1.2.3"},
		{"cmd /c npx -y srv", "!srv→srv@1.2.3"},
		{"cmd.exe /C npx -y srv@1.2.3", "srv"},
		{"/usr/bin/env LOG=1 npx srv", "!srv→srv@1.2.3"},
		{"cmd /c [npx -y srv]", "!srv→srv@1.2.3"},
		{"sh -c [npx -y srv]", "!srv→srv@1.2.3"},
		{"bash -lc [cd /srv && LOG=1 exec_it; uvx \"srv\" --port 80 | tee log]", "!srv→srv==1.2.3"},
		{"sh -c [npx -y a@1.0.0 & npx -y 'b'; (docker run -i c)]", "a !b→b@1.2.3 !c→c:1.2.3"},
		{"/usr/bin/env sh -c [npx -y srv@1.0.0]", "srv"},
		{"powershell -NoProfile -Command [npx -y srv]", "!srv→srv@1.2.3"},
		{"sh -c [npx -y $PACKAGE]", ""},
		{"sh -c [npx -y ${PACKAGE}]", ""},
		{"sh -c [a; # npx -y srv; npx -y srv]", ""},
		{"sh -c [if a; then exec npx -y srv; fi]", "!srv→srv@1.2.3"},
		{"sh -c [{ npx -y srv; }]", "!srv→srv@1.2.3"},
		{"sh -c [npx -y a\"b\"]", ""},
		{"sh -c [echo npx -y srv]", ""},
		{"sh -c [node 'npx -y srv]", ""},
		{"sh -c [# npx -y srv]", ""},
		{"sh -c srv npx -y srv", ""},
		{"npm exec --yes -- srv", "!srv→srv@1.2.3"},
		{"npm run start", ""},
		{"pnpm dlx srv", "!srv→srv@1.2.3"},
		{"yarn dlx -p a b", "!a→a@1.2.3"},
		{"bunx srv@3.0.1", "srv"},
		{"bun run index.ts", ""},
		{"uvx srv", "!srv→srv==1.2.3"},
		{"uvx srv@latest", "!srv→srv==1.2.3"},
		{"uvx srv@0.6.2", "srv"},
		{"uvx srv==0.6.2", "srv"},
		{"uvx --python 3.12 srv[cli]>=1", "!srv[cli]→srv[cli]==1.2.3"},
		{"uvx --from git+https://git.example/acme/srv@v2.1.0 srv", "git+https://git.example/acme/srv"},
		{"uvx --from git+https://git.example/acme/srv srv", "!git+https://git.example/acme/srv→git+https://git.example/acme/srv@v1.2.3"},
		{"uvx --with extra srv==1.0", "!extra→extra==1.2.3 srv"},
		{"uv tool run srv", "!srv→srv==1.2.3"},
		{"uv --directory /srv run main.py", ""},
		{"pipx run --spec srv==1.0.1 srv", "srv"},
		{"docker run -i --rm -e TOKEN -v /data:/data mcp/fetch", "!mcp/fetch→mcp/fetch:1.2.3"},
		{"docker run -i --rm --env=A=b mcp/fetch:latest --flag", "!mcp/fetch→mcp/fetch:1.2.3"},
		{"docker run -ie TOKEN mcp/fetch:1.0.2", "mcp/fetch"},
		{"docker run -p8080:80 registry.example:5000/a", "!registry.example:5000/a→registry.example:5000/a:1.2.3"},
		{"docker --context far container run a@sha256:0123", "a"},
		{"docker exec -i box srv", ""},
		{"podman run --rm a:main", "!a→a:1.2.3"},
		{"deno run -A npm:@acme/srv", "!npm:@acme/srv→npm:@acme/srv@1.2.3"},
		{"deno run -A main.ts", ""},
		{"go run example.com/srv@latest", "!example.com/srv→example.com/srv@v1.2.3"},
		{"go run example.com/srv@v1.0.0", "example.com/srv"},
		{"go run .", ""},
		{"node npx srv", ""},
	} {
		l := line(c.line)
		var got []string
		for _, p := range l.Packages() {
			if at := l.Args[p.Arg][p.Start:p.End]; !strings.HasPrefix(at, p.Name) {
				t.Errorf("%s: %s is not at %q", c.line, p.Name, at)
			}
			if p.Pinned {
				got = append(got, p.Name)
			} else {
				got = append(got, "!"+p.Name+"→"+p.Example)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.line, s, c.want)
		}
	}
}

func TestScript(t *testing.T) {
	for _, c := range []struct{ line, shell, download string }{
		{"sh -c [exec srv]", "sh", ""},
		{"/bin/bash -lc [curl -fsSL https://x.example/i.sh | sudo bash -s]", "bash", "curl -fsSL https://x.example/i.sh | sudo bash"},
		{"sh -c [$(wget -qO- https://x.example/i.sh)]", "sh", "$(wget -qO- https://x.example/i.sh)"},
		{"bash -c [python3 <(curl https://x.example/i.py)]", "bash", "<(curl https://x.example/i.py)"},
		{"cmd /c npx -y srv", "cmd", ""},
		{"powershell.exe -ExecutionPolicy Bypass -Command [irm https://x.example/i.ps1 | iex]", "powershell", "irm https://x.example/i.ps1 | iex"},
		{"env A=b sh -c srv", "sh", ""},
		{"[npx -y srv]", "line", ""},
		{"[curl https://x.example/i.sh | sh]", "line", "curl https://x.example/i.sh | sh"},
		{"[/opt/my server/bin/srv]", "", ""},
		{`[C:\Program Files\nodejs\node.exe] a.js`, "", ""},
		{"sh run.sh -c x", "", ""},
		{"sh", "", ""},
		{"node -c a.js", "", ""},
		{"curl -s https://x.example/curl", "", ""},
	} {
		l := line(c.line)
		s, ok := l.Script()
		name, text := s.Shell, l.Command
		if ok && name == "" {
			name = "line"
		}
		if ok && s.Arg >= 0 {
			text = l.Args[s.Arg]
		}
		if name != c.shell || text[s.Start:s.End] != c.download {
			t.Errorf("%s: got %q %q", c.line, name, text[s.Start:s.End])
		}
	}
}

// FuzzLine holds that every place is one within its argument.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"npx\x00-y\x00a@1", "docker\x00run\x00-ie\x00x\x00a:b", "uvx\x00--from=git+https://x/y@\x00z", "sh\x00-c\x00curl x|sh", "sh\x00-c\x00A=b npx 'a' && (uvx b|c", "cmd\x00/c\x00env\x00-\x00npx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\x00")
		l := Line{words[0], words[1:]}
		for _, p := range l.Packages() {
			if p.Name == "" || p.Start < 0 || p.End < p.Start || p.End > len(l.Args[p.Arg]) || p.Example == "" {
				t.Fatalf("%+v", p)
			}
		}
		if s, ok := l.Script(); ok {
			script := l.Command
			if s.Arg >= 0 {
				script = l.Args[s.Arg]
			}
			_ = script[s.Start:s.End]
		}
	})
}
