package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/azphalt/submissions/finding"
)

// serverManifest is a manifest with one server and inputs.
func serverManifest(inputs, server string) string {
	return `{"azphalt":"0.1","id":"com.example.notes","name":"Notes","version":"1.0.0","kind":"mcp","license":"MIT","compat":">=0.1",` +
		`"mcp":{"inputs":[` + inputs + `],"servers":[{"id":"notes",` + server + `}]}}`
}

func desktopLaunch(launch string) string {
	return `"local":{"platforms":{"desktop":{` + launch + `}}}`
}

// mended returns a text of one line with the edits of a finding made.
func mended(t *testing.T, text string, f finding.Finding) string {
	t.Helper()
	runes := []rune(text)
	for _, e := range slices.Backward(f.Fix.Edits) {
		if e.Line != 1 || e.EndLine != 1 {
			t.Fatalf("edit %+v", e)
		}
		runes = slices.Concat(runes[:e.Column-1], []rune(e.Text), runes[e.EndColumn-1:])
	}
	return string(runes)
}

// TestMends holds that a fault is found, and that its edits make another text of which it is said no more.
func TestMends(t *testing.T) {
	const shown = `{"id":"t","type":"promptString"}`
	c := New(Options{})
	for _, test := range []struct{ name, rule, inputs, server, mendedInputs, mendedServer string }{
		{"an input that nothing uses", "mcp/unused-input",
			`{"id":"a","type":"promptString"}, ` + shown, desktopLaunch(`"command":"srv","args":["${input:a}"]`),
			`{"id":"a","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:a}"]`)},
		{"the first of two", "mcp/unused-input",
			shown + `, {"id":"a","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:a}"]`),
			`{"id":"a","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:a}"]`)},
		{"a reference by a wrong name", "mcp/undeclared-input",
			`{"id":"folder","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:foldr}"]`),
			`{"id":"folder","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:folder}"]`)},
		{"a reference to a secret that is not declared", "mcp/undeclared-input",
			``, desktopLaunch(`"command":"srv","env":{"SRV_TOKEN":"${input:srv}"}`),
			`{ "id": "srv", "type": "promptString", "description": "Srv", "password": true }`, desktopLaunch(`"command":"srv","env":{"SRV_TOKEN":"${input:srv}"}`)},
		{"a token that is shown", "mcp/input-not-hidden",
			shown, desktopLaunch(`"command":"srv","args":["--token","${input:t}"]`),
			`{"id":"t","type":"promptString","password": true}`, desktopLaunch(`"command":"srv","args":["--token","${input:t}"]`)},
		{"a password in a connection string", "mcp/input-not-hidden",
			`{"id":"t","type":"promptString","password":false}`, desktopLaunch(`"command":"srv","env":{"DB":"postgres://ann:${input:t}@db.example/app"}`),
			`{"id":"t","type":"promptString","password":true}`, desktopLaunch(`"command":"srv","env":{"DB":"postgres://ann:${input:t}@db.example/app"}`)},
		{"a header", "mcp/input-not-hidden",
			shown, `"remote":{"type":"http","url":"https://x.example","headers":{"Authorization":"Bearer ${input:t}"}}`,
			`{"id":"t","type":"promptString","password": true}`, `"remote":{"type":"http","url":"https://x.example","headers":{"Authorization":"Bearer ${input:t}"}}`},
		{"a variable of an editor", "mcp/variable-unsupported",
			``, desktopLaunch(`"command":"srv","args":["--dir=${workspaceFolder}/notes"]`),
			`{ "id": "workspace-folder", "type": "promptString", "description": "Workspace folder" }`, desktopLaunch(`"command":"srv","args":["--dir=${input:workspace-folder}/notes"]`)},
		{"a variable of the environment", "mcp/variable-unsupported",
			shown, desktopLaunch(`"command":"srv","args":["${input:t}","${env:DB_PASS}"]`),
			`{ "id": "db-pass", "type": "promptString", "description": "Db pass", "password": true }, ` + shown, desktopLaunch(`"command":"srv","args":["${input:t}","${input:db-pass}"]`)},
		{"a variable that is an input", "mcp/variable-unsupported",
			shown, desktopLaunch(`"command":"srv","args":["${inputs.t}"]`),
			shown, desktopLaunch(`"command":"srv","args":["${input:t}"]`)},
		{"a variable of a shell", "mcp/variable-unsupported",
			``, desktopLaunch(`"command":"srv","args":["--dir=$HOME/notes"]`),
			`{ "id": "home", "type": "promptString", "description": "Home" }`, desktopLaunch(`"command":"srv","args":["--dir=${input:home}/notes"]`)},
		{"a variable of Windows", "mcp/variable-unsupported",
			``, desktopLaunch(`"command":"srv","env":{"DIR":"%APPDATA%"}`),
			`{ "id": "appdata", "type": "promptString", "description": "Appdata" }`, desktopLaunch(`"command":"srv","env":{"DIR":"${input:appdata}"}`)},
		{"a variable of a template", "mcp/variable-unsupported",
			shown, desktopLaunch(`"command":"srv","args":["--dir={{ t }}"]`),
			shown, desktopLaunch(`"command":"srv","args":["--dir=${input:t}"]`)},
		{"a variable that means a credential", "mcp/variable-unsupported",
			``, desktopLaunch(`"command":"srv","args":["--token","{token}"]`),
			`{ "id": "token", "type": "promptString", "description": "Token", "password": true }`, desktopLaunch(`"command":"srv","args":["--token","${input:token}"]`)},
		{"a reference without its brace", "mcp/variable-unsupported",
			shown, desktopLaunch(`"command":"srv","args":["--dir=${input:t"]`),
			shown, desktopLaunch(`"command":"srv","args":["--dir=${input:t}"]`)},
		{"a script, whose shell knows variables", "mcp/variable-unsupported",
			``, desktopLaunch(`"command":"sh","args":["-c","TOKEN=$T srv --dir $HOME"]`), "", ""},
		{"a program in a home folder", "mcp/machine-path",
			``, desktopLaunch(`"command":"/Users/ann/.nvm/versions/node/v22.1.0/bin/npx","args":["a@1.0.0"]`),
			``, desktopLaunch(`"command":"npx","args":["a@1.0.0"]`)},
		{"a folder of the author's, for the server", "mcp/machine-path",
			``, desktopLaunch(`"command":"npx","args":["-y","a@1.0.0","/Users/ann/Desktop"]`),
			`{ "id": "path", "type": "promptString", "description": "Path" }`, desktopLaunch(`"command":"npx","args":["-y","a@1.0.0","${input:path}"]`)},
		{"a folder of the author's, by its option", "mcp/machine-path",
			``, desktopLaunch(`"command":"uvx","args":["a==1.0.0","--notes-dir=C:\\Users\\ann\\notes"]`),
			`{ "id": "notes-dir", "type": "promptString", "description": "Notes dir" }`, desktopLaunch(`"command":"uvx","args":["a==1.0.0","--notes-dir=${input:notes-dir}"]`)},
		{"a folder of the author's, in a variable", "mcp/machine-path",
			``, desktopLaunch(`"command":"srv","env":{"NOTES_DIR":"/home/ann/notes"}`),
			`{ "id": "notes-dir", "type": "promptString", "description": "Notes dir" }`, desktopLaunch(`"command":"srv","env":{"NOTES_DIR":"${input:notes-dir}"}`)},
		{"an address without encryption", "mcp/url-not-https",
			``, `"remote":{"type":"http","url":"http://mcp.example.com/mcp"}`, ``, `"remote":{"type":"http","url":"https://mcp.example.com/mcp"}`},
		{"an address without encryption in capitals and escapes", "mcp/url-not-https",
			``, `"remote":{"type":"http","url":"\u0048TTP:\/\/mcp.example.com"}`, ``, `"remote":{"type":"http","url":"https:\/\/mcp.example.com"}`},
		{"an input that is there twice", "mcp/duplicate-input",
			shown + `,` + shown, desktopLaunch(`"command":"srv","args":["${input:t}"]`), shown, desktopLaunch(`"command":"srv","args":["${input:t}"]`)},
		{"a type of another format", "mcp/input-type",
			`{"id":"t","type":"text"}`, desktopLaunch(`"command":"srv","args":["${input:t}"]`), `{"id":"t","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["${input:t}"]`)},
		{"a transport by another name", "mcp/remote-type",
			``, `"remote":{"type":"streamable-http","url":"https://mcp.example.com"}`, ``, `"remote":{"type":"http","url":"https://mcp.example.com"}`},
		{"a version that another server names", "mcp/unpinned-command",
			``, desktopLaunch(`"command":"npx","args":["-y","@a/b@latest"]`) + `}, {"id":"c",` + desktopLaunch(`"command":"npx","args":["@a/b@1.2.3"]`),
			``, desktopLaunch(`"command":"npx","args":["-y","@a/b@1.2.3"]`) + `}, {"id":"c",` + desktopLaunch(`"command":"npx","args":["@a/b@1.2.3"]`)},
		{"a command line", "mcp/shell-command",
			``, desktopLaunch(`"command":"npx -y a@1.0.0","args":["--all"]`),
			``, desktopLaunch(`"command":"npx","args":["-y", "a@1.0.0", "--all"]`)},
		{"a command line without args", "mcp/shell-command",
			``, desktopLaunch(`"command":"npx -y a@1.0.0"`),
			``, desktopLaunch(`"command":"npx", "args": ["-y", "a@1.0.0"]`)},
		{"a password with a default", "mcp/input-default",
			`{"id":"t","type":"promptString","default":"","password":true}`, desktopLaunch(`"command":"srv","args":["${input:t}"]`), "", ""},
		{"a default for a password", "mcp/input-default",
			`{"id":"t","default":"hunter22","password":true}`, desktopLaunch(`"command":"srv","args":["${input:t}"]`),
			`{"id":"t","password":true}`, desktopLaunch(`"command":"srv","args":["${input:t}"]`)},
		{"a misspelt field", "manifest/unknown-field",
			``, desktopLaunch(`"command":"srv","arg":[]`), ``, desktopLaunch(`"command":"srv","args":[]`)},
		{"a field in another case", "json/confusable-key",
			``, desktopLaunch(`"command":"srv","Args":[]`), ``, desktopLaunch(`"command":"srv","args":[]`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := serverManifest(test.inputs, test.server)
			found := byRule(c, text, test.rule)
			if test.mendedServer == "" {
				if len(found) > 0 {
					t.Errorf("%+v", found)
				}
				return
			}
			if len(found) != 1 || len(found[0].Fix.Edits) == 0 {
				t.Fatalf("%+v", found)
			}
			got := mended(t, text, found[0])
			if want := serverManifest(test.mendedInputs, test.mendedServer); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if again := byRule(c, got, test.rule); len(again) > 0 {
				t.Errorf("still %+v", again)
			}
		})
	}
}

