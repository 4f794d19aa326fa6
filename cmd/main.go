package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition/wire"
)

// A shell is what a command can use of the outside world.
type shell struct {
	env    map[string]string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// disk is what a command writes files with that has no console.
func (sh *shell) disk() *journal.Disk {
	return journal.NewDisk(func(err error) { fmt.Fprintf(sh.stderr, "warning: %s\n", wire.Printable(err.Error())) })
}

// Main runs one command and returns its exit code (see the table in exit.go). args are without the
// program's name, env is in the form of [os.Environ]. An interrupt, a termination or a hang-up signal
// stops the command in good order; a second one kills the process.
func Main(args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	log.SetOutput(io.Discard) // net/http prints there what a server sends out of turn, be it the key
	ctx, stop := withSignals(context.Background())
	defer stop()
	stderr = interruptibleOutput(ctx, stderr)
	sh := &shell{env: environment(env), stdin: stdin, stdout: screen.Visible(interruptibleOutput(ctx, stdout)), stderr: stderr}
	root := newRoot(sh)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	var said *exitError
	if !errors.As(err, &said) || said.err != nil {
		for _, line := range eachError(err) {
			fmt.Fprintf(stderr, "quire: %s\n", wire.Printable(line.Error()))
		}
		if code == exitUsage {
			command, _, _ := root.Find(args)
			fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", command.CommandPath())
		}
	}
	return code
}

// eachError returns the errors that were joined in err, so that each can be printed on its own
// line.
func eachError(err error) []error {
	if exit := (*exitError)(nil); errors.As(err, &exit) && exit.err != nil {
		err = exit.err
	}
	joined, ok := err.(interface{ Unwrap() []error }) // and not what wraps one: that has a line of its own
	if !ok || !strings.Contains(err.Error(), "\n") {
		return []error{err}
	}
	var errs []error
	for _, err := range joined.Unwrap() {
		errs = append(errs, eachError(err)...)
	}
	return errs
}

func newRoot(sh *shell) *cobra.Command {
	root := &cobra.Command{
		Use:   "quire",
		Short: "Turn documents into data through the Unstructured partition API",
		Long: "Quire sends documents to the Unstructured partition API and returns their elements: titles, paragraphs and tables,\n" +
			"with page numbers. It cuts a PDF into page chunks and sends them concurrently.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command %q", args[0])
			}
			return nil
		},
		PersistentPreRunE: refuseEmptyFlags,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(sh.stdin)
	root.SetOut(sh.stdout)
	root.SetErr(sh.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%s", err) })
	root.SetUsageFunc(usage)
	root.SetHelpFunc(help)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newPartition(sh), newPlan(sh), newCache(sh), newSplit(sh), newRetry(sh), newServe(sh), newView(sh), newDoctor(sh),
		newMan(sh), newCompletion(sh), newVersion(sh), newExitCodesTopic(), newEnvironmentTopic())
	completeValues(root)
	return root
}

// environment makes a table of "name=value" lines; if a name is repeated, the last value counts.
func environment(lines []string) map[string]string {
	env := make(map[string]string, len(lines))
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		env[name] = value
	}
	return env
}

// A stopped is the cause of a context that a signal ended.
type stopped struct{ signal os.Signal }

func (s *stopped) Error() string {
	switch s.signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	default:
		return "interrupted"
	}
}

// withSignals returns a context that the first interrupt, termination or hang-up signal ends. After
// that the system's own handling is back, so that a second one kills. A signal that is ignored from
// the start, as nohup and a shell's background jobs have it, stays ignored.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // a write to a reader that has gone is an error like any other, and leaves nothing behind
	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&stopped{s})
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Reset(syscall.SIGPIPE)
		close(done)
		cancel(context.Canceled)
	}
}
