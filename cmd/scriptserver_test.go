package cmd_test

import (
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// serverCommands are the commands of scripts that have to do with the test server:
//
//	server [-key KEY]                      starts one and sets $UNSTRUCTURED_API_URL
//	fault [FLAG...] PAGES STATUS BODY      makes it answer requests with some of these pages (or *) so
//	fault [FLAG...] PAGES ACTION           or do to them what is in scriptActions; flags are
//	                                       -file GLOB for some file names and -attempt N for just that one
//	redirect STATUS URL                    makes it redirect every request
//	requests N, requests -most N           N requests have arrived since it was started, or not more
//	arrived FILE COLUMN...                 writes a sorted line for each, of what is in scriptColumns
//	replayed N                             every part has arrived N times, with the same bytes each time
var serverCommands = map[string]func(*testscript.TestScript, bool, []string){
	"server": startServer, "fault": addFault, "redirect": addRedirect, "requests": countRequests, "arrived": listArrived,
	"replayed": checkReplayed,
}

// scriptActions are what a fault can be beside a status with a body.
var scriptActions = map[string]partitiontest.Action{
	"hang": partitiontest.Hang(), "disconnect": partitiontest.Disconnect(), "truncate": partitiontest.Truncate(20),
}

// scriptColumns are what can be shown of a request; header:NAME is one, too.
var scriptColumns = map[string]func(partitiontest.Request) string{
	"file":  func(r partitiontest.Request) string { return strconv.Quote(r.File) },
	"type":  func(r partitiontest.Request) string { return r.MediaType },
	"pages": func(r partitiontest.Request) string { return r.Pages.String() },
	"fields": func(r partitiontest.Request) string { // but for what is of the chunk alone
		fields := maps.Clone(r.Fields)
		fields.Del("starting_page_number")
		decoded, _ := url.QueryUnescape(fields.Encode())
		return decoded
	},
}

// servers are the running servers, by script: scripts run in parallel.
var servers sync.Map

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

func serverOf(ts *testscript.TestScript) *partitiontest.Server {
	server, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("no server was started")
	}
	return server.(*partitiontest.Server)
}

func addFault(ts *testscript.TestScript, _ bool, args []string) {
	fault := partitiontest.Fault{}
	flags := flag.NewFlagSet("fault", flag.ContinueOnError)
	flags.StringVar(&fault.File, "file", "", "")
	flags.IntVar(&fault.Attempt, "attempt", 0, "")
	ts.Check(flags.Parse(args))
	known := true
	switch args = flags.Args(); len(args) {
	case 2:
		fault.Do, known = scriptActions[args[1]]
	case 3:
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		fault.Do = partitiontest.Reply(status, args[2])
	default:
		known = false
	}
	if !known {
		ts.Fatalf("usage: fault [-file GLOB] [-attempt N] PAGES STATUS BODY, or PAGES and one of %q", slices.Sorted(maps.Keys(scriptActions)))
	}
	if args[0] != "*" {
		var err error
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
	want, err := strconv.Atoi(args[len(args)-1])
	ts.Check(err)
	got := len(serverOf(ts).Requests())
	if got > want || got < want && args[0] != "-most" {
		ts.Fatalf("%d requests, not %s", got, strings.Join(args, " "))
	}
	if bad := serverOf(ts).Violations(); len(bad) > 0 {
		ts.Fatalf("form: %s", strings.Join(bad, "; "))
	}
}

func listArrived(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: arrived FILE COLUMN...")
	}
	var lines []string
	for _, r := range serverOf(ts).Requests() {
		var line []string
		for _, column := range args[1:] {
			name, isHeader := strings.CutPrefix(column, "header:")
			switch show, known := scriptColumns[column]; {
			case isHeader:
				line = append(line, r.Header.Get(name))
			case known:
				line = append(line, show(r))
			default:
				ts.Fatalf("unknown column %q", column)
			}
		}
		lines = append(lines, strings.Join(line, " ")+"\n")
	}
	slices.Sort(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "")), 0o600))
}

func checkReplayed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: replayed N")
	}
	hashes := map[string][]string{}
	for _, r := range serverOf(ts).Requests() {
		part := fmt.Sprintf("%q pages %s", r.File, r.Pages)
		hashes[part] = append(hashes[part], r.SHA256)
	}
	for part, all := range hashes {
		if len(slices.Compact(slices.Clone(all))) != 1 || all[0] == "" || strconv.Itoa(len(all)) != args[0] {
			ts.Fatalf("%s: arrived as %q", part, all)
		}
	}
}
