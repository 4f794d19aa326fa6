package cmd

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// walkFlags say what a walk takes.
type walkFlags struct {
	hidden    bool
	include   []string
	exclude   []string
	filesFrom string
	maxSize   byteSize
}

func (f *walkFlags) add(flags *pflag.FlagSet) {
	group(flags, groupInput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.filesFrom, "files-from", "", "read more paths from this `file`, one per line or separated by NUL; - means standard input")
		flags.StringArrayVar(&f.include, "include", nil, "from folders, take only files that match this `glob`; may be repeated")
		flags.StringArrayVar(&f.exclude, "exclude", nil,
			"skip files and folders that match this `glob`; may be repeated. *.tmp matches at any depth, old/** only at the top of the given folder. It never skips a file named on the command line")
		flags.Var(&f.maxSize, "max-size", "skip files larger than this, such as 50MB or 1.5GiB (default: no limit)")
		flags.BoolVar(&f.hidden, "hidden", false, "include hidden files and folders")
	})
}

// options are the walk's for these flags and the arguments, with the list that --files-from names,
// read to its end.
func (f *walkFlags) options(ctx context.Context, sh *shell, roots []string) (walk.Options, error) {
	o := walk.Options{Roots: roots, Hidden: f.hidden, Include: f.include, Exclude: f.exclude, MaxSize: int64(f.maxSize)}
	if f.filesFrom == "" {
		return o, nil
	}
	var err error
	o.List, err = readFilesList(ctx, f.filesFrom, sh.stdin)
	return o, err
}

// readFilesList reads the list of files in the file at path, or on stdin where path is "-". What is
// wrong with it is a usage error; the end of ctx ends the waiting.
func readFilesList(ctx context.Context, path string, stdin io.Reader) ([]walk.Listed, error) {
	source := stdin
	if path != walk.Stdin {
		file, err := folder.OpenInput(path)
		if err != nil {
			return nil, usageError("--files-from %s", words.PathError(path, err))
		}
		defer file.Close() // it was only read
		source = file
	}
	in := interruptible(ctx, source)
	defer in.Close() // it was only read
	list, err := walk.ReadList(in)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, usageError("--files-from %s: %s", path, words.Reason(err))
	}
	return list, nil
}