func byRule(c *Checker, text, rule string) (found []finding.Finding) {
	for _, f := range c.ManifestFile(Target{Path: "m.json"}, []byte(text)).Findings {
		if f.Rule == rule {
			found = append(found, f)
		}
	}
	return found
}

// TestQualityIsQuiet holds that what is right is not spoken of.
func TestQualityIsQuiet(t *testing.T) {
	c := New(Options{})
	for _, test := range []struct{ rule, inputs, server string }{
		{"mcp/unused-input", `{"id":"u"}`, `"remote":{"type":"http","url":"https://${input:u}.example"}`},
		{"mcp/input-not-hidden", `{"id":"n","type":"promptString"}`, desktopLaunch(`"command":"srv","env":{"MAX_TOKENS":"${input:n}"}`)},
		{"mcp/input-not-hidden", `{"id":"n","type":"pickString"}`, desktopLaunch(`"command":"srv","env":{"API_TOKEN":"${input:n}"}`)},
		{"mcp/input-not-hidden", `{"id":"n","type":"promptString"}`, desktopLaunch(`"command":"srv","args":["--verbose","${input:n}"]`)},
		{"mcp/machine-path", ``, desktopLaunch(`"command":"/usr/bin/env","args":["srv","https://a.example/home/x","/opt/srv","/data:/mnt/data"]`)},
		{"mcp/shell-command", ``, desktopLaunch(`"command":"C:\\Program Files\\nodejs\\node.exe","args":["a.js","-c","curl"]`)},
		{"mcp/unpinned-command", ``, desktopLaunch(`"command":"docker","args":["run","-i","--rm","-e","TOKEN","example/srv:2.1"]`)},
		{"mcp/byte-size-missing", ``, `"local":{"wasi":{"module":"a.wasm"}}`},
	} {
		if found := byRule(c, serverManifest(test.inputs, test.server), test.rule); len(found) > 0 {
			t.Errorf("%s %s: %s", test.rule, test.server, found[0].Message)
		}
	}
}

func TestNoVariableShowsASecret(t *testing.T) {
	const token = "ghp_Zq8vW2nR5tY7uI0pA3sD6fG9hJ1kL4zXc5Vb"
	for _, arg := range []string{"${" + token + "}", "${env:" + token + "}", "${VAR:-" + token + "}", "${A-" + token + "}", "${ " + token + " }"} {
		text := serverManifest("", desktopLaunch(`"command":"npx -y `+arg+`","args":["`+arg+`"]`))
		p := New(Options{}).ManifestFile(Target{Path: "m.json"}, []byte(text))
		if len(p.Findings) < 2 {
			t.Errorf("%s: %d findings", arg, len(p.Findings))
		}
		url := New(Options{}).ManifestFile(Target{Path: "m.json"}, []byte(serverManifest("", `"remote":{"type":"http","url":"https://a.example/`+arg+`"}`)))
		for format, out := range faces(t, p, url) {
			if strings.Contains(out, token[4:12]) {
				t.Errorf("%s: %s shows it: %s", arg, format, out)
			}
		}
	}
}
