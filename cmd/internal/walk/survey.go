package walk

import (
	"context"
	"errors"
)

// A Survey counts what a walk will find, before any of it is opened.
type Survey struct {
	Documents int            // files that are taken
	Failing   int            // files that cannot be looked at, which fails them
	Bytes     int64          // of the files that are taken; standard input is not counted
	Skipped   map[string]int // files and folders left out, by reason
}

// Survey goes through everything once. With foldCase, names of outputs that differ only in case, or
// in their Unicode form, are one file in the output folder. Two documents whose outputs cannot both
// be written are a [UsageError] that names them. What could not be looked at is left to
// [Walk.Entries]. The error is the cause of ctx where that ended.
func (w *Walk) Survey(ctx context.Context, foldCase bool) (Survey, error) {
	found, err := w.survey(ctx, &claims{foldCase: foldCase, everything: len(w.Roots) != 1 || w.List != nil})
	if errors.Is(err, errFoldersMerge) {
		return w.survey(ctx, &claims{foldCase: foldCase, everything: true})
	}
	return found, err
}

func (w *Walk) survey(ctx context.Context, c *claims) (Survey, error) {
	found := Survey{Skipped: map[string]int{}}
	for e := range w.Entries(ctx) {
		if e.Skip != "" {
			found.Skipped[e.Skip]++
		}
		if e.Err != nil {
			found.Failing++
		}
		if !e.Document() {
			continue
		}
		found.Documents++
		if e.Info != nil {
			found.Bytes += e.Info.Size()
		}
		if w.Output == "" {
			continue // everything goes to standard output, one after the other
		}
		err := c.add(e.Name + w.Extension)
		if clash := (*overlappingClaim)(nil); errors.As(err, &clash) {
			return found, w.collision(ctx, clash, e, c.foldCase)
		}
		if err != nil {
			return found, err
		}
	}
	if ctx.Err() != nil {
		return found, context.Cause(ctx)
	}
	return found, nil
}

// collision names the documents whose outputs are in each other's way: second, and the first that
// made the same claim.
func (w *Walk) collision(ctx context.Context, clash *overlappingClaim, second Entry, foldCase bool) error {
	first := second
	for e := range w.Entries(ctx) {
		if e.Document() && w.claims(e, clash.key, foldCase) {
			first = e
			break
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if clash.folder {
		return usageError("%s and %s: one needs a folder where the output of the other would be", inputName(first), inputName(second))
	}
	return usageError("%s and %s would both write %s", inputName(first), inputName(second), second.Name+w.Extension)
}

// claims reports whether a document's output needs the path.
func (w *Walk) claims(e Entry, key pathKey, foldCase bool) bool {
	for c := range claimed(e.Name+w.Extension, foldCase) {
		if newPathKey(c.path) == key {
			return true
		}
	}
	return false
}

func inputName(e Entry) string {
	if e.Path == Stdin {
		return "standard input"
	}
	return e.Path
}
