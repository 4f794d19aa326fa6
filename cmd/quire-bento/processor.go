package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

const processorName = "quire_partition"

// register adds the processor, the input and the outputs to an environment.
func register(env *service.Environment) error {
	return errors.Join(
		env.RegisterProcessor(processorName, spec(), newProcessor),
		env.RegisterInput(folderName, folderSpec(), newFolderInput),
		env.RegisterOutput(filesName, filesSpec(), newFiles), env.RegisterOutput(listName, listSpec(), newList),
	)
}

// A processor turns documents into elements. Bento calls it from all threads of a pipeline at once, so that they share one client.
type processor struct {
	settings
	clients *clients
	meters  *meters
	tally   *tally
	log     *service.Logger
}

func newProcessor(conf *service.ParsedConfig, resources *service.Resources) (service.Processor, error) {
	given, err := readSettings(conf)
	if err != nil {
		return nil, err
	}
	p := &processor{settings: *given, meters: newMeters(resources.Metrics()), log: resources.Logger()}
	p.tally = &tally{say: func(text string) { p.log.Info(text) }}
	p.clients = &clients{log: p.log, open: func() (*client, error) { return openClient(given, p.observe, p.log) }}
	opened, err := p.clients.acquire() // what cannot work is said now, and not with the first document
	if err != nil {
		return nil, err
	}
	p.clients.release(opened)
	return p, nil
}

// Process answers a document. An error that is returned stays with the message, whose content is what it was. A stream that is
// stopped leaves the message as if it had never come: Bento then does not acknowledge it.
func (p *processor) Process(ctx context.Context, m *service.Message) (service.MessageBatch, error) {
	forget(m)
	p.meters.documents.Incr(1)
	p.tally.begin()
	a, err := p.persist(ctx, m)
	if ctx.Err() != nil {
		p.tally.end(&p.tally.stopped)
		return nil, ctx.Err()
	}
	if err != nil {
		p.tally.end(&p.tally.failed)
		p.meters.failed.Incr(1, string(partition.KindOf(err)))
		describeError(m, err)
		return nil, err
	}
	p.tally.end(&p.tally.answered)
	return p.deliver(m, a)
}

// persist is send, and send again for as long as the server is out of reach for every document.
func (p *processor) persist(ctx context.Context, m *service.Message) (*answer, error) {
	c, err := p.clients.acquire()
	if err != nil {
		return nil, &partition.DocumentError{Document: processorName, Kind: partition.KindLocalIO, Err: err}
	}
	defer p.clients.release(c)
	for {
		a, err := p.send(ctx, c, m)
		if err == nil || ctx.Err() != nil {
			return a, err
		}
		if !speaksOfServer(err) || c.answers(ctx) {
			return a, p.judge(err)
		}
		if !p.wait {
			m.MetaSetMut(metaOutage, true)
			return nil, err
		}
		p.log.With("error", err.Error()).Warn("no document can be partitioned now: waiting until the server answers")
		p.meters.waiting.add(1)
		awaitServer(ctx, c, p.pause)
		p.meters.waiting.add(-1)
	}
}

// send sends a document once, with the retries of the policy.
func (p *processor) send(ctx context.Context, c *client, m *service.Message) (*answer, error) {
	if p.documentTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, p.documentTimeout, &timeLimit{p.documentTimeout})
		defer cancel()
		ctx = limited
	}
	document, err := p.document(m)
	if err != nil {
		return nil, err
	}
	defer func() { _ = document.Close() }() // it was only read
	start := time.Now()
	a, err := collect(ctx, c, document, p.params, p.elements)
	p.meters.add(a.report, time.Since(start))
	for _, warning := range a.report.Warnings {
		p.log.Warnf("%s: %s", wire.Printable(document.Name()), warning)
	}
	return a, err
}

// judge returns the error of a document that failed by itself, nil where missing pages are allowed and others are there. A document
// that changed while it was sent has failed.
func (p *processor) judge(err error) error {
	partial := (*partition.PartialError)(nil)
	switch {
	case !errors.As(err, &partial):
		return err
	case !p.params.Split.AllowFailed, partition.KindOf(err) == partition.KindChanged:
		return partial.Cause()
	default:
		p.log.Warnf("%s", partial)
		return nil
	}
}

// deliver makes messages of an answer: one, or one for each element. A document without elements is one message too: it would
// vanish otherwise.
func (p *processor) deliver(m *service.Message, a *answer) (service.MessageBatch, error) {
	describe(m, a.report)
	if !p.elements {
		m.SetBytes(a.content)
		return service.MessageBatch{m}, nil
	}
	if len(a.elements) == 0 {
		m.SetStructuredMut(recordOf(a.report))
		return service.MessageBatch{m}, nil
	}
	batch := make(service.MessageBatch, len(a.elements))
	for i, element := range a.elements {
		batch[i] = m.Copy()
		batch[i].SetBytes(element)
		batch[i].MetaSetMut(metaIndex, i)
	}
	return batch, nil
}

// observe counts requests in flight, and says what the client says only once.
func (p *processor) observe(_ context.Context, e partition.Event) {
	switch e.Kind {
	case partition.CacheFailed:
		p.log.Warnf("cache: %s", wire.Printable(fmt.Sprint(e.Err)))
	case partition.ClaimHeld:
		if e.Err != nil {
			p.log.Warnf("%s: %s", wire.Printable(e.Document), e.Err)
		}
	case partition.AttemptEvent:
		p.meters.observe(e.Attempt)
	}
}

// Close frees what the processor holds. Each thread of the pipeline calls it, while others may still have a document.
func (p *processor) Close(context.Context) error {
	p.tally.close()
	p.clients.close()
	return nil
}

// A timeLimit is the cause of a document that took longer than document_timeout.
type timeLimit struct{ limit time.Duration }

func (t *timeLimit) Error() string {
	return fmt.Sprintf("time limit of %s reached (document_timeout)", t.limit)
}
func (t *timeLimit) Is(target error) bool { return target == context.DeadlineExceeded }
