package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"quire": func() { os.Exit(cmd.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script/*.txtar. Beside the usual commands they have:
//
//	exits CODE PROGRAM ARG...      runs a program that must end with CODE
//	server [-key KEY]              starts a test server and sets $UNSTRUCTURED_API_URL
//	fault PAGES STATUS BODY        makes it answer requests with some of these pages (or *) so
//	redirect STATUS URL            makes it redirect every request
//	requests N                     N requests have arrived since the server was started
//	pdf FILE PAGES [PASSWORD]      makes a PDF
//	manyfiles DIR N                makes N small text files, the same each time
func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	demo, err := filepath.Abs("../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "../testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			own := filepath.Join(e.WorkDir, ".cache")
			e.Setenv("XDG_CACHE_HOME", own)
			e.Setenv("DEMO", demo)
			return shareCompiledReader(filepath.Join(cache, "quire", "wazero"), filepath.Join(own, "quire", "wazero"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "server": startServer, "fault": addFault, "redirect": addRedirect, "requests": countRequests, "pdf": makePDF, "manyfiles": makeFiles,
		},
	})
}

// shareCompiledReader lets a script use the embedded engine's PDF reader as it is compiled already, in a cache that is its own.
func shareCompiledReader(compiled, here string) error {
	if _, err := os.Stat(compiled); err != nil {
		return nil // not compiled yet
	}
	if err := os.MkdirAll(filepath.Dir(here), 0o700); err != nil {
		return err
	}
	return os.Symlink(compiled, here)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, not %s; standard error: %s", code, args[0], ts.ReadFile("stderr"))
	}
}

func startServer(ts *testscript.TestScript, _ bool, args []string) {
	options := partitiontest.Options{}
	if len(args) == 2 && args[0] == "-key" {
		options.APIKey = args[1]
	}
	server := partitiontest.NewServer(options)
	ts.Defer(server.Close)
	ts.Setenv("UNSTRUCTURED_API_URL", server.URL)
	servers.Store(ts, server)
}

// servers are the running servers, by script: scripts run in parallel.
var servers sync.Map

func serverOf(ts *testscript.TestScript) *partitiontest.Server {
	server, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("no server was started")
	}
	return server.(*partitiontest.Server)
}

func addFault(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: fault PAGES STATUS BODY")
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	fault := partitiontest.Fault{Do: partitiontest.Reply(status, args[2])}
	if args[0] != "*" {
		fault.Pages, err = split.ParsePageRange(args[0])
		ts.Check(err)
	}
	serverOf(ts).Script(fault)
}

func addRedirect(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	serverOf(ts).Script(partitiontest.Fault{Do: partitiontest.Redirect(status, args[1])})
}

func countRequests(ts *testscript.TestScript, _ bool, args []string) {
	if got := fmt.Sprint(len(serverOf(ts).Requests())); got != args[0] {
		ts.Fatalf("%s requests, not %s", got, args[0])
	}
	if bad := serverOf(ts).Violations(); len(bad) > 0 {
		ts.Fatalf("form: %s", strings.Join(bad, "; "))
	}
}

func makePDF(ts *testscript.TestScript, _ bool, args []string) {
	pages, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := partitiontest.NewPDF(pages)
	if len(args) == 3 {
		api.DisableConfigDir()
		var locked bytes.Buffer
		ts.Check(api.Encrypt(bytes.NewReader(data), &locked, model.NewAESConfiguration(args[2], "owner", 256)))
		data = locked.Bytes()
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, data, 0o600))
}

func makeFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: manyfiles DIR N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	for i := range n {
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), fmt.Appendf(nil, "Document %d.\n", i), 0o600))
	}
}
