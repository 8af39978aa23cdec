package roleblock

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const planted = "hunter2-planted-secret"

func modelOf(t *testing.T, archive example) *Model {
	t.Helper()
	result, err := Lint(filesOf(string(archive)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result.Model
}

// tokens is an estate in which the token store of the owner holds a secret under the key.
func tokens(owner, key, secret string) Estate {
	return Estate{Tokens: map[string]map[string]Secret{owner: {key: Secret(secret)}}}
}

func TestDiscoveryReasonsInOrder(t *testing.T) {
	own := tokens("mcp-web-app-notes", "web-app-notes", planted)
	const entry = "  shared: \"{{ 'web-app-assistant' in group_names }}\"\n"
	// Each step adds a fault that is looked for earlier than those of the steps before.
	archive := exampleServer
	steps := []struct {
		old, new string
		want     Reason
	}{
		{"", "", ""},
		{"http: 8080", "http: '8080'", EndpointUnreachable},
		{"  key: web-app-notes", "  key: ' '", CredentialMissing},
		{"auth: app_password", "auth: basic_auth", AuthUnsupported},
		{"transport: sse", "transport: stdio", TransportUnsupported},
		{entry, entry + "  mcp_consumer: false\n", NotAllowed},
	}
	for _, s := range steps {
		if s.old != "" {
			archive = archive.with(s.old, s.new)
		}
		if s.want == NotAllowed { // else nobody is admitted, and the server switched off
			archive = archive.with("direction: server\n", "direction: server\nenabled: true\nshared: true\n")
		}
		d, err := modelOf(t, archive).Discover("web-app-assistant", own)
		if err != nil {
			t.Fatal(err)
		}
		if s.want == "" {
			if len(d.Selected) != 1 || d.Selected[0].URL != "http://notes:8080/mcp" || d.Selected[0].Transport != "sse" {
				t.Errorf("selected %+v", d)
			}
		} else if len(d.Selected) != 0 || len(d.Rejected) != 1 || d.Rejected[0] != (Rejected{"web-app-notes", s.want}) {
			t.Errorf("want %s, got %+v", s.want, d)
		}
	}
}

func TestDiscoveryOfCredentials(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
		estate   Estate
		selected bool
	}{
		{"token", "", "", tokens("mcp-web-app-notes", "web-app-notes", planted), true},
		{"other owner", "", "", tokens("x", "web-app-notes", planted), false},
		{"other key", "", "", tokens("mcp-web-app-notes", "x", planted), false},
		{"blank", "", "", tokens("mcp-web-app-notes", "web-app-notes", " \t\n"), false},
		{"nothing", "", "", Estate{}, false},
		{"trimmed", "owner: mcp-web-app-notes", "owner: ' mcp-web-app-notes '", tokens("mcp-web-app-notes", "web-app-notes", planted), true},
		{"unknown source", "token_store", "vault", tokens("mcp-web-app-notes", "web-app-notes", planted), false},
		{"administrator", "owner: mcp-web-app-notes", "owner: administrator", tokens("administrator", "web-app-notes", planted), false},
		{"own secret", "token_store", "credentials", Estate{Credentials: map[string]map[string]Secret{"web-app-notes": {"web-app-notes": planted}}}, true},
		{"secret of another", "token_store", "credentials", Estate{Credentials: map[string]map[string]Secret{"web-app-assistant": {"web-app-notes": planted}}}, false},
		{"none needs one as well", "auth: app_password", "auth: none", Estate{}, false},
	} {
		archive := exampleServer.with("[app_password, bearer_token, oidc]", "[app_password, none]")
		if c.old != "" {
			archive = archive.with(c.old, c.new)
		}
		d, err := modelOf(t, archive).Discover("web-app-assistant", c.estate)
		if err != nil || (len(d.Selected) == 1) != c.selected || !c.selected && d.Rejected[0].Reason != CredentialMissing {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
}

func TestDiscoveryOfEndpoints(t *testing.T) {
	const ports = "  ports:\n    internal:\n      http: 8080\n"
	for _, c := range []struct{ name, exposure, ports, url string }{
		{"internal first", "internal", "  ports: {local: {http: 1}, internal: {http: 2}}\n", "http://notes:2/mcp"},
		{"local first", "public", "  ports: {local: {http: 1}, internal: {http: 2}}\n", "http://notes:1/mcp"},
		{"the first that has the key decides", "internal", "  ports: {local: {http: 1}, internal: {http: x}}\n", ""},
		{"the other namespace", "internal", "  ports: {local: {http: 1}, internal: {https: 2}}\n", "http://notes:1/mcp"},
		{"zero", "internal", "  ports: {internal: {http: 0}}\n", ""},
		{"float", "internal", "  ports: {internal: {http: 80.0}}\n", ""},
		{"hexadecimal", "internal", "  ports: {internal: {http: 0x1F90}}\n", "http://notes:8080/mcp"},
		{"none", "internal", "  image: x\n", ""},
	} {
		m := modelOf(t, exampleServer.with("exposure: internal", "exposure: "+c.exposure).with(ports, c.ports))
		d, err := m.Discover("web-app-assistant", tokens("mcp-web-app-notes", "web-app-notes", planted))
		switch {
		case err != nil:
			t.Fatal(err)
		case c.url == "" && (len(d.Rejected) != 1 || d.Rejected[0].Reason != EndpointUnreachable):
			t.Errorf("%s: %+v", c.name, d)
		case c.url != "" && (len(d.Selected) != 1 || d.Selected[0].URL != c.url):
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

func TestDiscoveryAbortsBeforeEndpoints(t *testing.T) {
	twins := exampleTwins.with("owner: mcp-web-app-wiki\n  source: token_store", "owner: mcp-web-app-notes\n  source: credentials").with("notes:\n  ports:\n    internal:\n      http: 8080\n", "notes: {}\n")
	e := tokens("mcp-web-app-notes", "web-app-notes", planted)
	e.Credentials = map[string]map[string]Secret{"web-app-wiki": {"web-app-wiki": Secret(" " + planted + "\n")}}
	d, err := modelOf(t, twins).Discover("web-app-assistant", e)
	if err != nil || d.Abort == nil || *d.Abort != (Abort{CredentialShared, "mcp-web-app-notes", [2]string{"web-app-notes", "web-app-wiki"}}) {
		t.Fatalf("%+v, %v", d, err)
	}
	e.Credentials["web-app-wiki"]["web-app-wiki"] = "another"
	if d, err = modelOf(t, twins).Discover("web-app-assistant", e); err != nil || d.Abort != nil || len(d.Selected) != 1 || len(d.Rejected) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestPresence(t *testing.T) {
	estate := func(deployed ...string) Estate {
		e := tokens("mcp-web-app-notes", "web-app-notes", planted)
		e.Deployed = deployed
		return e
	}
	all := estate("web-app-assistant", "web-app-notes")
	for _, c := range []struct {
		name, keys string
		estate     Estate
		candidate  bool
	}{
		{"derived", "", all, true},
		{"derived, all deployed", "", estate(), true},
		{"derived, no peer deployed", "", estate("web-app-notes"), false},
		{"not deployed itself", "enabled: true\nshared: true\n", estate("web-app-assistant"), false},
		{"explicit", "enabled: true\nshared: yes\n", estate("web-app-notes"), true},
		{"one of two", "enabled: true\n", estate("web-app-notes"), false},
		{"switched off", "shared: false\n", all, false},
		{"gated on a role that is not there", "enabled: \"{{ 'x' in group_names }}\"\nshared: true\n", all, false},
		{"gated on several", "enabled: \"{{ 'x' in group_names or 'web-app-assistant' in group_names }}\"\nshared: true\n", all, true},
		{"gated, all deployed", "enabled: \"{{ 'x' in group_names }}\"\n", estate(), true},
		{"other Jinja", "enabled: \"{{ 'x' in group_names and y }}\"\nshared: \"{{ z }}\"\n", estate("web-app-notes"), true},
		{"invalid counts as left out", "enabled: 5\nshared: x\n", estate("web-app-notes"), false},
	} {
		m := modelOf(t, exampleServer.with("direction: server\n", "direction: server\n"+c.keys))
		d, err := m.Discover("web-app-assistant", c.estate)
		if err != nil || (len(d.Selected)+len(d.Rejected) == 1) != c.candidate {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
}

func TestDiscoveryNeedsARoleOfTheTree(t *testing.T) {
	m := modelOf(t, exampleServer)
	if _, err := m.Discover("web-app-\x1b[31m", Estate{}); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error %v", err)
	}
	d, err := m.Discover("web-app-notes", Estate{})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(d); string(data) != `{"client":"web-app-notes","selected":[],"rejected":[]}` {
		t.Errorf("%s", data)
	}
}

func TestDerivedPresence(t *testing.T) {
	m := modelOf(t, exampleServer+"-- roles/web-app-b/meta/mcp.yml --\nclassification: native_both\ndirection: both\n-- roles/web-app-b/meta/services.yml --\nb: {mcp_consumer: true}\n"+
		"-- roles/web-app-c/meta/mcp.yml --\nclassification: native_client\ndirection: client\n-- roles/web-app-d/meta/mcp.yml --\nclassification: blocked\n")
	data, err := json.Marshal(m.Derived())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"web-app-assistant":"{{ 'web-app-b' in group_names or 'web-app-notes' in group_names }}",` +
		`"web-app-b":"{{ 'web-app-assistant' in group_names or 'web-app-notes' in group_names }}","web-app-c":false,` +
		`"web-app-notes":"{{ 'web-app-assistant' in group_names or 'web-app-b' in group_names }}"}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func TestReadEstate(t *testing.T) {
	e, err := ReadEstate(strings.NewReader(`{"deployed":["a"],"tokens":{"o":{"k":"` + planted + `"}},"credentials":{"r":{"k":"s"}}}`))
	if err != nil || len(e.Deployed) != 1 || string(e.Tokens["o"]["k"]) != planted || string(e.Credentials["r"]["k"]) != "s" {
		t.Fatalf("%v", err)
	}
	for text, line := range map[string]string{
		"": "line 1", "{\n\"tokens\": {\"o\": {\"k\": " + planted + "}}}": "line 2", "{\"tokens\":\n{\"o\":\n\"" + planted + "\"}}": "line 3",
		"{\"" + planted + "\": 1}": "line 1", "{\"tokens\": {\"o\": {\"k\": 12345678}}}": "line 1", "{} " + planted: "follows", "[]": "line 1",
	} {
		_, err := ReadEstate(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v, want %s", text, err, line)
		}
		for err := range unwrapped(err) {
			if s := fmt.Sprintf("%v %+v", err, err); strings.Contains(s, planted) || strings.Contains(s, "hunter2") || strings.Contains(s, "12345678") {
				t.Errorf("the error tells a secret: %s", s)
			}
		}
	}
}

func unwrapped(err error) map[error]bool {
	out := map[error]bool{}
	for err != nil {
		out[err] = true
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
	return out
}

// No output of any kind shows a secret of the estate.
func TestSecretsAreNeverShown(t *testing.T) {
	e := tokens("mcp-web-app-notes", "web-app-notes", planted)
	e.Tokens["mcp-web-app-wiki"] = map[string]Secret{"web-app-wiki": planted}
	e.Credentials = map[string]map[string]Secret{"web-app-notes": {"x": planted}}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb, e)
		fmt.Fprintf(&out, verb, e.Tokens["mcp-web-app-notes"]["web-app-notes"])
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(data)
	for _, archive := range []example{exampleTwins, exampleTwins.with("owner: mcp-web-app-wiki", "owner: mcp-web-app-notes").with("key: web-app-wiki", "key: web-app-notes"), exampleServer.with("transport: sse", "transport: x")} {
		d, err := modelOf(t, archive).Discover("web-app-assistant", e)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		fmt.Fprintf(&out, "%v %+v %#v", d, d, d)
		if err := d.WriteText(&out); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(out.String(), hidden) || !strings.Contains(out.String(), `"abort"`) {
		t.Fatal("the test shows too little")
	}
	for _, form := range []string{planted, fmt.Sprintf("%x", planted), fmt.Sprintf("%X", planted), "hunter2"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the output holds %q", form)
		}
	}
}
