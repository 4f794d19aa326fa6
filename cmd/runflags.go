package cmd

import (
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/walk"
)

// runFlags are the flags that limit a run, and that name the files it writes beside the outputs.
type runFlags struct {
	summary         string
	report          string
	failed          string
	retryFailed     string
	force           bool
	failEmpty       bool
	maxFailures     int
	maxRequests     int
	maxPages        int
	documentTimeout time.Duration
	runTimeout      time.Duration
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	group(flags, groupRun, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.summary, "summary", "", "write the totals of the run to this `file`, as one JSON object")
		flags.StringVar(&f.report, "report", "", "write an HTML report about the run to this `file`")
		flags.StringVar(&f.failed, "failed", "", "list the failed and partial documents in this `file`, one JSON object per line; with -o, .quire/failed.jsonl in the output folder lists them too")
		flags.StringVar(&f.retryFailed, "retry-failed", "", "process the documents listed in this `file`, which --failed or an earlier run with -o wrote; takes the place of PATH")
		flags.BoolVar(&f.force, "force", false, "also send documents whose failure is final: in an earlier run the server said that a retry would fail the same way; and restore the parent_id in PDF outputs of version 0.1.0, if all answers are in the cache")
		flags.BoolVar(&f.failEmpty, "fail-empty", false, "fail empty documents: those with no text and no image in their answer, or nothing that --element-types keeps (default: a warning); the answers stay in the cache")
		flags.IntVar(&f.maxFailures, "max-failures", 0, "stop the run after this many failed documents (default: no limit)")
		flags.IntVar(&f.maxPages, "max-total-pages", 0, "stop the run before it sends more pages than this; a document whose page count is unknown counts as one page (default: no limit)")
		flags.IntVar(&f.maxRequests, "max-requests", 0, "stop the run before it sends more requests than this, retries included (default: no limit)")
		flags.DurationVar(&f.documentTimeout, "document-timeout", 0, "time limit for each document, retries included (default: no limit)")
		flags.DurationVar(&f.runTimeout, "run-timeout", 0, "time limit for the whole run (default: no limit)")
	})
}

// check refuses values that make no sense.
func (f *runFlags) check(roots []string) error {
	switch {
	case f.maxFailures < 0 || f.maxPages < 0 || f.maxRequests < 0:
		return usageError("--max-failures, --max-total-pages and --max-requests must not be negative")
	case f.documentTimeout < 0 || f.runTimeout < 0:
		return usageError("--document-timeout and --run-timeout must not be negative")
	case f.twice() != "":
		return usageError("%s is given twice among --summary, --report and --failed", f.twice())
	case f.retryFailed != "" && len(roots) > 0:
		return usageError("--retry-failed reads the documents from its list: give no paths")
	}
	for _, name := range []string{f.summary, f.report, f.failed} {
		if name == walk.Stdin {
			return usageError("%s is not a file name here: use /dev/stdout for standard output", name)
		}
	}
	return nil
}

// twice returns a path that is given for two files of a run, or "" if there is none.
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
