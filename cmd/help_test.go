package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// everyCommand calls f with every command, hidden ones and topics included.
func everyCommand(t *testing.T, f func(t *testing.T, c *cobra.Command)) {
	t.Helper()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) { f(t, c) })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root := newRoot(&shell{})
	root.InitDefaultHelpCmd()
	visit(root)
}

// Every help text fits a narrow terminal, has examples, and names every flag.
func TestHelpTexts(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		var out bytes.Buffer
		c.SetOut(&out)
		require.NoError(t, c.Help())
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), helpWidth, line)
		}
		if c.IsAdditionalHelpTopicCommand() {
			return
		}
		require.Contains(t, out.String(), "\nExamples:\n  quire")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			require.True(t, f.Hidden || strings.Contains(out.String(), " --"+f.Name), f.Name)
		})
	})
}

// Every command that shows has a manual page, which names every flag, with all exit codes and
// environment variables.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writePages(newRoot(&shell{}), dir, ""))
	pages := 0
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		if c.HasParent() && !c.IsAvailableCommand() {
			return
		}
		page, err := os.ReadFile(filepath.Join(dir, pageName(c)+".1"))
		require.NoError(t, err)
		pages++
		c.Flags().VisitAll(func(f *pflag.Flag) {
			require.True(t, f.Hidden || strings.Contains(string(page), roff("--"+f.Name)), f.Name)
		})
		for _, row := range exitCodes {
			require.Contains(t, string(page), fmt.Sprintf("\\fB%d\\fR\n%s\n", row.code, roff(row.meaning)))
		}
		for _, row := range environmentVariables {
			require.Contains(t, string(page), "\\fB"+roff(row.name)+"\\fR\n")
		}
	})
	written, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, written, pages)
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"plain":             "plain",
		"--flag":            `\-\-flag`,
		`a\b`:               `a\eb`,
		"'quoted' \"too\"":  `\(aqquoted\(aq \(dqtoo\(dq`,
		".hidden\n.another": "\\&.hidden\n\\&.another",
	} {
		require.Equal(t, want, roff(text))
	}
}

func TestFill(t *testing.T) {
	word := strings.Repeat("x", 30)
	require.Equal(t, "", fill("", 10))
	require.Equal(t, "one two", fill("one\n  two", 10))
	require.Equal(t, word+" "+word+"\n  "+word, fill(word+" "+word+" "+word, 2))
	long := strings.Repeat("y", 100)
	require.Equal(t, "a\n"+long+"\nb", fill("a "+long+" b", 0), "a word is not cut")
}

func TestFoldCommands(t *testing.T) {
	name := strings.Repeat("n", 50)
	require.Equal(t, "  quire x --a b\n  quire y", foldCommands("  quire x --a b\n  quire y"))
	require.Equal(t, "  quire x --a "+name+" \\\n      --b "+name+" \\\n      -c "+name, foldCommands("  quire x --a "+name+" --b "+name+" -c "+name))
	require.Equal(t, "  quire "+name+name, foldCommands("  quire "+name+name), "there is no flag to break at")
}

// Every value that completes is accepted.
func TestFlagValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("A line.\n"), 0o600))
	for _, row := range flagValues {
		args := []string{"partition", file, "--local", "--no-cache", "-q"}
		if row.flag == "error" {
			args = []string{"retry", "explain"}
		}
		require.NotEmpty(t, row.values())
		for _, value := range row.values() {
			t.Run(row.flag+" "+value, func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				code := Main(append(args, "--"+row.flag, value), nil, strings.NewReader(""), &stdout, &stderr)
				require.NotEqual(t, exitUsage, code, stderr.String())
			})
		}
	}
}
