package cmd

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

// planFlags are the flags of quire plan: all of quire partition's, so that a run is planned by
// changing one word, and its own.
type planFlags struct {
	run   partitionFlags
	price float64
	json  bool
}

const planLong = `Plan shows what quire partition would send for each document: its pages, its page chunks, its requests, and how many of those
requests the cache can answer. Plan itself sends nothing, and needs no server and no key. But cached answers are stored per server and
key, so plan can tell what is cached only if a URL, an API key or --local is given.

Plan shows "?" for a page count that only the server can find out, such as that of a DOCX file. A document that is sent whole counts
as one chunk. With --chunking-scope after, a document needs one more request than it has chunks.

Plan accepts every flag of quire partition: to plan a run, replace the word partition with plan. Plan ignores flags that do not
change what is sent.

With --json, each line is a JSON object. A document has "document", "pages", "chunks", "requests", "cached" (requests that the cache
answers), "pages_left" (pages still to be sent), "narrowing" (with --narrow: most extra requests for each page that fails) and
"warnings". A document that would fail has "document", "kind" and "error". The last line is {"total": {...}}. A number that is not
known is null.`

const planExample = `  quire plan contracts/ --price-per-page 0.01
  quire plan report.pdf --pages 1-60 --split-concurrency 5 --no-cache
  quire plan contracts/ --json | jq .total.requests`

func newPlan(sh *shell) *cobra.Command {
	f := &planFlags{}
	c := &cobra.Command{
		Use:     "plan PATH...",
		Short:   "Show what would be sent, and how much of it is cached",
		Long:    planLong,
		Example: planExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.run.walk.filesFrom == "" && f.run.run.retryFailed == "" {
				return usageError("no documents: give files, folders, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.execute(c.Context(), sh, args) },
	}
	f.add(c.Flags())
	return c
}

// planGroups are the headings of quire partition's flags that change a plan. Of those under others
// planShows do, and of those under these planHides do not.
var (
	planGroups = []string{groupInput, groupSplit, groupServer, groupCache, groupAPI}
	planShows  = []string{"output", "quiet", "verbose"}
	planHides  = []string{"in-flight", "grace", "cache-max-age", "cache-max-size", "allow-failed", "repair-parents"}
)

func (f *planFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.Float64Var(&f.price, "price-per-page", 0, "price per page; the total then shows the estimated cost of the pages that are not cached")
		flags.BoolVar(&f.json, "json", false, "print one JSON object per line: each document, then the total")
	})
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	shared.SortFlags = false
	f.run.add(shared)
	shared.VisitAll(func(flag *pflag.Flag) {
		shown := slices.ContainsFunc(flag.Annotations[flagGroup], func(g string) bool { return slices.Contains(planGroups, g) })
		flag.Hidden = flag.Hidden || !slices.Contains(planShows, flag.Name) && (!shown || slices.Contains(planHides, flag.Name))
		if flags.Lookup(flag.Name) == nil {
			flags.AddFlag(flag)
		}
	})
	flags.Lookup("output").Usage = "output `folder` of the run; plan never reads its files as input"
}

// execute checks everything, then plans.
func (f *planFlags) execute(ctx context.Context, sh *shell, roots []string) (err error) {
	if f.price < 0 || math.IsNaN(f.price) || math.IsInf(f.price, 0) {
		return usageError("--price-per-page %g: must be a number that is not negative", f.price)
	}
	j, err := f.run.job(ctx, sh, roots)
	if err != nil {
		return err
	}
	found, err := j.walk.Survey(ctx, false)
	if err != nil {
		return cmp.Or(interruption(ctx), err)
	}
	console := screen.New(screen.Options{W: sh.stderr, Quiet: f.run.quiet, Verbose: f.run.verbose, Progress: screen.ProgressNone})
	defer console.Close()
	answers, err := f.answers(sh, console)
	if err != nil {
		return err
	}
	if answers != nil {
		defer func() { _ = answers.Close() }() // it was only looked into
		console.Remark("hashing %s (%s) to look for cached answers; --no-cache skips this",
			words.Count(found.Documents, "file"), words.Size(found.Bytes))
	}
	client, err := f.run.client.newClient(sh, slog.New(slog.DiscardHandler), func(partition.Event) {}, f.run.cache.options(answers))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	p := &planning{
		shell: sh, console: console, client: client, walk: j.walk, params: f.run.params, name: f.run.name,
		sheet: newPlanSheet(sh.stdout, f.json, answers != nil, f.price),
	}
	return p.run(ctx)
}

// nowhere is the URL if no server is given: page counts do not need one.
const nowhere = "http://nowhere.invalid"

// answers opens the cache, unless it cannot hold answers for this run.
func (f *planFlags) answers(sh *shell, console *screen.Console) (*cache.Dir, error) {
	client := &f.run.client
	if client.local || client.url != "" || client.keyFile != "" || sh.env[partition.EnvAPIURL] != "" || sh.env[partition.EnvAPIKey] != "" {
		return f.run.cache.open(console)
	}
	client.url = nowhere
	if !f.run.cache.off {
		console.Remark("cannot tell what is cached: answers are stored per server and key, and none is set (%s, %s, --url, --api-key-file or --local)",
			partition.EnvAPIURL, partition.EnvAPIKey)
	}
	return nil, nil
}
