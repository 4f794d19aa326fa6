package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

// doctorFlags are the flags of quire doctor.
type doctorFlags struct {
	client     clientFlags
	cacheDir   string
	noDocument bool

	healthLimit time.Duration
}

// doctorDefaults replace the policy's defaults. The document is given up after the longer of
// --retry-elapsed and --timeout.
var doctorDefaults = []struct{ flag, value string }{
	{"retry-attempts", "3"},
	{"retry-elapsed", "30s"},
	{"timeout", "20s"},
	{"idle-timeout", "20s"},
}

// sampleText is the document that doctor sends.
const sampleText = "A short note\n\nQuire sends this line to see whether it comes back.\n"

const doctorExample = `  quire doctor
  quire doctor --url http://localhost:8000 --no-document
  quire doctor --api-key-file key.txt --ca-file company.pem
  quire doctor --local`

func newDoctor(sh *shell) *cobra.Command {
	f := &doctorFlags{}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings, the server and the cache",
		Long: "Doctor shows which server, key, proxy and cache the other commands use, and tests them one by one. It sends a health " +
			"check, with the headers from --header but without the API key. Then it sends a document of a few words, with the key. " +
			"The hosted API bills this document as one page; --no-document skips it. Doctor refuses redirects.\n\n" +
			"Each line begins with ok, warn or FAIL. A warning does not stop the other commands from working. The last FAIL sets the " +
			"exit code (see quire help exit-codes).",
		Example: doctorExample,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f.healthLimit = healthTime
			if c.Flags().Changed("timeout") && f.client.timeout > 0 {
				f.healthLimit = f.client.timeout
			}
			for _, d := range doctorDefaults {
				if !c.Flags().Changed(d.flag) {
					if err := c.Flags().Set(d.flag, d.value); err != nil {
						return err
					}
				}
			}
			return f.run(c.Context(), sh)
		},
	}
	group(c.Flags(), groupInput, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.noDocument, "no-document", false, "do not send a document: nothing is billed, and the key is not tested")
	})
	f.client.add(c.Flags())
	group(c.Flags(), groupCache, func(flags *pflag.FlagSet) { addCacheDir(flags, &f.cacheDir) })
	c.Flags().SortFlags = false
	for _, d := range doctorDefaults {
		flag := c.Flags().Lookup(d.flag)
		flag.Usage, _, _ = strings.Cut(flag.Usage, " (default")
		flag.DefValue = d.value
	}
	return c
}

