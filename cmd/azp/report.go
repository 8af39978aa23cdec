package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/config"
)

// reportFlags are the flags of the commands whose result is a report.
type reportFlags struct{ format, config, failOn string }

func (f *reportFlags) register(cmd *cobra.Command) {
	choiceVar(cmd, &f.format, "format", "how to print", annotate.Formats()...)
	cmd.Flags().StringVar(&f.config, "config", "", "the repository's configuration, as in .github/azphalt.yml")
	choiceVar(cmd, &f.failOn, "fail-on", "the severity that fails", finding.Error.String(), finding.Warning.String())
}

// readConfig reads the configuration, nil where none was named, and what is wrong with it.
func (f *reportFlags) readConfig() (*config.Config, []finding.Finding, error) {
	if f.config == "" {
		return nil, nil, nil
	}
	data, err := os.ReadFile(f.config)
	if err != nil {
		return nil, nil, err
	}
	cfg, faults := config.Parse(filepath.ToSlash(f.config), data, check.Rules())
	return cfg, faults, nil
}

// write prints a report, and fails where a finding is as grave as asked for.
func (f *reportFlags) write(cmd *cobra.Command, report *finding.Report) error {
	failOn, err := finding.ParseSeverity(f.failOn)
	if err != nil {
		return err
	}
	if err := annotate.Write(cmd.OutOrStdout(), f.format, report, faces(cmd.OutOrStdout())); err != nil {
		return err
	}
	if report.Failed(failOn) {
		return errFindings
	}
	return nil
}

// faces are the options of the writers for a stream.
func faces(w io.Writer) annotate.Options {
	return annotate.Options{
		Text:    annotate.TextOptions{Color: isColorful(w), Width: width(w)},
		SARIF:   annotate.SARIFOptions{Rules: check.Rules(), RuleURL: check.RuleURL},
		Summary: annotate.SummaryOptions{RuleURL: check.RuleURL},
	}
}
