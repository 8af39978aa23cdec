package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-githubactions"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/build"
	"github.com/azphalt/submissions/internal/checkrun"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/internal/updates"
)

// CheckName is the name of the check run.
const CheckName = "azphalt / submission"

// Exit statuses of the step.
const (
	exitPass   = 0
	exitFail   = 1
	exitNoLook = 3
)

// Env is the world that a run sees.
type Env struct {
	Getenv func(string) string
	Stdout io.Writer
	Now    func() time.Time
}

// Run runs the step and returns its exit status. Whatever can be said is said before it ends.
func Run(ctx context.Context, env Env) int {
	gha := githubactions.New(githubactions.WithWriter(env.Stdout), githubactions.WithGetenv(env.Getenv))
	s := &step{env: env, gha: gha}
	status, err := s.run(ctx)
	if err != nil {
		_ = s.say(annotate.Command{Severity: finding.Error, Title: "azphalt", Message: err.Error()}) // the status says it too
		return exitNoLook
	}
	return status
}

// step is one run.
type step struct {
	env       Env
	gha       *githubactions.Action
	in        Inputs
	event     Event
	scope     *Scope
	publisher *checkrun.Publisher // nil without a token
	report    *finding.Report
	updates   string // Markdown for the summary: what changed in packages that have an earlier version
	roles     string // Markdown for the summary: findings that do not count, and which roles gain or lose each other
}

func (s *step) run(ctx context.Context) (int, error) {
	var err error
	if s.in, err = ReadInputs(s.gha.GetInput); err != nil {
		return 0, err
	}
	if s.event, err = ReadEvent(s.env.Getenv, os.ReadFile); err != nil {
		return 0, err
	}
	if s.in.Token != "" {
		client, err := newClient(s.env.Getenv("GITHUB_API_URL"), s.in.Token)
		if err != nil {
			return 0, fmt.Errorf("GITHUB_API_URL: %w", err)
		}
		s.publisher = &checkrun.Publisher{Client: client}
	}
	var ask remoteChanges
	if s.publisher != nil {
		ask = changedFiles(s.publisher, s.event)
	}
	s.scope, err = FindScope(ctx, s.workspace(), s.event, s.in.ChangedOnly != "false", ask)
	if err != nil {
		return 0, err
	}
	defer s.scope.Close()
	selected, err := s.judge(ctx)
	if err != nil {
		return 0, err
	}
	return s.tell(ctx, selected)
}

func (s *step) workspace() string {
	if dir := s.env.Getenv("GITHUB_WORKSPACE"); dir != "" {
		return dir
	}
	return "."
}

// judge makes the report.
func (s *step) judge(ctx context.Context) (check.Selection, error) {
	s.report = &finding.Report{Tool: finding.Tool{Name: "azp", Version: build.Version()}}
	cfg, err := s.readConfig()
	if err != nil {
		return check.Selection{}, err
	}
	trust, err := s.readTrust()
	if err != nil {
		return check.Selection{}, err
	}
	if cfg.Submissions == config.Default().Submissions {
		cfg.Submissions = s.in.Path
	}
	opt := check.Options{Config: cfg, Trust: trust, Account: s.event.Account, Probe: s.in.Probe}
	if s.scope.Base != nil && s.event.changes() {
		opt.Published = published.New(s.scope.Base, cfg.Submissions, cfg.Registry.Path, azp.Limits{})
	}
	c := check.New(opt)
	selected, err := c.Select(s.scope.Tree, s.in.Path, s.scope.Changed)
	if err != nil {
		return selected, err
	}
	if s.report.Packages, err = c.JudgeAll(ctx, s.scope.Tree, selected, nil); err != nil {
		return selected, err
	}
	if opt.Published != nil {
		if s.updates, err = updates.Markdown(ctx, opt.Published, s.scope.Tree, selected.Targets, maxUpdates); err != nil {
			return selected, err
		}
	}
	if err := s.judgeRoles(c); err != nil {
		return selected, err
	}
	cfg.ApplyWaivers(s.report, s.env.Now(), func(config.Waiver) bool { return s.scope.Changed == nil })
	s.report.Sort()
	return selected, nil
}

// readConfig reads the configuration of the base, so that no change can loosen what it is judged by. Where the change
// touches the configuration, the faults that count are those of what it would become: it may be what mends the base's.
func (s *step) readConfig() (*config.Config, error) {
	if s.scope.Base == nil {
		s.scope.note("The configuration could not be read, as the checkout does not hold the base of the change: %s.", fetchDepth)
		return config.Default(), nil
	}
	cfg, faults, err := parseConfig(s.scope.Base, s.in.Config)
	if err == nil && slices.Contains(s.scope.Changed, s.in.Config) {
		_, faults, err = parseConfig(s.scope.Tree, s.in.Config)
	}
	s.report.General = append(s.report.General, faults...)
	return cfg, err
}

// parseConfig reads the configuration of a tree; the defaults where it has none.
func parseConfig(tree fs.FS, name string) (*config.Config, []finding.Finding, error) {
	data, err := fs.ReadFile(tree, name)
	if errors.Is(err, fs.ErrNotExist) {
		return config.Default(), nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", name, err)
	}
	cfg, faults := config.Parse(name, data, check.Rules())
	return cfg, faults, nil
}

