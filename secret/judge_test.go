package secret

import (
	"encoding/base64"
	"strings"
	"testing"
)

// The sensitive part is no more than what has to be replaced.
func TestMatchesSpanTheSensitivePart(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("svc:Winter-Coat-22"))
	key := `-----BEGIN PRIVATE KEY-----\n` + strings.Repeat("Kx7q", 16) + `\n-----END PRIVATE KEY-----`
	for _, c := range []struct {
		ctx                   Context
		value, part, replaced string
	}{
		{Context{"DB_PASS", Env}, "Winter-Coat-22", "Winter-Coat-22", "${input:db-pass}"},
		{Context{"DB_PASS", Env}, ` "Winter-Coat-22" `, "Winter-Coat-22", ` "${input:db-pass}" `},
		{Context{"Authorization", Header}, "Bearer 5f4dcc3b5aa765d61d8327deb882cf99", "5f4dcc3b5aa765d61d8327deb882cf99", "Bearer ${input:authorization}"},
		{Context{"Authorization", Header}, "Basic " + basic, basic, "Basic ${input:authorization}"},
		{Context{"DATABASE_URL", Env}, "postgres://svc:Winter%20Coat@db/app", "Winter%20Coat", "postgres://svc:${input:database-password}@db/app"},
		{Context{"url", URL}, "https://mcp.acme.dev/mcp?lang=en&apiKey=k3VxQ81mZp0rT6wY#top", "k3VxQ81mZp0rT6wY", "https://mcp.acme.dev/mcp?lang=en&apiKey=${input:api-key}#top"},
		{Context{"url", URL}, "https://mcp.acme.dev/private/k3VxQ81mZp0rT6wYb2/mcp", "k3VxQ81mZp0rT6wYb2", "https://mcp.acme.dev/private/${input:endpoint-path}/mcp"},
		{Context{"MSSQL", Env}, "Server=db;Pwd=Winter-Coat-22;Encrypt=True", "Winter-Coat-22", "Server=db;Pwd=${input:pwd};Encrypt=True"},
		{Context{"CONFIG", Env}, `{"user":"svc","password":"Winter-Coat-22"}`, "Winter-Coat-22", `{"user":"svc","password":"${input:password}"}`},
		{Context{"SERVICE_JSON", Env}, `{"type":"service_account","private_key":"` + key + `\n","client_email":"svc@acme.dev"}`, key, `{"type":"service_account","private_key":"${input:service-json}\n","client_email":"svc@acme.dev"}`},
		{Context{"Cookie", Header}, "lang=en; session=k3VxQ81mZp0rT6wY", "k3VxQ81mZp0rT6wY", "lang=en; session=${input:session}"},
		{Context{"API_KEY", Env}, "${OTHER}", "${OTHER}", "${input:api-key}"},
		{Context{"API_KEY", Env}, "<YOUR_KEY>", "<YOUR_KEY>", "${input:api-key}"},
	} {
		r := Judge(c.value, c.ctx)
		if len(r.Matches) != 1 {
			t.Errorf("%s: %d matches", c.value, len(r.Matches))
			continue
		}
		m := r.Matches[0]
		if got := c.value[m.Start:m.End]; got != c.part {
			t.Errorf("%s: part %q, want %q", c.value, got, c.part)
		}
		fixed := c.value[:m.Start] + "${input:" + m.InputID + "}" + c.value[m.End:]
		if fixed != c.replaced {
			t.Errorf("%s: becomes %q, want %q", c.value, fixed, c.replaced)
		}
		if again := Judge(fixed, c.ctx); again.Verdict != Reference {
			t.Errorf("%s: is %s after the mend", fixed, again.Verdict)
		}
	}
}

func TestAllCredentialsOfAValueAreFound(t *testing.T) {
	r := Judge("postgres://svc:Winter-Coat-22@db/app?password=Summer-Hat-33 redis://:Spring-Shoe-44@cache", Context{"SERVICES", Env})
	if len(r.Matches) != 3 {
		t.Errorf("%d matches", len(r.Matches))
	}
}

// No field of a result holds any of the value, whatever the value says.
func TestResultsHoldNoneOfTheValue(t *testing.T) {
	const planted = "k3VxQ81mZp0rT6wYb2Nc"
	for _, value := range []string{planted, "Bearer " + planted, "https://u:" + planted + "@h/" + planted, "token=" + planted, `{"key":"` + planted + `"}`} {
		for _, ctx := range []Context{{"API_KEY", Env}, {"Authorization", Header}, {"", Arg}, {"url", URL}} {
			for _, m := range Judge(value, ctx).Matches {
				if said := m.Rule + m.Reason + m.InputID; strings.Contains(strings.ToLower(said), strings.ToLower(planted[:8])) {
					t.Errorf("%s: a field holds the value", m.Rule)
				}
			}
		}
	}
}

func TestVerdictsHaveNames(t *testing.T) {
	for v, want := range map[Verdict]string{Benign: "benign", Reference: "reference", Placeholder: "placeholder", Secret: "secret"} {
		if v.String() != want {
			t.Errorf("%d is %q", v, v)
		}
	}
}

