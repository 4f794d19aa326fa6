package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/partition"
)

// flagGroup is the annotation that says under which heading a flag stands in the help text.
const flagGroup = "quire_group"

// The headings, in their order.
const (
	groupInput  = "Input"
	groupOutput = "Output"
	groupServer = "Server"
	groupSplit  = "Splitting"
	groupRetry  = "Retrying and time limits"
	groupCache  = "Cache"
	groupAPI    = "API fields, passed through; unset is absent"
	groupOther  = "Other"
)

// group puts the flags that define adds under a heading.
func group(flags *pflag.FlagSet, heading string, define func(*pflag.FlagSet)) {
	added := pflag.NewFlagSet("", pflag.ContinueOnError)
	define(added)
	added.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{flagGroup: {heading}}
		flags.AddFlag(f)
	})
}

// newHelp is the help command; an unknown topic is a usage error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command or topic]",
		Short: "Help about a command or a topic",
		RunE: func(c *cobra.Command, args []string) error {
			command, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError("no help for %q", strings.Join(args, " "))
			}
			command.InitDefaultHelpFlag()
			return command.Help()
		},
	}
}

// usage prints a command's usage with its flags under their headings.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		listCommands(w, "Commands", c.Commands(), func(sub *cobra.Command) bool { return sub.IsAvailableCommand() })
		listCommands(w, "Topics (quire help TOPIC)", c.Commands(), func(sub *cobra.Command) bool {
			return sub.IsAdditionalHelpTopicCommand()
		})
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	for _, heading := range []string{groupInput, groupOutput, groupSplit, groupServer, groupRetry, groupCache, groupAPI, groupOther} {
		section := pflag.NewFlagSet("", pflag.ContinueOnError)
		section.SortFlags = false
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains(f.Annotations[flagGroup], heading) || heading == groupOther && f.Annotations[flagGroup] == nil {
				section.AddFlag(f)
			}
		})
		if section.HasAvailableFlags() {
			listFlags(w, heading, section)
		}
	}
	return nil
}

func listCommands(w io.Writer, heading string, commands []*cobra.Command, wanted func(*cobra.Command) bool) {
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	for _, sub := range commands {
		if !wanted(sub) {
			continue
		}
		if heading != "" {
			fmt.Fprintf(table, "\n%s:\n", heading)
			heading = ""
		}
		fmt.Fprintf(table, "  %s\t%s\n", sub.Name(), sub.Short)
	}
	_ = table.Flush() // help goes to the terminal; there is nobody left to tell
}

func listFlags(w io.Writer, heading string, flags *pflag.FlagSet) {
	fmt.Fprintf(w, "\n%s:\n", heading)
	table := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	flags.VisitAll(func(f *pflag.Flag) {
		short := "    "
		if f.Shorthand != "" {
			short = "-" + f.Shorthand + ", "
		}
		value, meaning := pflag.UnquoteUsage(f)
		if f.NoOptDefVal != "" {
			value = "" // a flag that needs no value
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			meaning += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(table, "  %s--%s\t%s\n", short, strings.TrimSpace(f.Name+" "+value), meaning)
	})
	_ = table.Flush() // as above
}

// environmentVariables is the table that quire help environment prints.
var environmentVariables = []struct{ name, meaning string }{
	{partition.EnvAPIKey, "the API key, unless --api-key-file is given"},
	{partition.EnvAPIURL, "the API's base URL or endpoint, unless --url is given"},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies"},
	{"XDG_CACHE_HOME", "where the cache is, unless --cache-dir is given"},
	{"TMPDIR", "where chunks and answers wait while a document is under way without a cache"},
	{"NO_COLOR, TERM=dumb", "no live progress line"},
}

func newEnvironmentTopic() *cobra.Command {
	topic := &cobra.Command{Use: "environment", Short: "The environment variables that count"}
	topic.SetHelpFunc(func(c *cobra.Command, _ []string) {
		table := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
		for _, row := range environmentVariables {
			fmt.Fprintf(table, "%s\t%s\n", row.name, row.meaning)
		}
		_ = table.Flush() // as above
	})
	return topic
}
