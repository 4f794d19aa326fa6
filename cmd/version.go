package cmd

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/partition"
)

func newVersion(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(sh.stdout, "quire %s %s %s/%s\n", partition.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("unexpected argument %q", args[0])
	}
	return nil
}
