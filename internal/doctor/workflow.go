package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-github/v62/github"
	"go.yaml.in/yaml/v4"
)

const (
	actionName     = "azphalt/submissions"
	checkoutName   = "actions/checkout"
	workflowFolder = ".github/workflows"
)

// maxWorkflows bounds how many workflows are read, one request each.
const maxWorkflows = 100

// workflow is what matters of a workflow's file.
type workflow struct {
	On          triggers
	Permissions permissions
	Jobs        map[string]job
}

type job struct {
	Permissions permissions
	Steps       []step
}

type step struct {
	Uses string
	With map[string]any
}

// uses reports whether a step uses an action of that name, and which version.
func (s step) uses(name string) (version string, ok bool) {
	action, version, _ := strings.Cut(s.Uses, "@")
	return version, strings.EqualFold(action, name)
}

// triggers are the events of a workflow, each with its filters. GitHub takes one name, a list of names, or a mapping.
type triggers map[string]filters

type filters struct {
	Branches       []string
	BranchesIgnore []string `yaml:"branches-ignore"`
	Paths          []string
	PathsIgnore    []string `yaml:"paths-ignore"`
}

// UnmarshalYAML reads any of the three forms.
func (t *triggers) UnmarshalYAML(n *yaml.Node) error {
	*t = triggers{}
	switch n.Kind {
	case yaml.ScalarNode:
		(*t)[n.Value] = filters{}
		return nil
	case yaml.SequenceNode:
		var names []string
		err := n.Decode(&names)
		for _, name := range names {
			(*t)[name] = filters{}
		}
		return err
	}
	var events map[string]yaml.Node
	if err := n.Decode(&events); err != nil {
		return err
	}
	for name, node := range events {
		var f filters
		if err := node.Decode(&f); err != nil && (name == "pull_request" || name == "merge_group") { // schedules are lists
			return err
		}
		(*t)[name] = f
	}
	return nil
}

// permissions are those of a workflow's token: nil where nothing is said of them.
type permissions map[string]string

// UnmarshalYAML reads a mapping, or one of the words read-all and write-all.
func (p *permissions) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		*p = permissions{"all": strings.TrimSuffix(n.Value, "-all")}
		return nil
	}
	*p = permissions{}
	return n.Decode((*map[string]string)(p))
}

// lookAtWorkflows looks for the workflow that runs the Action.
func (e *examination) lookAtWorkflows(ctx context.Context) error {
	var list []github.RepositoryContent
	err := e.get(ctx, "/contents/"+workflowFolder+"?ref="+url.QueryEscape(e.Branch), &list)
	if status(err) != http.StatusNotFound && hidden(err) {
		e.add(Unknown, "The workflows could not be read.", "Let whoever looks read the repository's contents.")
		return nil
	}
	if err != nil && status(err) != http.StatusNotFound {
		return fmt.Errorf("the workflows can't be listed: %w", err)
	}
	found := false
	for i, f := range list {
		if ext := path.Ext(f.GetName()); i >= maxWorkflows || f.GetType() != "file" || ext != ".yml" && ext != ".yaml" {
			continue
		}
		data, err := e.file(ctx, f.GetPath())
		if err != nil {
			return fmt.Errorf("a workflow can't be read: %w", err)
		}
		used := e.judgeWorkflow(f.GetPath(), data)
		found = found || used
	}
	if !found {
		e.add(Fault, "No workflow runs the Action "+actionName+".", "Copy examples/verify-submissions.yml of "+actionName+" to "+workflowFolder+"/.")
	}
	return nil
}

// judgeWorkflow reports whether a workflow runs the Action, and judges it if so.
func (e *examination) judgeWorkflow(file string, data []byte) bool {
	if !strings.Contains(strings.ToLower(string(data)), actionName+"@") {
		return false
	}
	var w workflow
	if err := yaml.Unmarshal(data, &w); err != nil {
		e.add(Fault, fmt.Sprintf("%s mentions the Action, but can't be read as a workflow.", file), "Compare it with examples/verify-submissions.yml of "+actionName+".")
		return true
	}
	for _, id := range slices.Sorted(maps.Keys(w.Jobs)) {
		for _, s := range w.Jobs[id].Steps {
			if version, ok := s.uses(actionName); ok {
				e.judgeJob(file, w, w.Jobs[id], version)
				return true
			}
		}
	}
	return false
}

