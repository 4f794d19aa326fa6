package folder

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

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// Key is a hash of all that outputs depend on beside the document.
func Key(p partition.Params, engine string, more ...string) (string, error) {
	key, err := wire.Key(p)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(append([]string{hex.EncodeToString(key[:]), engine}, more...))
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), err
}

// Knows reports whether the journal has a record of the document whose output has this name,
// without its extension.
func (o *Outputs) Knows(name string) bool {
	_, known := o.folder.journal.Lookup(name + o.Extension)
	return known
}

// keyOf is the hash of all that a document's output depends on beside its content.
func (o *Outputs) keyOf(path string) string {
	if !o.PathMatters {
		return o.Key
	}
	sum := sha256.Sum256([]byte(o.Key + "\x00" + path))
	return hex.EncodeToString(sum[:])
}

// statOf returns what the file system knows of a file now, or a zero Stat if that cannot be read.
func statOf(path string) journal.Stat {
	taken := time.Now()
	info, err := os.Stat(path)
	if err != nil {
		return journal.Stat{}
	}
	return wire.StatOf(info, taken)
}

// settle sets the State of a document whose record makes it needless to do it again: its output is
// there, and neither its content nor anything else that the output depends on has changed; or the
// server had said that it would fail again.
func (o *Outputs) settle(ctx context.Context, d *partition.Document, w *Output, record journal.Record, now journal.Stat) {
	if o.Again || record.Params != o.keyOf(w.Path) || !same(ctx, d, &record, now) {
		return
	}
	size, there := o.folder.size(record.Name)
	there = there && size == record.Output
	switch {
	case record.State == journal.Done && there && o.Force && record.Pages > 1 && !record.Repaired && o.Repairs != nil && o.Repairs(ctx, d):
		return
	case record.State == journal.Done && there && record.Empty && o.FailEmpty:
		w.outdated = true // its answer is in the cache
		return
	case record.State == journal.Done && there:
		w.State = outcome.Unchanged
	case !record.Final || o.Force || record.How != o.How:
		return
	case record.State == journal.Failed:
		w.State, w.Err = outcome.Failed, &outcome.EarlierError{Record: record}
	case record.State == journal.Partial && there:
		w.State, w.Err = outcome.Partial, &outcome.EarlierError{Record: record}
	default:
		return
	}
	if record.Stat != now {
		record.Stat, w.record = now, record // its times are to be trusted from now on
	}
}

// same reports whether a document's content is the one on record. The times of its file tell where
// they can be trusted, else its hash.
func same(ctx context.Context, d *partition.Document, record *journal.Record, now journal.Stat) bool {
	switch {
	case record.SHA256 == "", record.Stat != (journal.Stat{}) && record.Size != now.Size:
		return false
	case record.Same(now) && record.Trusted():
		record.Stat = now // nothing new
		return true
	}
	sum, err := d.SHA256(ctx)
	return err == nil && sum == record.SHA256
}

// describe is the record of a document that was done, or failed.
func (o *Outputs) describe(w *Output) journal.Record {
	r := journal.Record{
		Name: w.Name + o.Extension, Path: w.Path, Params: o.keyOf(w.Path), How: o.How, State: journal.Done, Output: w.size,
		Attempts: w.Report.Requests(), Elements: w.Report.Elements, Empty: w.Report.Empty, Pages: w.Report.AnsweredPages(), Missing: w.MissingPages(),
		Engine: o.Engine, Version: partition.Version, Repaired: o.Repairs != nil,
	}
	if absolute, err := filepath.Abs(r.Path); err == nil {
		r.Path = absolute
	}
	if w.Err == nil {
		return r
	}
	r.State = journal.Failed
	if outcome.LacksPages(w.Err) {
		r.State = journal.Partial
	}
	r.Kind, r.Error, r.Status, r.Final = string(w.Kind()), w.Message(), w.Status(), w.Final()
	return r
}

// MissingSources calls f with the record of every document that earlier runs did and that no longer
// exists, although its output does, and returns how many there are. covers reports whether a path
// is in the folders of this run; others are ignored. The documents of this run must be committed
// before.
func (o *Outputs) MissingSources(covers func(path string) bool, f func(number int, r journal.Record)) int {
	n := 0
	for record := range o.folder.journal.Unseen(false) {
		if _, there := o.folder.size(record.Name); !there || !strings.HasSuffix(record.Name, o.Extension) || !covers(record.Path) {
			continue
		}
		if _, err := os.Lstat(record.Path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		n++
		f(n, record)
	}
	return n
}