// run takes the steps. It sends nothing if the settings are wrong, and no document if the server
// cannot be reached.
func (f *doctorFlags) run(ctx context.Context, sh *shell) (err error) {
	d := &diagnosis{w: sh.stdout}
	d.say(stepOK, "quire", "%s, %s, %s/%s", partition.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	f.cache(ctx, d)
	client, err := f.client.newClient(sh, slog.New(slog.DiscardHandler), func(partition.Event) {}, nil)
	if err != nil {
		if code := exitCode(err); code == exitAuth {
			d.fail(code, "key", "%s", err)
		} else {
			d.fail(code, "settings", "%s; URL: %s; key: %s", err, f.urlSource(sh), f.keySource(sh))
		}
		return d.err(ctx)
	}
	defer func() { err = errors.Join(err, client.close()) }()
	hc, err := f.httpClient(client)
	if err != nil {
		return err
	}
	defer hc.CloseIdleConnections()
	health, err := f.healthRequest(sh, client)
	if err != nil {
		return err
	}
	where := shown(health.URL)
	if client.engine != nil {
		where = health.URL.Path
		d.say(stepOK, "URL", "none; %s runs in this process (--local)", client.engineName())
	} else {
		d.say(stepOK, "URL", "%s (%s)", client.URL(), f.urlSource(sh))
		d.say(stepOK, "key", "%s", f.keySource(sh))
		d.proxy(sh, hc, health)
	}
	if f.health(ctx, d, hc, health, where) {
		f.document(ctx, sh, d, client)
	} else {
		d.say(stepWarn, "document", "not sent")
	}
	return d.err(ctx)
}

// urlSource says which setting the URL is from.
func (f *doctorFlags) urlSource(sh *shell) string {
	switch {
	case f.client.local:
		return "none"
	case f.client.url != "":
		return "from --url"
	case sh.env[partition.EnvAPIURL] != "":
		return "from $" + partition.EnvAPIURL
	default:
		return "the hosted API, as neither --url nor $" + partition.EnvAPIURL + " is set"
	}
}

// keySource says which setting the key is from.
func (f *doctorFlags) keySource(sh *shell) string {
	switch {
	case f.client.local:
		return "none"
	case f.client.keyFile != "":
		return "from --api-key-file " + f.client.keyFile
	case strings.TrimSpace(sh.env[partition.EnvAPIKey]) != "":
		return "from $" + partition.EnvAPIKey
	default:
		return "none, as neither --api-key-file nor $" + partition.EnvAPIKey + " is set"
	}
}

// cache prints where the cache is, what is in it and whether it can be written to. It does not
// create one.
func (f *doctorFlags) cache(ctx context.Context, d *diagnosis) {
	wrong := func(format string, values ...any) {
		if f.cacheDir == "" {
			d.say(stepWarn, "cache", format, values...)
		} else { // a run ends where the cache was asked for by name
			d.fail(exitFailed, "cache", format, values...)
		}
	}
	path, missing := missingCache(f.cacheDir)
	if missing {
		if err := writable(existing(path)); err != nil {
			wrong("%s cannot be created: %s; choose another folder with --cache-dir", path, err)
			return
		}
		d.say(stepOK, "cache", "%s, created with the first answer", path)
		return
	}
	dir, err := openCache(f.cacheDir, cache.Options{})
	if err != nil {
		wrong("%s; choose another folder with --cache-dir", err)
		return
	}
	defer func() { _ = dir.Close() }() // nothing was stored
	usage, err := dir.Size(ctx)
	if err != nil {
		wrong("%s: %s", path, err)
		return
	}
	if _, err = dir.Scratch(); err != nil {
		wrong("%s: %s, but it cannot be written to: %s", path, usageLine(usage), err)
		return
	}
	d.say(stepOK, "cache", "%s: %s", path, usageLine(usage))
}

// existing returns the closest folder above path that exists.
func existing(path string) string {
	for {
		above := filepath.Dir(path)
		if _, err := os.Stat(above); err == nil || above == path {
			return above
		}
		path = above
	}
}

func writable(dir string) error {
	made, err := os.MkdirTemp(dir, ".quire-*")
	if err != nil {
		return words.Reason(err)
	}
	return os.Remove(made)
}

// document sends a small document, in the same way as every other document is sent.
func (f *doctorFlags) document(ctx context.Context, sh *shell, d *diagnosis, client *apiClient) {
	if f.noDocument {
		d.say(stepOK, "document", "not sent (--no-document)")
		return
	}
	if client.engine == nil {
		fmt.Fprintf(sh.stderr, "sending a document of %d words; the hosted API bills it as one page\n", len(strings.Fields(sampleText)))
	}
	document := partition.FromReaderAt("note.txt", strings.NewReader(sampleText), int64(len(sampleText)))
	defer func() { _ = document.Close() }() // it is in memory
	most := max(f.client.elapsed, f.client.timeout)
	limited, cancel := context.WithTimeoutCause(ctx, most, &outcome.TimeLimit{Limit: most})
	defer cancel()
	result, err := client.Partition(limited, document, partition.Params{Strategy: "fast"})
	switch {
	case err != nil:
		d.fail(exitCode(err), "document", "%s%s", err, hint(err))
	case len(result.Elements) == 0:
		d.fail(exitFailed, "document", "the answer has no elements")
	default:
		d.say(stepOK, "document", "%s in %s, %s", words.Count(len(result.Elements), "element"), rounded(result.Report.Elapsed),
			words.Count(result.Report.Requests(), "request"))
	}
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