// readTrust reads the trust store of the base.
func (s *step) readTrust() (*azp.TrustStore, error) {
	if s.in.TrustStore == "" || s.scope.Base == nil {
		return nil, nil
	}
	data, err := fs.ReadFile(s.scope.Base, s.in.TrustStore)
	if err != nil {
		return nil, fmt.Errorf("reading the trust store %s of the base: %w", s.in.TrustStore, err)
	}
	store, err := azp.ParseTrustStore(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.in.TrustStore, err)
	}
	return &store, nil
}

// tell says what was found, in every place, and returns the exit status.
func (s *step) tell(ctx context.Context, selected check.Selection) (int, error) {
	hidden, err := s.annotate(ctx)
	if err != nil {
		return 0, err
	}
	notes := append(slices.Clone(s.scope.Notes), removedNotes(selected.Removed)...)
	for _, n := range notes {
		if err := s.say(annotate.Command{Severity: finding.Notice, Title: "azphalt", Message: n}); err != nil {
			return 0, err
		}
	}
	if err := s.summarise(notes, hidden); err != nil {
		return 0, err
	}
	if err := s.writeFiles(); err != nil {
		return 0, err
	}
	s.setOutputs()
	if err := s.say(annotate.Headline(s.report)); err != nil {
		return 0, err
	}
	if s.report.Failed(s.in.FailOn) {
		return exitFail, nil
	}
	return exitPass, nil
}

// say prints a line of the job's log.
func (s *step) say(line any) error {
	_, err := fmt.Fprintln(s.env.Stdout, line)
	return err
}

// annotate puts the findings on their lines and returns how many had no room.
func (s *step) annotate(ctx context.Context) (hidden int, err error) {
	switch s.in.Annotations {
	case None:
		return 0, nil
	case CheckRun:
		done, err := s.publish(ctx)
		if done || err != nil {
			return 0, err
		}
	}
	_, hidden, err = annotate.Commands(s.env.Stdout, s.report, annotate.CommandOptions{})
	return hidden, err
}

// publish puts the report into a check run. Where the token may not, as on a pull request from a fork, that is no fault of
// the packages: workflow commands do instead.
func (s *step) publish(ctx context.Context) (bool, error) {
	if s.publisher == nil {
		s.scope.note("A check run needs the input token; workflow commands are used instead.")
		return false, nil
	}
	var summary strings.Builder
	if err := annotate.Summary(&summary, s.report, annotate.SummaryOptions{Limit: annotate.CheckSummaryLimit - len(s.updates), Notes: s.scope.Notes, RuleURL: check.RuleURL}); err != nil {
		return false, err
	}
	err := s.publisher.Publish(ctx, checkrun.Run{
		Owner: s.event.Owner, Repo: s.event.Repository, HeadSHA: s.scope.HeadSHA, Name: CheckName,
		Title: annotate.Headline(s.report), Summary: summary.String() + s.updates, Conclusion: checkrun.Conclude(s.report, s.in.FailOn),
		Annotations: annotate.Annotations(s.report),
	})
	switch {
	case err == nil:
		return true, nil
	case checkrun.Forbidden(err):
		s.scope.note("The token may not write check runs, as on pull requests from forks; workflow commands are used instead.")
	default:
		s.scope.note("The check run could not be written (%v); workflow commands are used instead.", err)
	}
	return false, nil
}

// maxUpdates bounds what is said of updates, in bytes: the findings of a check run need the room.
const maxUpdates = 32 << 10

// summarise writes the job's summary.
func (s *step) summarise(notes []string, hidden int) error {
	if s.env.Getenv("GITHUB_STEP_SUMMARY") == "" {
		return nil
	}
	var out strings.Builder
	if err := annotate.Summary(&out, s.report, annotate.SummaryOptions{Limit: annotate.JobSummaryLimit - len(s.updates) - len(s.roles) - 1, Hidden: hidden, Notes: notes, RuleURL: check.RuleURL}); err != nil {
		return err
	}
	out.WriteString(s.updates)
	if s.roles != "" {
		out.WriteString("\n" + s.roles)
	}
	s.gha.AddStepSummary(out.String())
	return nil
}

// writeFiles writes the report, and SARIF where it is asked for.
func (s *step) writeFiles() error {
	err := writeInWorkspace(s.workspace(), reportFile, func(w io.Writer) error { return annotate.JSON(w, s.report) })
	if err != nil {
		return fmt.Errorf("writing %s: %w", reportFile, err)
	}
	if s.in.SARIFFile == "" {
		return nil
	}
	if err := writeInWorkspace(s.workspace(), s.in.SARIFFile, func(w io.Writer) error { return sarif(w, s.report) }); err != nil {
		return fmt.Errorf("writing %s: %w", s.in.SARIFFile, err)
	}
	return nil
}

// setOutputs sets the outputs for later steps.
func (s *step) setOutputs() {
	if s.env.Getenv("GITHUB_OUTPUT") == "" {
		return
	}
	sum := s.report.Summary()
	verdict := finding.Pass
	if s.report.Failed(s.in.FailOn) {
		verdict = finding.Fail
	}
	s.gha.SetOutput("verdict", string(verdict))
	s.gha.SetOutput("errors", strconv.Itoa(sum.Errors))
	s.gha.SetOutput("warnings", strconv.Itoa(sum.Warnings))
	s.gha.SetOutput("packages", strconv.Itoa(sum.Packages))
	s.gha.SetOutput("report", reportFile)
	s.gha.SetOutput("sarif", s.in.SARIFFile)
}
