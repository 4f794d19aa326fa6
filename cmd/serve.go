package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/local"
)

// serveFlags are the flags of quire serve.
type serveFlags struct {
	addr        string
	keyFile     string
	hosts       []string
	maxBody     int64
	maxBodies   int64
	timeout     time.Duration
	concurrency int
	verbose     bool
}

const serveExample = `  quire serve
  quire serve --addr 0.0.0.0:8000 --api-key-file key.txt --host partition.example.org
  quire partition report.pdf --url http://127.0.0.1:8000`

const (
	maxConnections = 256              // open at once
	headerTime     = 10 * time.Second // for a request's headers
	maxHeaders     = 64 << 10         // bytes of a request's headers
	shutdownTime   = 10 * time.Second // for requests under way after an interrupt
)

func newServe(sh *shell) *cobra.Command {
	f := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the partition API with the embedded engine",
		Long: "Serve runs a server for the partition API with the embedded engine: strategy fast, for PDF, text, Markdown, HTML, CSV and\n" +
			"TSV. Without --api-key-file, only this machine can reach it. With a key, it refuses a request that lacks the key before it\n" +
			"reads the body. It cuts off an upload slower than 8 KiB a second.",
		Example: serveExample,
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), sh) },
	}
	group(c.Flags(), groupServer, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.addr, "addr", "127.0.0.1:8000", "address to listen on; --api-key-file is required if other machines can reach it")
		flags.StringVar(&f.keyFile, "api-key-file", "", "`file` with the API key that requests must have")
		flags.StringArrayVar(&f.hosts, "host", nil, "another host `name` by which clients reach this server; may be repeated")
		flags.Int64Var(&f.maxBody, "max-body", 512<<20, "largest request, in bytes")
		flags.Int64Var(&f.maxBodies, "max-bodies", 0, "limit on the bytes of all requests together; requests beyond it wait (default: twice --max-body)")
		flags.DurationVar(&f.timeout, "timeout", 10*time.Minute, "time limit for uploading a request, and again for processing it")
		flags.IntVar(&f.concurrency, "concurrency", 0, "documents processed at once (default: number of processors)")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "log every request")
	})
	return c
}

func (f *serveFlags) run(ctx context.Context, sh *shell) (err error) {
	options := local.Options{
		MaxBody: f.maxBody, MaxBodies: f.maxBodies, Timeout: f.timeout, Concurrency: f.concurrency, Version: partition.Version,
		Logger: slog.New(slog.NewTextHandler(sh.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	switch {
	case f.maxBody < 1 || f.timeout <= 0 || f.concurrency < 0:
		return usageError("--max-body and --timeout must be positive, --concurrency must not be negative")
	case f.maxBodies != 0 && f.maxBodies < f.maxBody:
		return usageError("--max-bodies must not be less than --max-body")
	}
	if f.verbose {
		options.Logger = slog.New(slog.NewTextHandler(sh.stderr, nil))
	}
	if f.keyFile != "" {
		if options.APIKey, err = readKey(f.keyFile); err != nil {
			return err
		}
	}
	bound, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	if address, ok := bound.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() && options.APIKey == "" {
		return errors.Join(usageError("%s can be reached from other machines: set a key with --api-key-file", f.addr), bound.Close())
	}
	engine, err := local.New(options)
	if err != nil {
		return errors.Join(err, bound.Close())
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	listener := limitConnections(bound, maxConnections)
	server := &http.Server{
		Handler: listener.handler(local.Guard(engine, f.hosts...)), ConnContext: listener.keep,
		ReadHeaderTimeout: headerTime, ReadTimeout: f.timeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(options.Logger.Handler(), slog.LevelWarn),
	}
	fmt.Fprintf(sh.stderr, "serving the partition API on http://%s with %s; press Ctrl-C to stop\n", listener.Addr(), engine.Name())
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		err := server.Shutdown(patience)
		if errors.Is(err, context.DeadlineExceeded) {
			fmt.Fprintln(sh.stderr, "closing the requests still in progress")
			err = server.Close()
		}
		stopped <- err
	})()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
