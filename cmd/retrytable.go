package cmd

import (
	"io"

	"github.com/spf13/cobra"
)

func newRetryTable(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:     "table [POLICY]",
		Short:   "Print a policy as a decision table",
		Long:    "Table prints a policy as Markdown: its rules and its limits. The first rule that matches decides.",
		Example: "  quire retry table\n  quire retry table unstructured-python\n  quire retry table my-policy.yaml",
		Args:    onePolicy,
		RunE: func(_ *cobra.Command, args []string) error {
			policy, err := policyArgument(args)
			if err != nil {
				return err
			}
			_, err = io.WriteString(sh.stdout, policy.Table())
			return err
		},
	}
}
