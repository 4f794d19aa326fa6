package cmd

import (
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/walk"
)

// runFlags bound a run, and say what it leaves beside the outputs.
type runFlags struct {
	summary         string
	report          string
	failed          string
	retryFailed     string
	force           bool
	maxFailures     int
	maxRequests     int
	maxPages        int
	documentTimeout time.Duration
	runTimeout      time.Duration
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	group(flags, groupRun, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.summary, "summary", "", "file for the run's figures, as one JSON object")
		flags.StringVar(&f.report, "report", "", "file for a page about the run, as HTML")
		flags.StringVar(&f.failed, "failed", "", "file for the documents that failed, as JSON lines; with -o they are in DIR/.quire/failed.jsonl as well")
		flags.StringVar(&f.retryFailed, "retry-failed", "", "take the documents of such a list instead of paths")
		flags.BoolVar(&f.force, "force", false, "send also what the server declared final in an earlier run")
		flags.IntVar(&f.maxFailures, "max-failures", 0, "give up the run after so many failed documents (default none)")
		flags.IntVar(&f.maxPages, "max-total-pages", 0, "stop the run before it sends more pages; a document of unknown length counts as one")
		flags.IntVar(&f.maxRequests, "max-requests", 0, "stop the run before it makes more requests, retries included")
		flags.DurationVar(&f.documentTimeout, "document-timeout", 0, "time for a document, retries included (default none)")
		flags.DurationVar(&f.runTimeout, "run-timeout", 0, "time for the whole run (default none)")
	})
}

// check refuses what makes no sense.
func (f *runFlags) check(roots []string) error {
	switch {
	case f.maxFailures < 0 || f.maxPages < 0 || f.maxRequests < 0:
		return usageError("--max-failures, --max-total-pages and --max-requests must not be negative")
	case f.documentTimeout < 0 || f.runTimeout < 0:
		return usageError("--document-timeout and --run-timeout must not be negative")
	case f.twice() != "":
		return usageError("%s is named for two files of the run", f.twice())
	case f.retryFailed != "" && len(roots) > 0:
		return usageError("--retry-failed takes the documents from the list: name no others")
	}
	for _, name := range []string{f.summary, f.report, f.failed} {
		if name == walk.Stdin {
			return usageError("%s is no file: /dev/stdout is standard output", name)
		}
	}
	return nil
}

// twice is a path that is named for two files that a run writes, "" where there is none.
func (f *runFlags) twice() string {
	seen := map[string]bool{}
	for _, name := range []string{f.summary, f.report, f.failed} {
		if name = filepath.Clean(name); name != "." && seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
