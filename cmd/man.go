package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/partition"
)

// newMan is hidden, because only packagers need it. The pages have the same texts and tables as the
// help.
func newMan(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages, one per command",
		Long: "Man writes a manual page for every command to a folder. It creates the folder if it is missing. The pages have no date unless " +
			"$SOURCE_DATE_EPOCH sets one, so that the same version always writes the same pages.",
		Example: "  quire man share/man/man1",
		Hidden:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("expected one folder, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			date := ""
			if epoch := sh.env["SOURCE_DATE_EPOCH"]; epoch != "" {
				seconds, err := strconv.ParseInt(epoch, 10, 64)
				if err != nil {
					return usageError("$SOURCE_DATE_EPOCH: %q is not a number of seconds", epoch)
				}
				date = time.Unix(seconds, 0).UTC().Format(time.DateOnly)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages are for everybody
				return err
			}
			return writePages(c.Root(), args[0], date)
		},
	}
}

// writePages writes the page of a command and those of the commands below it.
func writePages(c *cobra.Command, dir, date string) error {
	file, err := os.Create(filepath.Join(dir, pageName(c)+".1"))
	if err != nil {
		return err
	}
	if _, err = file.WriteString(manPage(c, date)); err != nil {
		_ = file.Close()
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			if err := writePages(sub, dir, date); err != nil {
				return err
			}
		}
	}
	return nil
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is a command's page in the language of man(7).
func manPage(c *cobra.Command, date string) string {
	c.InitDefaultHelpFlag() // the usage line tells of flags
	p := &manText{}
	p.line(`.TH "%s" "1" "%s" "quire %s" "Quire"`, roff(strings.ToUpper(pageName(c))), date, partition.Version)
	p.line(".SH NAME\n%s \\- %s", roff(pageName(c)), roff(c.Short))
	arguments := strings.TrimSpace(strings.TrimPrefix(c.UseLine(), c.CommandPath()))
	p.line(".SH SYNOPSIS\n\\fB%s\\fR %s", roff(c.CommandPath()), roff(arguments))
	p.line(".SH DESCRIPTION")
	for i, paragraph := range paragraphs(c) {
		if i > 0 {
			p.line(".PP")
		}
		p.line("%s", roff(paragraph))
	}
	p.section("COMMANDS", commandRows(c, (*cobra.Command).IsAvailableCommand))
	p.line(".SH OPTIONS")
	for _, section := range flagSections(c) {
		p.line(".SS %s", roff(section.heading))
		p.rows(section.rows)
	}
	p.line(".SH EXAMPLES\n.nf\n%s\n.fi", roff(examples(c)))
	codes := make([]helpRow, len(exitCodes))
	for i, row := range exitCodes {
		codes[i] = helpRow{strconv.Itoa(row.code), row.meaning}
	}
	p.section("EXIT STATUS", codes)
	p.section("ENVIRONMENT", environmentVariables)
	var others []string
	if c.HasParent() {
		others = append(others, `\fB`+roff(pageName(c.Parent()))+`\fR(1)`)
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			others = append(others, `\fB`+roff(pageName(sub))+`\fR(1)`)
		}
	}
	p.line(".SH SEE ALSO\n%s", strings.Join(others, ",\n"))
	return p.String()
}

// A manText is the text of a manual page.
type manText struct{ strings.Builder }

func (p *manText) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *manText) section(heading string, rows []helpRow) {
	if len(rows) > 0 {
		p.line(".SH %s", heading)
		p.rows(rows)
	}
}

func (p *manText) rows(rows []helpRow) {
	for _, row := range rows {
		p.line(".TP\n\\fB%s\\fR\n%s", roff(strings.TrimSpace(row.name)), roff(row.meaning))
	}
}

// roff escapes a text for roff, so that it is printed unchanged: hyphens that can be copied, no
// escapes, no line that is read as a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