// hostile are texts whose repetition may lead a judge astray.
var hostile = map[string]string{
	"letters": "a", "digits": "1", "spaces": " ", "quotes": `"`, "apostrophes": "'", "escaped quotes": `\"`, "mixed quotes": "\"'`", "quotes and breaks": "\"\n",
	"openings": "${", "references": "${input:a}", "unclosed": "${input:", "angles": "<a", "percents": "%A", "dollars": "$A", "braces": "{", "brackets": "[",
	"json": `{"a":`, "arrays": `[[`, "pairs": "a=", "settings": "key=a;", "colons": "a:", "names": "token: ", "flags": "--token ", "flags with values": "--token=a ",
	"at signs": "a:b@", "schemes": "a://", "urls": "http://a:b@c/ ", "slashes": "/", "queries": "?key=a&", "ampersands": "&a=b", "bearers": "Bearer ", "basics": "Basic YTpi ",
	"pem": "-----BEGIN ", "pem blocks": "-----BEGIN PRIVATE KEY-----", "pem ends": "-----BEGIN PRIVATE KEY----------END ", "tokens": "ghp_", "slashed tokens": "ABSK/",
	"dotted tokens": "dp.pt.", "keys": "sk-", "jwt": "eyJ.", "base64": "YTpi", "cookies": "session=a;", "escapes": `\u003c`, "dashes": "-", "data": "data:,", "commas": ",", "pipes": "|a=",
	"unicode": "é", "nul": "\x00", "marks": "\x01\x02", "periods": ".",
	"netrc": "machine a login b password c ", "calls": "f('A_KEY', ", "elements": "<key>", "closed elements": "<a></a>", "attributes": `<a key="API_KEY" value="`,
	"named values": `{"name":"API_KEY","value":`, "logins": "-u a:b ", "attached logins": "-ua:b ", "assigned variables": "$a = ", "announced": "ENV API_KEY ", "typed": "key: str ",
	"quoted passwords": "password 'a' ", "password files": "a:5432:b:c:", "oracle": "a/b@//", "list marks": "- ", "comments": "a: b #", "flags in lists": `"--token",`, "jwk": `{"kty":"n":`,
	"plus": "a+", "keywords": "host=a user=b ",
}

// Hostile values come to an end, and what is found in them lies within them. BenchmarkHostile shows that their time grows
// no faster than they do.
func TestHostileValues(t *testing.T) {
	const size = 64 << 10
	for name, unit := range hostile {
		value := strings.Repeat(unit, size/len(unit))
		for _, ctx := range []Context{{"API_KEY", Env}, {"Cookie", Header}, {"url", URL}, {"notes", Unknown}} {
			for _, m := range Judge(value, ctx).Matches {
				if m.Start < 0 || m.End < m.Start || m.End > len(value) || m.Rule == "" {
					t.Errorf("%s under %s: %+v", name, ctx.Key, m)
				}
			}
		}
		if err := Text(strings.NewReader(value), func(TextMatch) {}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestManyArguments(t *testing.T) {
	args := make([]string, 100_000)
	for i := range args {
		args[i] = []string{"--token", "-e", "KEY=value", "-H", "Authorization: Bearer ${input:a}"}[i%5]
	}
	if got := len(Args(args, Context{Key: "args"})); got != len(args) {
		t.Errorf("%d results", got)
	}
}

// Nesting ends where the bound says, and what is deeper is still looked at as it stands.
func TestNestingIsBounded(t *testing.T) {
	value := `{"password":"Winter-Coat-22"}`
	for range 12 {
		value = base64.StdEncoding.EncodeToString([]byte(value))
	}
	Judge(value, Context{"CONFIG", Env})
	deep := strings.Repeat(`{"a":`, 1<<16) + `{"password":"Winter-Coat-22"}` + strings.Repeat("}", 1<<16)
	if r := Judge(deep, Context{"CONFIG", Env}); r.Verdict != Secret {
		t.Errorf("a credential in deep JSON is %s", r.Verdict)
	}
}

// TestNamesAreConcealed holds that a name with a token in it is not shown, and that others are.
func TestNamesAreConcealed(t *testing.T) {
	token := "ghp_" + strings.Repeat("Kx7q", 9)
	for name, want := range map[string]string{
		token: "*", "${input:" + token + "}": "${input:*}", "the key \"" + token + "\" stands twice": "the key \"*\" stands twice",
		"skills/MyLongSkillName2024/SKILL.md":                          "skills/MyLongSkillName2024/SKILL.md",
		"MCowBQYDK2VwAyEATBXb1Qn/2RtZS9+hW3UG97u/9HLgmh26aiK4aJdTCCY=": "MCowBQYDK2VwAyEATBXb1Qn/2RtZS9+hW3UG97u/9HLgmh26aiK4aJdTCCY=",
	} {
		if got := Conceal(name, func([]byte) string { return "*" }); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
