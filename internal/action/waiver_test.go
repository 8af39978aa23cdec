package action

import (
	"strings"
	"testing"
)

// withToken is a submission with a literal credential in an argument, in a manifest that is fine but for that.
func withToken(id string) map[string]string {
	return submission(id, `
        "local": { "platforms": { "desktop": { "command": "srv", "args": ["--token", "Kx9vL27qWz4mTp0aPq"] } } },`)
}

func waive(folder, until string) string {
	return "waivers:\n  - { rule: secret/argument, path: \"submissions/" + folder + "/**\", reason: documented sample key, until: " + until + " }\n"
}

// A waiver of the base turns an error into a notice until its end, and the end is a finding at its place.
func TestWaivers(t *testing.T) {
	for until, want := range map[string]struct {
		status int
		says   string
	}{
		"2999-12-31": {0, "waived until 2999-12-31"},
		"2020-01-31": {1, "config/waiver-expired"},
	} {
		r := newRepo(t)
		base := r.commit(map[string]string{".github/azphalt.yml": waive("com.example.new", until)})
		r.git("checkout", "-q", "-b", "feature")
		head := r.commit(withToken("com.example.new"))
		o := r.run("pull_request", pullRequest(base, head), nil)
		if o.status != want.status || !strings.Contains(o.stdout, want.says) {
			t.Errorf("until %s: status %d\n%s", until, o.status, o.stdout)
		}
	}
}

// A change can't waive its own findings.
func TestAChangeWaivesNothingOfItsOwn(t *testing.T) {
	r := newRepo(t)
	base := r.commit(map[string]string{"README.md": "x"})
	r.git("checkout", "-q", "-b", "feature")
	files := withToken("com.example.new")
	files[".github/azphalt.yml"] = waive("com.example.new", "2999-12-31")
	if o := r.run("pull_request", pullRequest(base, r.commit(files)), nil); o.status != 1 || strings.Contains(o.stdout, "waived until") {
		t.Errorf("status %d\n%s", o.status, o.stdout)
	}
}

// A waiver that no finding needs is a finding where everything is judged; a pull request judges what it touches.
func TestUnusedWaivers(t *testing.T) {
	r := newRepo(t)
	files := submission("com.example.old", "")
	files[".github/azphalt.yml"] = waive("com.example.gone", "2999-12-31")
	base := r.commit(files)
	unused := func(o outcome) (n int) {
		for _, f := range o.report.General {
			if f.Rule == "config/waiver-unused" {
				n++
			}
		}
		return n
	}
	if o := r.run("schedule", map[string]any{}, nil); unused(o) != 1 {
		t.Errorf("everything is judged: %v\n%s", o.report.General, o.stdout)
	}
	r.git("checkout", "-q", "-b", "feature")
	head := r.commit(submission("com.example.new", ""))
	if o := r.run("pull_request", pullRequest(base, head), nil); unused(o) != 0 {
		t.Errorf("a pull request: %v", o.report.General)
	}
}