// judgeJob judges the job that runs the Action.
func (e *examination) judgeJob(file string, w workflow, j job, version string) {
	before := e.Count(Fault)
	fault := func(says, mend string) { e.add(Fault, file+" "+says, mend) }
	if !pinned.MatchString(version) {
		fault(fmt.Sprintf("takes the Action from %q, which can become anything at any time.", version), "Use a release, "+actionName+"@v1, or a commit by its full id.")
	}
	e.judgeTriggers(fault, w.On)
	judgeToken(fault, w.Permissions, j.Permissions)
	judgeCheckout(fault, j.Steps)
	if e.Count(Fault) == before {
		e.add(Good, fmt.Sprintf("%s runs the Action, version %s, safely on forks.", file, version), "")
	}
}

// pinned is a version that only the Action's own authors can move, or a commit.
var pinned = regexp.MustCompile(`^(v[0-9]+(\.[0-9]+){0,2}|[0-9a-f]{40})$`)

func (e *examination) judgeTriggers(fault func(says, mend string), on triggers) {
	for _, risky := range []string{"pull_request_target", "workflow_run", "issue_comment"} {
		if _, ok := on[risky]; ok {
			fault("runs on "+risky+": with secrets and a token that can write in reach of what a stranger sends.", "Run the Action on pull_request instead; it needs no secret.")
		}
	}
	for _, need := range [...]struct{ event, why string }{
		{"pull_request", "pull requests are not verified there"},
		{"merge_group", "if the check is required, whatever enters a merge queue waits for ever"},
	} {
		event, why := need.event, need.why
		f, ok := on[event]
		if !ok {
			fault("does not run on "+event+": "+why+".", "Add `"+event+":` below `on:`.")
			continue
		}
		if len(f.Paths)+len(f.PathsIgnore) > 0 {
			fault("filters "+event+" by paths: a required check that is filtered out stays pending for ever.", "Take the filter out; where no submission is touched the Action passes at once.")
		}
		if !f.includes(e.Branch) {
			fault(fmt.Sprintf("does not run on %s for the branch %s.", event, e.Branch), "Add the branch to `branches:`, or take the filter out.")
		}
	}
}

// includes reports whether the filters let an event of a branch through. As GitHub has it, the last pattern that fits
// counts.
func (f filters) includes(branch string) bool {
	fits := func(patterns []string) (in bool) {
		for _, p := range patterns {
			positive, negated := strings.CutPrefix(p, "!")
			if ok, err := doublestar.Match(positive, branch); ok && err == nil {
				in = !negated
			}
		}
		return in
	}
	return (len(f.Branches) == 0 || fits(f.Branches)) && !fits(f.BranchesIgnore)
}

// writable are what the token of a workflow with the Action may well write: check runs, and code scanning.
var writable = []string{"checks", "security-events"}

func judgeToken(fault func(says, mend string), workflow, job permissions) {
	const mend = "Give it `permissions: { contents: read }`."
	granted := job
	if granted == nil {
		granted = workflow
	}
	if granted == nil {
		fault("says nothing of its token, which may well be able to write to the repository.", mend)
	}
	for _, name := range slices.Sorted(maps.Keys(granted)) {
		if granted[name] == "write" && !slices.Contains(writable, name) {
			fault(fmt.Sprintf("has a token that can write (%s), which the Action does not need.", name), mend)
		}
	}
}

func judgeCheckout(fault func(says, mend string), steps []step) {
	for _, s := range steps {
		if _, ok := s.uses(checkoutName); !ok {
			continue
		}
		if fmt.Sprint(s.With["fetch-depth"]) != "0" {
			fault("checks out without the history that tells what a pull request changes.", "Give the step "+checkoutName+" `fetch-depth: 0`.")
		}
		if fmt.Sprint(s.With["persist-credentials"]) != "false" {
			fault("leaves its token in the checkout, where later steps find it.", "Give the step "+checkoutName+" `persist-credentials: false`.")
		}
		return
	}
	fault("does not check the repository out.", "Add a step with "+checkoutName+" before the Action.")
}
