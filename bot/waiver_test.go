package bot_test

import (
	"strings"
	"testing"
)

// withToken is a manifest with a literal credential in an argument.
func withToken() string {
	return strings.Replace(manifest("com.example.demo-mcp", "1.0.0"), `"remote":`,
		`"local": { "platforms": { "desktop": { "command": "srv", "args": ["--token", "Kx9vL27qWz4mTp0aPq"] } } }, "remote":`, 1)
}

// A waiver of the base branch lets a finding pass until its end; what was waived stays in sight, and so does a waiver that
// has ended.
func TestWaivers(t *testing.T) {
	t.Parallel()
	for until, want := range map[string]struct{ conclusion, says string }{
		"2999-12-31": {"", "waived until 2999-12-31"},
		"2020-01-31": {"failure", "config/waiver-expired"},
	} {
		w := newWorld(t, enabled+`waivers: [ { rule: secret/argument, path: submissions/com.example.demo-mcp/**, reason: documented sample key, until: `+until+" } ]\n")
		_, run := w.lint(source, withToken())
		if (run.Conclusion == "failure") != (want.conclusion == "failure") {
			t.Errorf("until %s: %s\n%s", until, run.Conclusion, run.Summary)
		}
		text := run.Summary + run.Text
		for _, a := range run.Annotations {
			text += a.Message
		}
		if !strings.Contains(text, want.says) || strings.Contains(text, "Kx9vL27qW") {
			t.Errorf("until %s: %s", until, text)
		}
	}
}
