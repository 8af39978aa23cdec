// Package action is the GitHub Action: it finds out what a pull request touches, judges it, and says what it found where
// people look: on the lines, in the job's summary, in files and outputs for later steps.
package action

import (
	"fmt"
	"path"
	"strings"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/probe"
)

// Annotations says how findings are put on lines.
type Annotations string

// The ways. Auto is Commands: they need no token, and so work on pull requests from forks.
const (
	Auto     Annotations = "auto"
	Commands Annotations = "commands" // workflow commands, ten a level and step
	CheckRun Annotations = "check-run"
	None     Annotations = "none"
)

// Inputs are the inputs of the step (action.yml).
type Inputs struct {
	Path        string // folder with the submissions
	Roles       string // auto, off, or the folder with the roles
	ChangedOnly string // auto, true or false
	Config      string // path of the configuration in the repository
	TrustStore  string // path of a trust store in the repository, "" for none
	FailOn      finding.Severity
	Annotations Annotations
	SARIFFile   string // path to write in the workspace, "" for none
	Token       string
	Probe       check.Probe // none, wasi, remote or both
}

// ReadInputs reads the inputs; get returns the value of one, "" where it is not set.
func ReadInputs(get func(name string) string) (Inputs, error) {
	or := func(name, def string) string {
		if v := strings.TrimSpace(get(name)); v != "" {
			return v
		}
		return def
	}
	in := Inputs{
		Path: or("path", "submissions"), Roles: or("roles", "auto"), ChangedOnly: or("changed-only", "auto"),
		Config: or("config", ".github/azphalt.yml"), TrustStore: or("trust-store", ""),
		Annotations: Annotations(or("annotations", "auto")), SARIFFile: or("sarif-file", ""), Token: or("token", ""),
	}
	failOn, err := finding.ParseSeverity(or("fail-on", "error"))
	if err != nil || failOn < finding.Warning {
		return in, fmt.Errorf("input fail-on: %q is neither error nor warning", or("fail-on", ""))
	}
	in.FailOn = failOn
	if in.Probe, err = probe.New(or("probe", "none"), ""); err != nil {
		return in, fmt.Errorf("input probe: %w", err)
	}
	switch in.Annotations {
	case Auto, Commands, CheckRun, None:
	default:
		return in, fmt.Errorf("input annotations: %q is none of auto, commands, check-run, none", in.Annotations)
	}
	switch in.ChangedOnly {
	case "auto", "true", "false":
	default:
		return in, fmt.Errorf("input changed-only: %q is none of auto, true, false", in.ChangedOnly)
	}
	for name, p := range map[string]*string{"path": &in.Path, "config": &in.Config, "trust-store": &in.TrustStore, "sarif-file": &in.SARIFFile} {
		if err := inRepository(name, p); err != nil {
			return in, err
		}
	}
	return in, nil
}

// inRepository cleans a path and keeps it within the repository.
func inRepository(name string, p *string) error {
	if *p == "" {
		return nil
	}
	clean := path.Clean(strings.ReplaceAll(*p, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return fmt.Errorf("input %s: %q is not a path within the repository", name, *p)
	}
	*p = clean
	return nil
}
