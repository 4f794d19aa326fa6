package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3
	exitAuth        = 4
	exitQuota       = 5
	exitUnavailable = 6
	exitHungUp      = 129
	exitInterrupted = 130
	exitBrokenPipe  = 141
	exitTerminated  = 143
)

// exitCodes is the table that quire help exit-codes prints.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "success: every document was processed"},
	{exitFailed, "failure: no output was written"},
	{exitUsage, "invalid usage"},
	{exitPartial, "some documents or pages failed; all that was answered was written"},
	{exitAuth, "the API key is missing or was refused"},
	{exitQuota, "the account has no quota left"},
	{exitUnavailable, "the server was unreachable, or failed on every document; try again later"},
	{exitHungUp, "the terminal was closed (SIGHUP); outputs already written are kept"},
	{exitInterrupted, "interrupted (Ctrl-C); outputs already written are kept"},
	{exitBrokenPipe, "standard output was closed too early"},
	{exitTerminated, "terminated (SIGTERM); outputs already written are kept"},
}

// partialRule says what becomes of a partial document.
const partialRule = "A document is partial if some of its pages are answered and others are not. On standard output its " +
	"answered pages are written in every format, also those behind a page that failed, and the exit code is 3. " +
	"With -o they are written if --allow-failed is set. Without it the document has failed and has no output; " +
	"its answers stay in the cache."

// An exitError ends a command with a code. If err is nil, everything has been printed already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode is the code for the error that ended a command.
func exitCode(err error) int {
	var exit *exitError
	var signaled *stopped
	var meant *walk.UsageError
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &meant):
		return exitUsage
	case errors.As(err, &signaled):
		return signalCode(signaled.signal)
	}
	switch kind := partition.KindOf(err); {
	case kind == partition.KindAuth:
		return exitAuth
	case kind == partition.KindQuota:
		return exitQuota
	case outcome.Unavailable(err):
		return exitUnavailable
	default:
		return exitFailed
	}
}

func signalCode(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return exitTerminated
	case syscall.SIGHUP:
		return exitHungUp
	default:
		return exitInterrupted
	}
}

// interruption returns the exit error of a context that a signal ended, and nil for any other.
func interruption(ctx context.Context) error {
	var signaled *stopped
	if errors.As(context.Cause(ctx), &signaled) {
		return &exitError{signalCode(signaled.signal), signaled}
	}
	return nil
}

func newExitCodesTopic() *cobra.Command {
	topic := &cobra.Command{Use: "exit-codes", Short: "Exit codes and their meaning"}
	topic.SetHelpFunc(func(c *cobra.Command, _ []string) {
		table := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
		fmt.Fprintln(table, "exit\tmeaning")
		for _, row := range exitCodes {
			fmt.Fprintf(table, "%d\t%s\n", row.code, row.meaning)
		}
		_ = table.Flush() // standard output: there is nobody left to tell
		fmt.Fprintf(c.OutOrStdout(), "\n%s\n", fill(partialRule, 0))
	})
	return topic
}
