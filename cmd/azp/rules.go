package main

import (
	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/internal/ruledoc"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the rules, or explain one",
		Example: `  azp rules
  azp rules mcp/literal-secret`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("rules takes one ID at most")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range check.Rules() {
				ids = append(ids, r.ID+"\t"+r.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r, ok := check.Rule(args[0])
				if !ok {
					return usagef("there is no rule %q; `azp rules` lists them", args[0])
				}
				return ruledoc.Text(cmd.OutOrStdout(), r)
			}
			return ruledoc.List(cmd.OutOrStdout(), check.Rules())
		},
	}
}
