package cmd

import (
	"context"

	"github.com/spf13/pflag"
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
		flags.StringVar(&f.filesFrom, "files-from", "", "`file` with more paths, one a line or each ended by NUL; - for standard input")
		flags.StringArrayVar(&f.include, "include", nil, "of the files found in folders, only those that match the `glob`; repeatable")
		flags.StringArrayVar(&f.exclude, "exclude", nil,
			"not the files and folders found that match the `glob`: *.tmp anywhere, old/** from the root on; a named file is always taken")
		flags.Var(&f.maxSize, "max-size", "leave out files above this size, such as 50MB or 1.5GiB (default none)")
		flags.BoolVar(&f.hidden, "hidden", false, "take hidden files and folders too")
	})
}

// options are the walk's for these flags and the arguments, with the list that --files-from names, read to its end.
func (f *walkFlags) options(ctx context.Context, sh *shell, roots []string) (walkOptions, error) {
	o := walkOptions{roots: roots, hidden: f.hidden, include: f.include, exclude: f.exclude, maxSize: int64(f.maxSize)}
	if f.filesFrom == "" {
		return o, nil
	}
	var err error
	o.list, err = readFilesList(ctx, f.filesFrom, sh.stdin)
	return o, err
}
