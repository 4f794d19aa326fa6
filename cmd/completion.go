package cmd

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/retry"
)

// shells is the table of the shells that quire completion knows.
var shells = []struct {
	name    string
	install string // one line that makes it permanent, or that belongs into the profile
	write   func(root *cobra.Command, w io.Writer) error
}{
	{
		"bash", "quire completion bash > ~/.local/share/bash-completion/completions/quire",
		func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	},
	{"zsh", `quire completion zsh > "${fpath[1]}/_quire"`, (*cobra.Command).GenZshCompletion},
	{
		"fish", "quire completion fish > ~/.config/fish/completions/quire.fish",
		func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	},
	{
		"powershell", "quire completion powershell >> $PROFILE",
		(*cobra.Command).GenPowerShellCompletionWithDesc,
	},
}

func newCompletion(sh *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "completion",
		Short: "Print the completion script for a shell",
		Long: "Completion prints a script that lets a shell complete commands, flags and their values. Save it where your shell looks for " +
			"such scripts, as in the examples, and start a new shell. Bash needs the package bash-completion.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("no completion script for shell %q", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, s := range shells {
		c.AddCommand(&cobra.Command{
			Use: s.name, Short: "Print the completion script for " + s.name, Example: "  " + s.install, Args: noArguments,
			RunE: func(c *cobra.Command, _ []string) error { return s.write(c.Root(), sh.stdout) },
		})
	}
	return c
}

// flagValues is the table of flags whose values are a fixed set; files complete beside them where
// the flag takes one too.
var flagValues = []struct {
	flag   string
	files  bool
	values func() []string
}{
	{"format", false, func() []string { return format.Names(0) }},
	{"progress", false, screen.ProgressWays},
	{"log-format", false, values("text", "json")},
	{"chunk-mode", false, values(partition.Buffered, partition.DiskCached)},
	{"chunking-scope", false, values(partition.ChunkingWhole, partition.ChunkingAfter, partition.ChunkingPerChunk)},
	{"strategy", false, values("auto", "fast", "hi_res", "ocr_only", "od_only", "vlm")},
	{"chunking-strategy", false, values("basic", "by_title", "by_page", "by_similarity")},
	{"output-format", false, values("application/json", partition.OutputCSV)},
	{"retry", true, retry.Presets},
	{"error", false, errorKinds},
}

// pathTypes are the types of flags whose value may be a path, as the help text calls them.
var pathTypes = []string{"string", "file", "stringArray"}

func values[T ~string](names ...T) func() []string {
	return func() []string {
		texts := make([]string, len(names))
		for i, name := range names {
			texts[i] = string(name)
		}
		return texts
	}
}

func errorKinds() []string { return values(retry.Kinds()...)() }

// completeValues sets the completion of flag values and arguments, for c and for the commands below
// it.
func completeValues(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { _ = c.RegisterFlagCompletionFunc(f.Name, completionOf(f)) }) // it fails on one that has its own
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = completionOfArguments(c.Use)
	}
	for _, sub := range c.Commands() {
		completeValues(sub)
	}
}

func completionOf(f *pflag.Flag) cobra.CompletionFunc {
	for _, row := range flagValues {
		if row.flag != f.Name {
			continue
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if row.files {
			directive = cobra.ShellCompDirectiveDefault
		}
		return fixed(row.values(), directive)
	}
	switch value, _ := pflag.UnquoteUsage(f); {
	case value == "folder": // --output is one for quire partition, and a file for quire view
		return fixed(nil, cobra.ShellCompDirectiveFilterDirs)
	case slices.Contains(pathTypes, f.Value.Type()) && !slices.Contains(f.Annotations[flagGroup], groupAPI):
		return fixed(nil, cobra.ShellCompDirectiveDefault)
	default:
		return cobra.NoFileCompletions
	}
}

// completionOfArguments goes by what the usage line says: files, a policy, or nothing.
func completionOfArguments(use string) cobra.CompletionFunc {
	switch _, arguments, found := strings.Cut(use, " "); {
	case !found:
		return cobra.NoFileCompletions
	case strings.Contains(arguments, "POLICY"):
		return fixed(retry.Presets(), cobra.ShellCompDirectiveDefault)
	default:
		return fixed(nil, cobra.ShellCompDirectiveDefault)
	}
}

// fixed completes to the words that begin with what is typed; the directive says what else is
// allowed.
func fixed(words []string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var fitting []string
		for _, word := range words {
			if strings.HasPrefix(word, typed) {
				fitting = append(fitting, word)
			}
		}
		return fitting, directive
	}
}
