package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/local"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/retry"
)

// clientFlags are the flags that choose the server and how requests are sent.
type clientFlags struct {
	url        string
	keyFile    string
	headers    []string
	caFile     string
	clientCert string
	clientKey  string
	local      bool
	inFlight   int

	retry          string
	attempts       int
	initial        time.Duration
	max            time.Duration
	elapsed        time.Duration
	timeout        time.Duration
	attemptTimeout time.Duration
	idleTimeout    time.Duration
	attemptsSet    func(name string) bool
}

func (f *clientFlags) add(flags *pflag.FlagSet) {
	f.attemptsSet = flags.Changed
	group(flags, groupServer, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.url, "url", "", "base URL or full endpoint of the API (default $"+partition.EnvAPIURL+")")
		flags.StringVar(&f.keyFile, "api-key-file", "", "`file` with the API key (default $"+partition.EnvAPIKey+")")
		flags.StringArrayVar(&f.headers, "header", nil, "add this `header`, as 'Name: value', to every request; may be repeated")
		flags.StringVar(&f.caFile, "ca-file", "", "PEM `file` with certificates to trust in addition to the system's")
		flags.StringVar(&f.clientCert, "client-cert", "", "PEM `file` with a client certificate")
		flags.StringVar(&f.clientKey, "client-key", "", "PEM `file` with the client certificate's key")
		flags.BoolVar(&f.local, "local", false, "process documents inside quire, with its embedded engine, instead of sending them to a server (strategy fast only)")
		flags.IntVarP(&f.inFlight, "in-flight", "j", partition.DefaultInFlight, "limit on requests in flight at once, over all documents; the output does not depend on it")
	})
	group(flags, groupRetry, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.retry, "retry", defaultPolicy, "retry policy: a preset's name, or a JSON or YAML file")
		flags.IntVar(&f.attempts, "retry-attempts", 0, "limit on attempts per request, the first one included; 0 for no limit (default: the policy's)")
		flags.DurationVar(&f.initial, "retry-initial", 0, "wait before the first retry (default: the policy's)")
		flags.DurationVar(&f.max, "retry-max", 0, "longest wait between attempts (default: the policy's)")
		flags.DurationVar(&f.elapsed, "retry-elapsed", 0, "stop retrying a request after this much time (default: the policy's)")
		flags.DurationVar(&f.timeout, "timeout", 0, "limit on how long an attempt waits for the answer to begin (default: the policy's)")
		flags.DurationVar(&f.attemptTimeout, "attempt-timeout", 0, "limit on a whole attempt, until its answer has arrived (default: the policy's)")
		flags.DurationVar(&f.idleTimeout, "idle-timeout", 0, "longest wait for the next KiB while an answer arrives (default: the policy's)")
	})
}

// An apiClient is a client, with the engine and the cache that must be closed after it.
type apiClient struct {
	*partition.Client
	engine  *local.Engine // nil with a server
	answers *cache.Dir    // nil without a cache, and where somebody else closes it
}

// finish closes the client at the end of a run. It returns err, the run's own error, joined with
// what goes wrong here.
func (c *apiClient) finish(err error) error {
	err = errors.Join(err, c.close())
	if lost := closeCache(c.answers); err == nil {
		return lost
	}
	return err
}

func (c *apiClient) close() error {
	if c.engine != nil {
		return c.engine.Close()
	}
	return nil
}

// engineName is the name of what produces the elements, as outputs and records have it: the
// server's URL, or the embedded engine's name.
func (c *apiClient) engineName() string {
	if c.engine != nil {
		return c.engine.Name()
	}
	return c.URL()
}

// newClient makes a client from the flags.
func (f *clientFlags) newClient(
	sh *shell, logger *slog.Logger, observe func(partition.Event), more []partition.Option,
) (*apiClient, error) {
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	if f.inFlight < 1 {
		return nil, usageError("-j %d: must be at least 1", f.inFlight)
	}
	options := append([]partition.Option{
		partition.WithMaxInFlight(f.inFlight), partition.WithRetryPolicy(policy), partition.WithLogger(logger), wire.WithHeldElements(),
		partition.WithObserver(func(_ context.Context, e partition.Event) { observe(e) }),
	}, more...)
	for _, header := range f.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return nil, usageError("header %q: must be 'Name: value'", name)
		}
		options = append(options, partition.WithHeader(name, strings.TrimSpace(value)))
	}
	if f.local {
		return f.embedded(logger, options)
	}
	c := &apiClient{}
	key, keyed := sh.env[partition.EnvAPIKey], "$"+partition.EnvAPIKey
	if f.keyFile != "" {
		keyed = f.keyFile
		if key, err = readKey(f.keyFile); err != nil {
			return nil, err
		}
	}
	url, err := f.baseURL(sh)
	if err != nil {
		return nil, err
	}
	if key == "" && url == "" {
		return nil, &exitError{exitAuth, fmt.Errorf("no API key and no URL: set %s (or --api-key-file) for the hosted API, %s (or --url) "+
			"for a server of your own, or use --local for the embedded engine", partition.EnvAPIKey, partition.EnvAPIURL)}
	}
	if url == "" {
		url = partition.HostedURL
	}
	hc, err := f.httpClient()
	if err != nil {
		return nil, err
	}
	options = append(options, partition.WithAPIKey(key), wire.WithAPIKeySource(keyed), partition.WithBaseURL(url), partition.WithHTTPClient(hc))
	c.Client, err = partition.New(options...)
	switch {
	case errors.Is(err, partition.ErrNoAPIKey):
		return nil, &exitError{exitAuth, fmt.Errorf("no API key for %s: set %s or --api-key-file", partition.HostedURL, partition.EnvAPIKey)}
	case err != nil:
		return nil, &exitError{exitUsage, err}
	}
	return c, nil
}

