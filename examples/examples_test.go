// Package examples tests the workflows that repositories copy, and this repository's own.
package examples

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rhysd/actionlint"
)

// lint parses a workflow and returns what actionlint has to say about it.
func lint(t *testing.T, file string) (*actionlint.Workflow, []*actionlint.Error) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := linter.Lint(file, content, nil)
	if err != nil {
		t.Fatal(err)
	}
	workflow, _ := actionlint.Parse(content) // its errors are among those of Lint
	return workflow, errs
}

func workflows(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows found (%v)", err)
	}
	return files
}

func TestWorkflowsAreCorrect(t *testing.T) {
	ours, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(ours) == 0 {
		t.Fatalf("this repository's own workflows were not found (%v)", err)
	}
	for _, file := range slices.Concat(workflows(t), ours) {
		_, errs := lint(t, file)
		for _, e := range errs {
			t.Error(e)
		}
	}
}

// A workflow that strangers' pull requests start must have nothing to lose, and must always come to an end.
func TestWorkflowsAreSafeOnForks(t *testing.T) {
	for _, file := range workflows(t) {
		w, _ := lint(t, file)
		var events []string
		for _, on := range w.On {
			events = append(events, on.EventName())
			if hook, ok := on.(*actionlint.WebhookEvent); ok && (!hook.Paths.IsEmpty() || !hook.PathsIgnore.IsEmpty()) {
				t.Errorf("%s: a paths filter leaves a required check pending", file)
			}
		}
		if slices.Sort(events); !slices.Equal(events, []string{"merge_group", "pull_request", "push"}) {
			t.Errorf("%s: runs on %v", file, events)
		}
		if p := w.Permissions; p == nil || p.All != nil || len(p.Scopes) != 1 || p.Scopes["contents"] == nil || p.Scopes["contents"].Value.Value != "read" {
			t.Errorf("%s: asks for more than to read", file)
		}
		for name, job := range w.Jobs {
			if job.Permissions != nil || job.TimeoutMinutes == nil {
				t.Errorf("%s: job %s has permissions of its own, or no limit of time", file, name)
			}
			checkSteps(t, file, job)
		}
	}
}

// checkSteps asks for the two steps: a checkout with history and without credentials, and the Action.
func checkSteps(t *testing.T, file string, job *actionlint.Job) {
	t.Helper()
	var uses []string
	for _, step := range job.Steps {
		exec, ok := step.Exec.(*actionlint.ExecAction)
		if !ok {
			t.Errorf("%s: runs a script", file)
			continue
		}
		uses = append(uses, exec.Uses.Value)
		if exec.Uses.Value != "actions/checkout@v6" {
			continue
		}
		for name, want := range map[string]string{"fetch-depth": "0", "persist-credentials": "false"} {
			if in := exec.Inputs[name]; in == nil || in.Value.Value != want {
				t.Errorf("%s: the checkout needs %s: %s", file, name, want)
			}
		}
	}
	if !slices.Equal(uses, []string{"actions/checkout@v6", "azphalt/submissions@v1"}) {
		t.Errorf("%s: uses %v", file, uses)
	}
}
