package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/journal"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// A history decides from the journal which documents need not be done again, and says what will be known of the others.
type history struct {
	run       context.Context // of the whole run
	output    *outputFolder
	params    string // a hash of all that an output depends on beside the document
	paths     bool   // it depends on the document's path as well
	how       string // what is tried: a failure of an earlier run is the last word only on the same
	engine    string
	extension string // of the output format
	force     bool   // send also what the server declared final
	again     bool   // do everything again
}

// outputKey is a hash of all that outputs depend on beside the document.
func outputKey(p partition.Params, engine string, more ...string) (string, error) {
	key, err := wire.Key(p)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(append([]string{hex.EncodeToString(key[:]), engine}, more...))
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), err
}

// do does a document unless an earlier run has settled it: its output is there, and neither its content nor anything else that the
// output depends on has changed; or the server had said that it would fail again. What will be known of it is prepared.
func (h *history) do(ctx context.Context, d *partition.Document, w *work, send func(name string) error) {
	name := w.entry.name + h.extension
	before := statOf(w.entry.path)
	if record, known := h.output.journal.Lookup(name); known && h.settled(ctx, d, w, record, before) {
		return
	}
	w.err = send(name)
	if h.run.Err() != nil && w.err != nil {
		return // it was not done; what is known of it from before still holds
	}
	w.record = h.describe(w, name)
	w.record.Stat = before
	if before.Same(statOf(w.entry.path)) {
		w.record.SHA256, _ = d.SHA256(context.WithoutCancel(ctx)) // also of the last document before a stop; one that cannot be read has none
	}
}

// knows tells whether the journal has a record of a document.
func (h *history) knows(w *work) bool {
	_, known := h.output.journal.Lookup(w.entry.name + h.extension)
	return known
}

// paramsOf is the hash of all that a document's output depends on beside its content.
func (h *history) paramsOf(w *work) string {
	if !h.paths {
		return h.params
	}
	sum := sha256.Sum256([]byte(h.params + "\x00" + w.entry.path))
	return hex.EncodeToString(sum[:])
}

// statOf is what the file system says of a file now; nothing where it says nothing.
func statOf(path string) journal.Stat {
	taken := time.Now()
	info, err := os.Stat(path)
	if err != nil {
		return journal.Stat{}
	}
	return journal.StatOf(info, taken)
}

// settled tells whether a document's record makes it needless to do it again.
func (h *history) settled(ctx context.Context, d *partition.Document, w *work, record journal.Record, now journal.Stat) bool {
	if h.again || record.Params != h.paramsOf(w) || !same(ctx, d, &record, now) {
		return false
	}
	size, there := h.output.size(record.Name)
	there = there && size == record.Output
	switch {
	case record.State == journal.Done && there:
		w.state = stateUnchanged
	case !record.Final || h.force || record.How != h.how:
		return false
	case record.State == journal.Failed:
		w.state, w.err = stateFailed, &earlierError{record}
	case record.State == journal.Partial && there:
		w.state, w.err = statePartial, &earlierError{record}
	default:
		return false
	}
	if record.Stat != now {
		record.Stat, w.record = now, record // its times are to be trusted from now on
	}
	return true
}

// same tells whether a document's content is the one on record. The times of its file tell where they can be trusted, else its hash.
func same(ctx context.Context, d *partition.Document, record *journal.Record, now journal.Stat) bool {
	switch {
	case record.SHA256 == "" || record.Size != now.Size:
		return false
	case record.Same(now) && record.Trusted():
		record.Stat = now // nothing new
		return true
	}
	sum, err := d.SHA256(ctx)
	return err == nil && sum == record.SHA256
}

// describe is the record of a document that was done, or failed.
func (h *history) describe(w *work, name string) journal.Record {
	r := journal.Record{
		Name: name, Path: w.entry.path, Params: h.paramsOf(w), How: h.how, State: journal.Done, Output: w.record.Output,
		Attempts: w.report.Requests(), Elements: w.report.Elements, Pages: w.report.AnsweredPages(), Missing: missingPages(w.report),
		Engine: h.engine, Version: partition.Version,
	}
	if absolute, err := filepath.Abs(r.Path); err == nil {
		r.Path = absolute
	}
	if w.err == nil {
		return r
	}
	r.State = journal.Failed
	if isPartial(w.err) {
		r.State = journal.Partial
	}
	r.Kind, r.Error, r.Status, r.Final = string(w.kind()), w.message(), statusOf(w.err), declaredFinal(w.err)
	return r
}

// maxGone is how many names of documents that are gone are said.
const maxGone = 10

// gone says which documents of earlier runs are no longer in the folders of this one, and counts them. Their outputs stay.
func (r *run) gone() int {
	if r.history == nil {
		return 0
	}
	n := 0
	for record := range r.output.journal.Unseen(false) {
		if _, there := r.output.size(record.Name); !there || !strings.HasSuffix(record.Name, r.format.Extension) || !r.walk.covers(record.Path) {
			continue
		}
		if _, err := os.Lstat(record.Path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if n++; n <= maxGone || r.verbose {
			r.console.remark("gone: %s; its output stays: %s", wire.Printable(record.Path), wire.Printable(record.Name))
		}
	}
	if n > maxGone && !r.verbose {
		r.console.remark("gone: %d more (-v names them)", n-maxGone)
	}
	return n
}

// missingPages are the page ranges that a document lacks.
func missingPages(r partition.Report) []string {
	var pages []string
	for _, missing := range r.Missing {
		pages = append(pages, missing.String())
	}
	return pages
}

// statusOf is the HTTP status of the last answer, 0 where there was none.
func statusOf(err error) int {
	if api := (*partition.APIError)(nil); errors.As(err, &api) {
		return api.Status
	}
	return 0
}

// declaredFinal tells that the server said that the document would fail again: of every page that is missing.
func declaredFinal(err error) bool {
	if partial := (*partition.PartialError)(nil); errors.As(err, &partial) {
		for _, cause := range partial.Errs {
			if !declaredFinal(cause) {
				return false
			}
		}
		return true
	}
	api := (*partition.APIError)(nil)
	return errors.As(err, &api) && api.Final
}

// An earlierError is a failure that an earlier run met, and that the server had declared final.
type earlierError struct{ record journal.Record }

// isEarlier tells that a failure is an earlier run's.
func isEarlier(err error) bool {
	earlier := (*earlierError)(nil)
	return errors.As(err, &earlier)
}

func (e *earlierError) Error() string {
	return e.record.Error + " (declared final in an earlier run; --force sends it again)"
}