// embedded makes a client of the embedded engine. Nothing leaves this process.
func (f *clientFlags) embedded(logger *slog.Logger, options []partition.Option) (*apiClient, error) {
	if f.url != "" || f.keyFile != "" {
		return nil, usageError("--local cannot be used with --url or --api-key-file")
	}
	engine, err := local.New(local.Options{Logger: logger, Version: partition.Version})
	if err != nil {
		return nil, err
	}
	client, err := partition.New(append(options,
		partition.WithAPIKey(""), partition.WithBaseURL("http://embedded.invalid"), wire.WithEngine(engine.Name()),
		partition.WithHTTPClient(&http.Client{Transport: engine.RoundTripper()}))...)
	if err != nil {
		return nil, &exitError{exitUsage, errors.Join(err, engine.Close())}
	}
	return &apiClient{Client: client, engine: engine}, nil
}

// baseURL is the URL of the server, "" where none is given. One that is empty is a usage error: it
// was to be another than the hosted API's.
func (f *clientFlags) baseURL(sh *shell) (string, error) {
	if f.url != "" {
		return f.url, nil
	}
	url, set := sh.env[partition.EnvAPIURL]
	if set && strings.TrimSpace(url) == "" {
		return "", usageError("$%s is empty: unset it for the hosted API", partition.EnvAPIURL)
	}
	return url, nil
}

func readKey(path string) (string, error) {
	key, err := folder.ReadInput(path)
	if err != nil {
		return "", &exitError{exitAuth, fmt.Errorf("API key: %w", err)}
	}
	if strings.TrimSpace(string(key)) == "" {
		return "", &exitError{exitAuth, fmt.Errorf("API key: %s is empty", path)}
	}
	return strings.TrimSpace(string(key)), nil
}

// policy returns the policy of --retry, with the values that other flags override.
func (f *clientFlags) policy() (*retry.Policy, error) {
	preset, err := loadPolicy(f.retry)
	if err != nil {
		return nil, err
	}
	policy := *preset
	if f.attemptsSet("retry-attempts") {
		policy.Budget.Attempts = f.attempts
		policy.Budget.MinRetries = min(policy.Budget.MinRetries, max(f.attempts-1, 0))
	}
	override(&policy.Backoff.Initial, f.initial)
	override(&policy.Backoff.Max, f.max)
	override(&policy.Budget.HardElapsed, f.elapsed)
	override(&policy.Budget.ToHeaders, f.timeout)
	override(&policy.Budget.BodyIdle, f.idleTimeout)
	override(&policy.Budget.WholeAttempt, f.attemptTimeout)
	if err := policy.Validate(); err != nil {
		return nil, usageError("%s", err)
	}
	return &policy, nil
}

func override(value *time.Duration, given time.Duration) {
	if given != 0 {
		*value = given
	}
}

// clientCertificate reads a certificate and its key, which may be in one file.
func clientCertificate(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := folder.ReadInput(certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key := cert
	if keyFile != certFile {
		if key, err = folder.ReadInput(keyFile); err != nil {
			return tls.Certificate{}, err
		}
	}
	return tls.X509KeyPair(cert, key)
}

// httpClient returns an HTTP client with the certificates of the flags.
func (f *clientFlags) httpClient() (*http.Client, error) {
	transport := retry.NewTransport()
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.caFile != "" {
		pem, err := folder.ReadInput(f.caFile)
		if err != nil {
			return nil, usageError("--ca-file: %s", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, usageError("--ca-file %s: the file has no certificate", f.caFile)
		}
		config.RootCAs = pool
	}
	if (f.clientCert == "") != (f.clientKey == "") {
		return nil, usageError("--client-cert and --client-key must be used together")
	}
	if f.clientCert != "" {
		certificate, err := clientCertificate(f.clientCert, f.clientKey)
		if err != nil {
			return nil, usageError("--client-cert: %s", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	transport.TLSClientConfig = config
	return &http.Client{Transport: transport}, nil
}
