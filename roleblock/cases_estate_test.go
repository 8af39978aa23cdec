package roleblock

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func TestEntities(t *testing.T) {
	builtin := newCategories(builtinCategories)
	for role, want := range map[string]string{
		"web-app-notes": "notes", "web-notes": "notes", "svc-ai-agent-one": "agent-one", "svc-net-modes-x": "x", "svc-net-mod": "mod", "WEB-APP-Notes": "Notes",
		"notes": "notes", "webapp-notes": "webapp-notes", "web-app": "", "Web": "", "web-app-": "", "-web": "-web", "update-modes": "", "é-web-x": "é-web-x",
	} {
		if got := builtin.entity(role); got != want {
			t.Errorf("entity of %q is %q, want %q", role, got, want)
		}
	}
	if got := (categories{}).entity("web-app-notes"); got != "web-app-notes" {
		t.Errorf("without categories the entity is %q", got)
	}
}

func TestCategoriesOfTheTree(t *testing.T) {
	const own = "-- meta/categories.yml --\nroles:\n  lab:\n    title: Lab\n    bots: &b\n      title: Bots\n      self: *b\n  flat: x\n5: y\n"
	d := parse("meta/categories.yml", []byte(own[len("-- meta/categories.yml --\n"):]), 100)
	got := readCategories(d)
	for name, want := range map[string]bool{"lab": true, "lab-bots": true, "lab-bots-self": true, "flat": true, "lab-title": false, "5": false, "web": false} {
		if got[name] != want {
			t.Errorf("%q is a category: %v", name, got[name])
		}
	}
	runCases(t, []ruleCase{
		{name: "own categories replace the built-in ones", base: exampleServer + own,
			want: []string{"no-admitted-client@direction"}},
		{name: "unreadable categories are reported, and the built-in ones used", base: exampleServer + "-- meta/categories.yml --\nroles: [\n",
			want: []string{"yaml-syntax@roles: ["}},
		{name: "categories without roles", base: exampleClient + "-- meta/categories.yml --\nstages: []\n"},
	})
}

func TestSharedCredentials(t *testing.T) {
	const owner, same = "  owner: mcp-web-app-wiki\n  source: token_store\n  key: web-app-wiki\n", "  owner: mcp-web-app-notes\n  source: token_store\n  key: web-app-notes\n"
	runCases(t, []ruleCase{
		{name: "trimmed", base: exampleTwins,
			edits: []string{owner, "  owner: ' mcp-web-app-notes'\n  source: token_store\n  key: 'web-app-notes '\n"},
			want:  []string{"credential-shared@owner"}},
		{name: "other key", base: exampleTwins,
			edits: []string{owner, "  owner: mcp-web-app-notes\n  source: token_store\n  key: other\n"}},
		{name: "own secrets of each role", base: exampleTwins,
			edits: []string{owner, "  owner: mcp-web-app-notes\n  source: credentials\n  key: web-app-notes\n"}},
		{name: "administrator is another fault", base: exampleTwins,
			edits: []string{
				owner, "  owner: administrator\n  source: token_store\n  key: a\n",
				same, "  owner: administrator\n  source: token_store\n  key: a\n",
			},
			want: []string{"credential-owner-administrator@", "credential-owner-administrator@"}},
		{name: "templated", base: exampleTwins,
			edits: []string{
				owner, "  owner: '{{ o }}'\n  source: token_store\n  key: a\n",
				same, "  owner: '{{ o }}'\n  source: token_store\n  key: a\n",
			},
			want: []string{"not-literal@", "not-literal@"}},
		{name: "a client's credential does not count", base: exampleServer,
			edits: []string{
				"implementation: native\nsupported", "implementation: native\ncredential: {owner: mcp-web-app-notes, source: token_store, key: web-app-notes}\nsupported",
			}},
		{name: "a block that cannot be deployed does not count", base: exampleTwins,
			edits: []string{
				owner, "  owner: mcp-web-app-notes\n  source: token_store\n  key: web-app-notes\n",
				"notes/meta/mcp.yml --\nclassification: native_server", "notes/meta/mcp.yml --\nclassification: blocked",
			},
			want: []string{"classification-not-deployable@"}},
	})
}

