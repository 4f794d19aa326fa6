package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/split"
)

// chunksAfter reports whether the text chunking is a request of its own, after the elements of all
// chunks are there.
func (j *job) chunksAfter() bool {
	return j.params.ChunkingStrategy != "" && j.params.Split.Scope == ChunkingAfter && !j.plan.whole()
}

// chunkingOnly returns the parameters of the second step: those that say how text is chunked.
func (p Params) chunkingOnly() Params {
	p.Extra = form.Keep(&p, p.Extra, true)
	return p
}

// withoutChunking returns the parameters of the first step: all others.
func (p Params) withoutChunking() Params {
	p.Extra = form.Keep(&p, p.Extra, false)
	return p
}

// firstStep makes a job one without text chunking. By default it sends the elements as they were
// answered: so the second request is the one that earlier builds stored the answer to.
func (j *job) firstStep() (err error) {
	j.params = j.params.withoutChunking()
	j.params.Split.RepairParents = cmp.Or(j.params.Split.RepairParents, new(false))
	if j.fields, err = j.params.fields(); err != nil {
		return &DocumentError{Document: j.plan.Document, Kind: KindBadRequest, Err: err}
	}
	return nil
}

// sendTwice partitions a document in chunks without text chunking, and then has all its elements
// chunked in one request: they are the file, as JSON, under the document's own name. Of missing pages
// there are none.
func (s *Stream) sendTwice(first *job, deliver func(*chunk) error) error {
	chunking := first.params.chunkingOnly()
	chunking.Split = Split{Mode: first.params.Split.Mode, Password: first.params.Split.Password}
	if err := first.firstStep(); err != nil {
		return err
	}
	rooms := s.client.newScratch(first.params.Split.Mode)
	defer func() { _ = rooms.Close() }() // what stays is in the system's directory for temporary files
	elements := rooms.NewStore()
	failure := s.collect(first, elements)
	partial := (*PartialError)(nil)
	if failure != nil && !errors.As(failure, &partial) {
		return failure
	}
	before, kept := s.report, s.kept
	s.update(func(r *Report) { r.Missing = nil }) // nothing is delivered yet
	switch {
	case s.ctx.Err() != nil:
		return canceled(s.ctx, s.document.name)
	case KindOf(failure).Scope() == ScopeAccount:
		return partial.Cause() // with which the second request would be refused too
	}
	file := elements.Open()
	err := s.send(func() (*job, error) {
		second := &job{
			client: s.client, secrets: first.secrets, params: chunking, name: first.name,
			version: &version{source: file, size: elements.Size()}, release: func() {},
			plan: Plan{
				Document: s.document.name, MediaType: "application/json", Chunks: []split.PageRange{{}}, Warnings: before.Warnings,
			},
		}
		var err error
		if second.fields, err = chunking.fields(); err == nil && s.client.cache != nil {
			second.sha256, err = second.version.hash(s.ctx)
		}
		if err != nil {
			return nil, localError(s.document.name, err)
		}
		return second, nil
	}, deliver)
	s.update(func(r *Report) {
		r.MediaType, r.Pages = before.MediaType, before.Pages
		for i := len(before.Chunks); i < len(r.Chunks); i++ {
			r.Chunks[i].Chunking = true
		}
	})
	var api *APIError
	if errors.As(err, &api) && kept {
		api.hint = "the partitioned elements are kept in the cache"
	}
	if err == nil && partial != nil {
		s.update(func(r *Report) { r.Missing = before.Missing })
		return partial
	}
	return err
}

// collect writes the elements of all chunks into one JSON list.
func (s *Stream) collect(j *job, to *spool.Store) (err error) {
	w := to.Create()
	separator := "["
	failure := s.send(func() (*job, error) { return j, nil }, func(c *chunk) error {
		return s.deliver(c, s.client.turns.held(), func(e element.Element) bool {
			var encoded []byte
			if encoded, err = e.MarshalJSON(); err == nil {
				_, err = io.WriteString(w, separator)
			}
			if err == nil {
				_, err = w.Write(encoded)
			}
			separator = ","
			return err == nil
		})
	})
	if err == nil && separator == "[" {
		_, err = fmt.Fprint(w, separator)
	}
	if err == nil {
		_, err = fmt.Fprint(w, "]")
	}
	if err != nil && context.Cause(s.ctx) == nil {
		return localError(s.document.name, err)
	}
	return failure
}
