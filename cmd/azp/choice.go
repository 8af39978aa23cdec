package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	value *string
	words []string
}

// choiceVar adds a flag that takes one of a few words, the first unless it is given, and completes them.
func choiceVar(cmd *cobra.Command, value *string, name, usage string, words ...string) {
	*value = words[0]
	cmd.Flags().Var(choice{value, words}, name, usage+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func (c choice) String() string {
	if c.value == nil { // the flag library asks a zero value for its default
		return ""
	}
	return *c.value
}

func (c choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("it takes one of %s", strings.Join(c.words, ", "))
	}
	*c.value = word
	return nil
}

func (choice) Type() string { return "string" }
