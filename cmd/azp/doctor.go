package main

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/internal/doctor"
	"github.com/azphalt/submissions/internal/environ"
)

func newDoctor() *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use:   "doctor OWNER/REPO",
		Short: "Look whether a repository on GitHub has what the Action and the bot need",
		Long: `doctor looks whether a repository on GitHub has what the Action and the bot need, and names the mend of each fault: the App's permissions, events and webhook, the configuration, the workflow with the Action, the required check, and protection that would refuse the bot's merge. It changes nothing.

It looks as the bot's App where AZP_GITHUB_APP_ID and AZP_GITHUB_PRIVATE_KEY (or AZP_GITHUB_PRIVATE_KEY_FILE) are set, else as the owner of GITHUB_TOKEN or GH_TOKEN.

Exit status: 0 when all is well, 1 when there is something to mend, 3 when something could not be looked at.`,
		Example: `  azp doctor acme/registry
  azp doctor acme/registry --github-url https://github.example.com`,
		Args:              exactly(1, "one OWNER/REPO"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := doctorOptions(args[0], server)
			if err != nil {
				return err
			}
			report, err := doctor.Examine(cmd.Context(), o)
			if err != nil {
				return err
			}
			if err := report.Write(cmd.OutOrStdout()); err != nil {
				return err
			}
			switch {
			case report.Count(doctor.Fault) > 0:
				return errFindings
			case report.Count(doctor.Unknown) > 0:
				return errors.New("not everything could be looked at")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&server, "github-url", "", "address of GitHub Enterprise (AZP_GITHUB_URL; github.com unless set)")
	return cmd
}

// doctorOptions reads what names the repository and what is set in the environment.
func doctorOptions(repository, server string) (doctor.Options, error) {
	owner, name, ok := strings.Cut(repository, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return doctor.Options{}, usagef("%q is no OWNER/REPO", repository)
	}
	r := environ.Reader{Getenv: os.Getenv}
	o := doctor.Options{
		Owner: owner, Name: name, GitHub: cmp.Or(server, strings.TrimSpace(r.Get("AZP_GITHUB_URL", ""))),
		Token:  cmp.Or(os.Getenv("GITHUB_TOKEN"), os.Getenv("GH_TOKEN")),
		AppKey: []byte(r.Get("AZP_GITHUB_PRIVATE_KEY", "")),
	}
	id := strings.TrimSpace(r.Get("AZP_GITHUB_APP_ID", ""))
	if err := r.Err(); err != nil {
		return o, err
	}
	if id != "" {
		var err error
		if o.AppID, err = strconv.ParseInt(id, 10, 64); err != nil {
			return o, usagef("AZP_GITHUB_APP_ID is no number")
		}
	}
	if len(o.AppKey) > 0 && o.AppID == 0 {
		return o, usagef("AZP_GITHUB_PRIVATE_KEY is set, but not AZP_GITHUB_APP_ID")
	}
	return o, nil
}
