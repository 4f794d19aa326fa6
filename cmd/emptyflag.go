package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseEmptyFlags refuses a flag for a file, a folder or a URL that was given an empty value, as by
// --url "$URL" without that variable: what it names would silently be something else.
func refuseEmptyFlags(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(flag *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(flag)
		named := name == "file" || name == "folder" || flag.Name == "url"
		if err == nil && named && strings.TrimSpace(flag.Value.String()) == "" {
			err = usageError("--%s is empty", flag.Name)
		}
	})
	return err
}
