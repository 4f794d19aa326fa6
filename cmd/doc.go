// Package cmd holds the commands of quire: flags, checks, one call, an exit code.
//
// [Main] runs one command. quire partition is the largest: its flags and arguments become a job
// (partitionrun.go), which opens what the run needs and closes it again. The run (run.go) hands the
// documents of a walk (internal/walk), or of a list that a program feeds (stdinlist.go), to
// partition/batch. Each is sent and formatted by the sender (send.go) and goes to a sink (sink.go):
// an output folder (internal/folder), standard output, or the answer to a line. What becomes of it
// is an outcome (internal/outcome) that the screen (internal/screen), the report page
// (internal/page) and the failed list are told. The verdict (verdict.go) makes of all outcomes what
// people read at the end, and one of the exit codes (exit.go).
//
// The other commands have a file each. help.go prints every help text, man.go the same as manual
// pages, completion.go completes for shells.
package cmd
