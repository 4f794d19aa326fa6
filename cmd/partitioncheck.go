package cmd

import (
	"path/filepath"

	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
)

// check checks the flags, and returns the output format with its options.
func (f *partitionFlags) check(roots []string) (format.Format, outputOptions, error) {
	form, options, err := f.form.check()
	if err != nil {
		return form, options, err
	}
	if f.params.OutputFormat == partition.OutputCSV {
		if form.Name != "json" && form.Name != "csv" {
			return form, options, usageError("--output-format text/csv is written as the server sends it: it cannot be used with -f %s", form.Name)
		}
		if flag := options.given(); flag != "" {
			return form, options, usageError("--output-format text/csv is written as the server sends it: it cannot be used with --%s", flag)
		}
		form.Extension = ".csv"
	}
	if c := f.params.Split.Concurrency; c < 1 || c > 50 {
		return form, options, usageError("--split-concurrency %d: must be 1 to 50", c)
	}
	switch f.mode {
	case string(partition.Buffered), string(partition.DiskCached):
	default:
		return form, options, usageError("--chunk-mode %q: must be buffered or disk", f.mode)
	}
	switch f.scope {
	case string(partition.ChunkingWhole), string(partition.ChunkingPerChunk), string(partition.ChunkingAfter), "per-chunk":
	default:
		return form, options, usageError("--chunking-scope %q: must be whole, after or per_chunk", f.scope)
	}
	f.params.Split.Mode, f.params.Split.Scope = partition.ChunkMode(f.mode), partition.ChunkingScope(f.scope)
	f.params.Split.Off, f.params.FailEmpty = f.noSplit, f.run.failEmpty
	if f.password != "" {
		password, err := readPassword(f.password)
		if err != nil {
			return form, options, err
		}
		f.params.Split.Password = partition.Secret(password)
		if !f.flags.Changed("chunk-mode") {
			f.params.Split.Mode = partition.Buffered
		}
	}
	stdin := 0
	for _, root := range roots {
		if root == walk.Stdin {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return form, options, usageError("standard input (-) can be given only once")
	case f.output != "" && options.images != "" && filepath.Clean(f.output) == filepath.Clean(options.images):
		return form, options, usageError("--images and -o must be different folders")
	case f.stdinList && (len(roots) > 0 || f.walk.filesFrom != "" || f.run.retryFailed != ""):
		return form, options, usageError("--stdin-list reads the documents from standard input: give no paths or other lists")
	case f.stdinList && (f.output != "" || f.flags.Changed("format") || f.params.OutputFormat != ""):
		return form, options, usageError("--stdin-list writes its own format: it cannot be used with -o, -f or --output-format")
	case f.unordered && !f.stdinList:
		return form, options, usageError("--unordered can only be used with --stdin-list")
	case stdin > 0 && f.walk.filesFrom == walk.Stdin:
		return form, options, usageError("standard input cannot be both a list (--files-from -) and a document (-)")
	case f.name != "" && stdin == 0:
		return form, options, usageError("--name can only be used with standard input (-)")
	case f.quiet && f.verbose:
		return form, options, usageError("-q and -v cannot be used together")
	}
	return form, options, nil
}
