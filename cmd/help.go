package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is the annotation that says under which heading a flag stands in the help text.
const flagGroup = "quire_group"

// The headings.
const (
	groupInput  = "Input"
	groupOutput = "Output"
	groupRun    = "Run"
	groupServer = "Server"
	groupSplit  = "Splitting"
	groupRetry  = "Retries and time limits"
	groupCache  = "Cache"
	groupAPI    = "API fields, sent only if set (hosted: only in Unstructured's hosted API)"
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

// helpWidth is the most columns of a line of help text. meaningColumn is the last column at which
// the right half of a table may begin: an entry that is too long for the left half gets its own
// line.
const (
	helpWidth     = 80
	meaningColumn = 31
)

// newHelp is the help command; an unknown topic is a usage error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [command or topic]",
		Short:   "Help about a command or a topic",
		Example: "  quire help partition\n  quire help exit-codes",
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

// help prints what a command does, then its usage.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	for _, paragraph := range paragraphs(c) {
		fmt.Fprintf(w, "%s\n\n", fill(paragraph, 0))
	}
	_ = usage(c) // help goes to the terminal; there is nobody left to tell
}

// paragraphs returns the paragraphs of a command's long text, or its short text if it has no long
// one. Within a paragraph, line breaks are spaces.
func paragraphs(c *cobra.Command) []string {
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	return strings.Split(strings.TrimSpace(text), "\n\n")
}

// usage prints how a command is called, with its flags under their headings.
func usage(c *cobra.Command) error {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
	for _, section := range []helpSection{
		{"Commands", commandRows(c, (*cobra.Command).IsAvailableCommand)},
		{"Topics (quire help TOPIC)", commandRows(c, (*cobra.Command).IsAdditionalHelpTopicCommand)},
	} {
		section.print(w)
	}
	fmt.Fprintf(w, "\nExamples:\n%s\n", foldCommands(examples(c)))
	for _, section := range flagSections(c) {
		section.print(w)
	}
	return nil
}

// examples returns a command's own examples. If it has none, it returns the first example of each
// command below it that has one, else of each command below it, else the command's name.
func examples(c *cobra.Command) string {
	if c.HasExample() {
		return strings.TrimRight(c.Example, "\n")
	}
	var withExample, commands []string
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		first, _, _ := strings.Cut(examples(sub), "\n")
		commands = append(commands, first)
		if sub.HasExample() {
			withExample = append(withExample, first)
		}
	}
	switch {
	case len(withExample) > 0:
		return strings.Join(withExample, "\n")
	case len(commands) > 0:
		return strings.Join(commands, "\n")
	default:
		return "  " + c.CommandPath()
	}
}

// A helpSection is rows of two columns under a heading.
type helpSection struct {
	heading string
	rows    []helpRow
}

// A helpRow is a flag, a command or a name, and what it means.
type helpRow struct{ name, meaning string }

func (s helpSection) print(w io.Writer) {
	if len(s.rows) > 0 {
		fmt.Fprintf(w, "\n%s:\n", s.heading)
		printRows(w, "  ", s.rows)
	}
}

// printRows prints rows with their meanings in one column, and wraps those.
func printRows(w io.Writer, indent string, rows []helpRow) {
	column := 0
	for _, row := range rows {
		column = max(column, len(indent)+utf8.RuneCountInString(row.name)+2)
	}
	column = min(column, meaningColumn)
	for _, row := range rows {
		left := indent + row.name
		if utf8.RuneCountInString(left)+2 > column {
			fmt.Fprintln(w, left)
			left = ""
		}
		fmt.Fprintf(w, "%-*s%s\n", column, left, fill(row.meaning, column))
	}
}

// fill breaks a text into lines that end before [helpWidth]. All but the first are indented.
func fill(text string, indent int) string {
	var b strings.Builder
	at := indent
	for i, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case i > 0 && at+1+length > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += length
	}
	return b.String()
}

// foldCommands breaks commands that are too wide before a flag, in a way that a shell reads.
func foldCommands(lines string) string {
	const hanging = "     "
	var folded []string
	for line := range strings.Lines(lines) {
		line = strings.TrimRight(line, "\n")
		for len(line) > helpWidth {
			at := strings.LastIndex(line[:helpWidth-1], " -")
			if at <= len(hanging) {
				break // no flag to break at
			}
			folded = append(folded, line[:at]+" \\")
			line = hanging + line[at:]
		}
		folded = append(folded, line)
	}
	return strings.Join(folded, "\n")
}

func commandRows(c *cobra.Command, wanted func(*cobra.Command) bool) []helpRow {
	var rows []helpRow
	for _, sub := range c.Commands() {
		if wanted(sub) {
			rows = append(rows, helpRow{sub.Name(), sub.Short})
		}
	}
	return rows
}

// flagSections are a command's flags under their headings, in the order of the help text.
func flagSections(c *cobra.Command) []helpSection {
	c.InitDefaultHelpFlag()
	var sections []helpSection
	for _, heading := range []string{groupInput, groupOutput, groupRun, groupSplit, groupServer, groupRetry, groupCache, groupAPI, groupOther} {
		section := helpSection{heading: heading}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			listed := slices.Contains(f.Annotations[flagGroup], heading) || heading == groupOther && f.Annotations[flagGroup] == nil
			if listed && !f.Hidden {
				section.rows = append(section.rows, flagRow(f))
			}
		})
		if len(section.rows) > 0 {
			sections = append(sections, section)
		}
	}
	return sections
}

func flagRow(f *pflag.Flag) helpRow {
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
	return helpRow{short + "--" + strings.TrimSpace(f.Name+" "+value), meaning}
}
