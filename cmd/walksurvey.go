package cmd

import (
	"context"
	"errors"
)

// A survey is what a walk will come upon, before any of it is opened.
type survey struct {
	documents int            // that are taken
	failing   int            // that cannot be looked at, which fails them
	bytes     int64          // of them; standard input is not counted
	skipped   map[string]int // by reason, see skipReasons
}

// survey goes through everything once. Two documents whose outputs cannot both be written are a usage error that names them. What
// could not be looked at is left to [walk.entries]. The error is the cause of ctx where that ended.
func (w *walk) survey(ctx context.Context) (survey, error) {
	c := &claims{foldCase: w.foldCase, everything: len(w.roots) != 1 || w.list != nil}
	found, err := w.surveyWith(ctx, c)
	if errors.Is(err, errFoldersMerge) {
		return w.surveyWith(ctx, &claims{foldCase: w.foldCase, everything: true})
	}
	return found, err
}

func (w *walk) surveyWith(ctx context.Context, c *claims) (survey, error) {
	found := survey{skipped: map[string]int{}}
	for e := range w.entries(ctx) {
		if e.skip != "" {
			found.skipped[e.skip]++
		}
		if e.err != nil {
			found.failing++
		}
		if !e.document() {
			continue
		}
		found.documents++
		if e.info != nil {
			found.bytes += e.info.Size()
		}
		if w.output == "" {
			continue // everything goes to standard output, one after the other
		}
		err := c.add(e.name + w.extension)
		if clash := (*overlappingClaim)(nil); errors.As(err, &clash) {
			return found, w.collision(ctx, clash, e)
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

// collision names the documents whose outputs are in each other's way: second, and the first that made the same claim.
func (w *walk) collision(ctx context.Context, clash *overlappingClaim, second entry) error {
	first := second
	for e := range w.entries(ctx) {
		if e.document() && w.claims(e, clash.key) {
			first = e
			break
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if clash.folder {
		return usageError("%s and %s: the output of one stands where the other needs a folder", inputName(first), inputName(second))
	}
	return usageError("%s and %s lead to the same output, %s", inputName(first), inputName(second), second.name+w.extension)
}

// claims tells whether a document's output needs the path.
func (w *walk) claims(e entry, key pathKey) bool {
	for c := range claimed(e.name+w.extension, w.foldCase) {
		if newPathKey(c.path) == key {
			return true
		}
	}
	return false
}

func inputName(e entry) string {
	if e.path == standardInput {
		return "standard input"
	}
	return e.path
}
