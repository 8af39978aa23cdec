package secret

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// What people reported about other scanners, as manifests: for each the values that are not harmless. A value that is
// not named is Benign or a Reference.
func TestCases(t *testing.T) {
	const desktop = "/local/platforms/desktop/"
	for _, c := range []struct {
		file string
		want map[string]string // below /mcp/servers: verdict and rule
	}{
		{"005", map[string]string{
			"0/remote/headers/Authorization":   "placeholder mcp/variable-unsupported",
			"1" + desktop + "args/1":           "placeholder mcp/variable-unsupported",
			"1" + desktop + "env/GITHUB_TOKEN": "placeholder mcp/variable-unsupported",
			"1" + desktop + "env/LOG_DIR":      "placeholder mcp/variable-unsupported",
		}},
		{"009", nil},
		{"010", map[string]string{"0/remote/headers/Authorization": "secret secret/header"}},
		{"011", map[string]string{
			"0/remote/auth/token":                           "secret secret/value",
			"1" + desktop + "headers/Authorization":         "secret secret/header",
			"1/local/platforms/android/env/SLACK_BOT_TOKEN": "secret secret/value",
		}},
		{"012", map[string]string{"0/remote/url": "secret secret/url", "1/remote/url": "secret secret/url"}},
		{"014", map[string]string{
			"0" + desktop + "args/3": "secret secret/argument",
			"1" + desktop + "args/0": "secret secret/argument",
			"2" + desktop + "args/1": "secret secret/argument",
		}},
		{"016", map[string]string{
			"0" + desktop + "args/2": "secret secret/connection-string",
			"3" + desktop + "args/2": "placeholder mcp/placeholder",
		}},
		{"017", map[string]string{
			"0" + desktop + "env/DATABASE_URL": "secret secret/connection-string",
			"0" + desktop + "env/MONGODB_URI":  "secret secret/connection-string",
			"0" + desktop + "env/REDIS_URL":    "secret secret/connection-string",
			"0" + desktop + "env/MSSQL_DSN":    "secret secret/connection-string",
		}},
		{"019", map[string]string{
			"0/remote/headers/Authorization":   "secret secret/header",
			"1/remote/headers/X-Upstream-Auth": "secret secret/header",
		}},
		{"021", map[string]string{
			"0" + desktop + "env/API_KEY": "placeholder mcp/placeholder",
			"0" + desktop + "env/A_TOKEN": "placeholder mcp/placeholder",
			"0" + desktop + "env/B_TOKEN": "placeholder mcp/placeholder",
			"0" + desktop + "env/C_TOKEN": "placeholder mcp/placeholder",
			"0" + desktop + "env/D_TOKEN": "placeholder mcp/placeholder",
			"0" + desktop + "env/E_TOKEN": "placeholder mcp/variable-unsupported",
			"0" + desktop + "env/F_TOKEN": "placeholder mcp/variable-unsupported",
			"0" + desktop + "env/G_TOKEN": "placeholder mcp/placeholder",
		}},
		{"023", map[string]string{
			"0" + desktop + "env/DB_PASS":        "secret secret/name",
			"0" + desktop + "env/GPG_PASSPHRASE": "secret secret/name",
			"0" + desktop + "env/GH_PAT":         "secret secret/value",
			"0" + desktop + "env/PGPASS":         "secret secret/name",
			"0" + desktop + "env/AUTH":           "secret secret/header",
			"0" + desktop + "env/JWT":            "secret secret/value",
		}},
		{"025", nil}, {"026", nil}, {"027", nil},
		{"084", map[string]string{
			"0" + desktop + "args/1":                    "secret secret/argument",
			"0" + desktop + "args/2":                    "secret secret/connection-string",
			"0" + desktop + "env/API_KEY":               "secret secret/value",
			"0" + desktop + "env/AWS_SECRET_ACCESS_KEY": "secret secret/value",
			"0" + desktop + "env/AWS_ACCESS_KEY_ID":     "secret secret/value",
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile("testdata/cases/" + c.file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var manifest map[string]any
			if err := json.Unmarshal(data, &manifest); err != nil {
				t.Fatal(err)
			}
			w := walker{results: map[string]Result{}}
			w.walk(manifest, "", Context{})
			got := map[string]string{}
			for pointer, r := range w.results {
				for _, m := range r.Matches {
					got[strings.TrimPrefix(pointer, "/mcp/servers/")] = fmt.Sprint(m.Verdict, " ", m.Rule)
				}
			}
			for _, pointer := range slices.Sorted(maps.Keys(c.want)) {
				if got[pointer] != c.want[pointer] {
					t.Errorf("%s: got %q, want %q", pointer, got[pointer], c.want[pointer])
				}
				delete(got, pointer)
			}
			for pointer, found := range got {
				t.Errorf("%s: got %q, want nothing", pointer, found)
			}
		})
	}
}
