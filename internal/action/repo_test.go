package action

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repo is a real git repository.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits everything; a nil content removes a file.
func (r *repo) commit(files map[string]string) string {
	r.t.Helper()
	for name, content := range files {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "change")
	return r.git("rev-parse", "HEAD")
}

// clone makes the checkout of a run: the branch of a repository with a history of that depth, 0 for all of it.
func (r *repo) clone(branch string, depth int) *repo {
	r.t.Helper()
	c := &repo{r.t, filepath.Join(r.t.TempDir(), "work")}
	args := []string{"clone", "-q", "-b", branch, "file://" + r.dir, c.dir}
	if depth > 0 {
		args = append(args[:2:2], append([]string{fmt.Sprintf("--depth=%d", depth)}, args[2:]...)...)
	}
	cmd := exec.Command("git", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git clone: %v\n%s", err, out)
	}
	return c
}

// outcome is what a run left behind.
type outcome struct {
	status          int
	stdout, summary string
	outputs         map[string]string
	report          struct {
		Packages []struct {
			Path     string
			Verdict  string
			Findings []struct {
				Rule, File, Entry string
				Line              int
			}
		}
		General []struct{ Rule string }
		Roles   []struct{ Path string }
	}
}

// run runs the Action in the checkout. Event is the payload.
func (r *repo) run(name string, event any, env map[string]string) outcome {
	r.t.Helper()
	side := r.t.TempDir()
	payload, err := json.Marshal(event)
	if err != nil {
		r.t.Fatal(err)
	}
	file := func(name string) string {
		path := filepath.Join(side, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			r.t.Fatal(err)
		}
		return path
	}
	vars := map[string]string{
		"GITHUB_WORKSPACE": r.dir, "GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "acme/registry",
		"GITHUB_EVENT_PATH": file("event.json"), "GITHUB_OUTPUT": file("output"), "GITHUB_STEP_SUMMARY": file("summary"),
	}
	if err := os.WriteFile(vars["GITHUB_EVENT_PATH"], payload, 0o644); err != nil {
		r.t.Fatal(err)
	}
	maps.Copy(vars, env)
	var stdout bytes.Buffer
	o := outcome{outputs: map[string]string{}}
	o.status = Run(context.Background(), Env{Getenv: func(k string) string { return vars[k] }, Stdout: &stdout, Now: time.Now})
	o.stdout = stdout.String()
	summary, err := os.ReadFile(vars["GITHUB_STEP_SUMMARY"])
	if err != nil {
		r.t.Fatal(err)
	}
	o.summary = string(summary)
	o.readOutputs(r.t, vars["GITHUB_OUTPUT"])
	if name := o.outputs["report"]; name != "" {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			r.t.Fatal(err)
		}
		if err := json.Unmarshal(data, &o.report); err != nil {
			r.t.Fatal(err)
		}
	}
	return o
}

// readOutputs reads the file of outputs: "name<<DELIMITER", the value, "DELIMITER".
func (o *outcome) readOutputs(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for i := 0; i+2 < len(lines); i++ {
		if name, _, ok := strings.Cut(lines[i], "<<"); ok {
			o.outputs[name] = lines[i+1]
			i += 2
		}
	}
}

func (o outcome) paths() string {
	var paths []string
	for _, p := range o.report.Packages {
		paths = append(paths, p.Path+":"+p.Verdict)
	}
	return strings.Join(paths, " ")
}

// pullRequest is the payload of a pull_request event.
func pullRequest(base, head string) any {
	return map[string]any{"number": 7, "pull_request": map[string]any{
		"number": 7, "head": map[string]any{"sha": head}, "base": map[string]any{"sha": base},
	}}
}

// manifest is a good manifest of an id; extra stands in the server's object.
func manifest(id, extra string) string {
	return fmt.Sprintf(`{
  "azphalt": "0.1",
  "id": %q,
  "name": "Example",
  "version": "1.0.0",
  "kind": "mcp",
  "license": "MIT",
  "compat": ">=0.1",
  "mcp": {
    "servers": [
      {
        "id": "s",%s
        "remote": { "type": "http", "url": "https://mcp.example.com" }
      }
    ]
  }
}
`, id, extra)
}

func submission(id, extra string) map[string]string {
	return map[string]string{
		"submissions/" + id + "/manifest.json": manifest(id, extra),
		"submissions/" + id + "/LICENSE":       "MIT License\n",
	}
}

const broken = `
        "local": {},`