func TestUsers(t *testing.T) {
	const head = "-- users.yml --\n"
	runCases(t, []ruleCase{
		{name: "scalar", base: head + "a: {roles: mcp}\n", want: []string{"rbac-mcp-unscoped@a:"}},
		{name: "quoted item", base: head + "a:\n  roles:\n  - x\n  - 'mcp'\n", want: []string{"rbac-mcp-unscoped@'mcp'"}},
		{name: "not exactly mcp", base: head + "a: {roles: [MCP, mcp-reader, ' mcp', [mcp], {mcp: mcp}]}\n"},
		{name: "per item", base: head + "a: {roles: [mcp, mcp]}\n",
			want: []string{"rbac-mcp-unscoped@", "rbac-mcp-unscoped@"}},
		{name: "users that are no mappings", base: head + "a: mcp\nb: [mcp]\nc:\nd: {roles: }\ne: {}\n"},
		{name: "wrapped", base: head + "users:\n  a: {roles: [mcp]}\n", want: []string{"rbac-mcp-unscoped@  a:"}},
		{name: "a user of that name", base: head + "users: {roles: [mcp]}\nb: {}\n",
			want: []string{"rbac-mcp-unscoped@users"}},
		{name: "no users", base: head + "# nobody\n"},
		{name: "duplicates are left alone", base: head + "a: {}\na: {}\n"},
		{name: "of a role", base: "-- roles/x/meta/users.yml --\na: {roles: [mcp]}\n",
			want: []string{"rbac-mcp-unscoped@a:"}},
		{name: "merged", base: head + "a: &a\n  roles:\n    - mcp\nb: {<<: *a}\n",
			want: []string{"rbac-mcp-unscoped@- mcp"}},
		{name: "unreadable", base: head + "a: [\n", want: []string{"yaml-syntax@a: ["}},
		{name: "two documents", base: head + "a: 1\n---\na: {roles: [mcp]}\n", want: []string{"multi-document@---"}},
		{name: "elsewhere", base: "-- roles/x/users.yml --\na: {roles: [mcp]}\n-- meta/users.yml --\na: {roles: [mcp]}\n"},
	})
}

func TestFindingsSayWhatTheyAreAbout(t *testing.T) {
	result := wantFindings(t, filesOf("-- users.yml --\nada: {roles: [mcp]}\nbob: {roles: [mcp]}\n"), "rbac-mcp-unscoped@ada", "rbac-mcp-unscoped@bob")
	if result.Findings[0].About != "ada" || result.Findings[1].About != "bob" {
		t.Errorf("about %q and %q", result.Findings[0].About, result.Findings[1].About)
	}
	if len(result.General()) != 2 || len(result.Roles()) != 0 {
		t.Errorf("%d general findings, %d roles", len(result.General()), len(result.Roles()))
	}
}

func TestResultIsByRole(t *testing.T) {
	result := wantFindings(t, filesOf(string(exampleServer.with("transport: sse", "transport: stdio")+"-- users.yml --\na: {roles: mcp}\n-- meta/categories.yml --\n[\n-- roles/web-app-c/meta/users.yml --\na: {roles: mcp}\n")),
		"yaml-syntax@[", "rbac-mcp-unscoped@", "transport-invalid@", "rbac-mcp-unscoped@")
	roles := result.Roles()
	if len(roles) != 3 || roles[0].Path != "roles/web-app-assistant" || roles[1].Path != "roles/web-app-c" || roles[2].Path != "roles/web-app-notes" {
		t.Fatalf("roles %+v", roles)
	}
	if len(roles[0].Findings) != 0 || len(roles[1].Findings) != 1 || len(roles[2].Findings) != 1 || len(result.General()) != 2 {
		t.Errorf("findings by role: %+v; general: %+v", roles, result.General())
	}
}

// Links are not followed, and not passed over in silence.
func TestLinksAreNotFollowed(t *testing.T) {
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: 0o777 | fs.ModeSymlink}
	}
	secret := &fstest.MapFile{Data: []byte("password: hunter2hunter2\n\tx")}
	for _, c := range []struct {
		name, path, to string
		want           []string
	}{
		{"block", "roles/b/meta/mcp.yml", "../../../secret.yml", []string{"roles/b/meta/mcp.yml"}},
		{"services", "roles/b/meta/services.yml", "../../../secret.yml", []string{"roles/b/meta/services.yml"}},
		{"users of the tree", "users.yml", "secret.yml", []string{"users.yml"}},
		{"meta of a role", "roles/b/meta", "../../elsewhere", []string{"roles/b/meta"}},
		{"role", "roles/b", "web-app-assistant", []string{"roles/b"}},
		{"meta of the tree", "meta", "elsewhere", []string{"meta"}},
		{"to nothing", "users.yml", "nowhere", []string{"users.yml"}},
	} {
		fsys := filesOf(string(exampleClient))
		fsys["secret.yml"], fsys["elsewhere/mcp.yml"], fsys["elsewhere/categories.yml"] = secret, secret, secret
		fsys[c.path] = link(c.to)
		wantUnreadable(t, c.name, fsys, c.want)
	}
	wantUnreadable(t, "roles", fstest.MapFS{"roles": link("elsewhere"), "elsewhere/a/meta/mcp.yml": secret}, []string{"roles"})
	wantUnreadable(t, "directory", fstest.MapFS{"roles/a/meta/mcp.yml/x": secret, "roles/file": secret}, []string{"roles/a/meta/mcp.yml"})
}

func wantUnreadable(t *testing.T, name string, fsys fstest.MapFS, want []string) {
	t.Helper()
	result, err := Lint(fsys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings {
		got = append(got, f.File)
		if f.Rule != unreadablePath || f.Line != 1 || f.Excerpt.Text != "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: reported at %q, want %q", name, got, want)
	}
}
