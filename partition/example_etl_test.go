package partition_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A sink is where the job's output goes: a table, an index, a topic.
type sink interface {
	Write(document string, e element.Element) error // called for several documents at once
	Reject(r rejection) error                       // the dead letter
}

// A rejection is what will never be had of a document: the same request would fail the same way
// tomorrow.
type rejection struct {
	Document string
	Pages    split.PageRange // zero: all of it
	Kind     partition.Kind
	Err      error
}

// jobCounters are what a program would publish with expvar.
type jobCounters struct{ documents, failed, requests, retries atomic.Int64 }

// observe must not block: it is called while requests are under way.
func (c *jobCounters) observe(_ context.Context, e partition.Event) {
	switch {
	case e.Kind == partition.DocumentEnd && e.Err != nil:
		c.failed.Add(1)
	case e.Kind == partition.DocumentEnd:
		c.documents.Add(1)
	case e.Kind == partition.AttemptEvent && e.Attempt.Kind == retry.EventAttempt:
		c.requests.Add(1)
		if e.Attempt.Attempt > 1 {
			c.retries.Add(1)
		}
	}
}

// runJob sends documents through one client, four at a time, and writes their elements as they
// come, in page order. What a document's own fault has cost is rejected; any other error stops the
// job. With a cache, the next run does not pay again for what was answered.
func runJob(ctx context.Context, client *partition.Client, documents []*partition.Document, to sink) error {
	items := func(yield func(batch.Item) bool) {
		for _, d := range documents {
			// A bad page costs its chunk, not the document. A document of which nothing comes is rejected, and does not vanish.
			if !yield(batch.Document(d, partition.Params{FailEmpty: true, Split: partition.Split{AllowFailed: true}})) {
				return
			}
		}
	}
	outcomes := batch.Run(ctx, client, items, batch.Options{
		Concurrency: 4, DocumentTimeout: 30 * time.Minute, // waits and repetitions included
		Do: func(ctx context.Context, item batch.Item, d *partition.Document) (partition.Report, error) {
			return batch.Each(ctx, client, d, item.Params, func(e element.Element) error { return to.Write(item.Name, e) })
		},
	})
	for o := range outcomes {
		if err := setAside(o, to); err != nil {
			return err // leaving the loop ends what is under way
		}
	}
	return nil
}

// setAside rejects what a document's own fault has cost. Any other error is returned.
func setAside(o batch.Outcome, to sink) error {
	if o.Err == nil {
		return nil
	}
	missing, causes := []split.PageRange{{}}, []error{o.Err}
	if partial := (*partition.PartialError)(nil); errors.As(o.Err, &partial) {
		missing, causes = partial.Missing, partial.Errs
	}
	for i, cause := range causes {
		if !isPermanent(cause) {
			return cause
		}
		if err := to.Reject(rejection{o.Item.Name, missing[i], partition.KindOf(cause), cause}); err != nil {
			return err
		}
	}
	return nil
}

// isPermanent reports whether the document is to blame, or the server says that a repetition cannot
// succeed. An outage, a refused key, a spent quota or a full disk would only fill the dead letter
// with documents that are all right.
func isPermanent(err error) bool {
	var api *partition.APIError
	switch partition.KindOf(err).Scope() {
	case partition.ScopeDocument:
		return true
	case partition.ScopeServer:
		return errors.As(err, &api) && api.Final
	default:
		return false
	}
}

// A printedSink counts the elements and prints the dead letter.
type printedSink struct{ elements atomic.Int64 }

func (p *printedSink) Write(string, element.Element) error {
	p.elements.Add(1)
	return nil
}

func (p *printedSink) Reject(r rejection) error {
	fmt.Printf("rejected as %s: %v\n", r.Kind, r.Err)
	return nil
}

// An ETL job: documents go through workers into a sink, what can never be had goes to a dead
// letter, and what may pass stops the job.
func Example_etl() {
	server := partitiontest.NewServer(partitiontest.Options{}) // stands for the API
	defer server.Close()
	server.Script(
		partitiontest.Fault{File: "busy.pdf", Times: 1, Do: partitiontest.Chain(
			partitiontest.Header("Retry-After", "0"), partitiontest.Detail(429, "slow down"),
		)},
		partitiontest.Fault{File: "stained.pdf", Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(
			500, `{"detail": "unreadable", "retryable": false}`,
		)},
	)
	var counters jobCounters
	client, err := partition.New(
		partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithObserver(counters.observe),
		// partition.WithCache(dir), of cache.Open, makes the next run go on where this one has stopped.
	)
	if err != nil {
		log.Fatal(err)
	}
	var documents []*partition.Document
	for _, name := range []string{"busy.pdf", "fine.pdf", "stained.pdf"} {
		pdf := partitiontest.NewPDF(4)
		documents = append(documents, partition.FromReaderAt(name, bytes.NewReader(pdf), int64(len(pdf)))) // else partition.Open(path)
	}
	documents = append(documents, partition.FromReaderAt("empty.txt", strings.NewReader(""), 0))

	var to printedSink
	if err := runJob(context.Background(), client, documents, &to); err != nil {
		log.Fatal(err)
	}
	fmt.Println(counters.documents.Load(), "done,", counters.failed.Load(), "failed,", to.elements.Load(), "elements,",
		counters.requests.Load(), "requests,", counters.retries.Load(), "repeated")

	server.Script(partitiontest.Fault{Do: partitiontest.Detail(401, "API key is invalid")})
	pdf := partitiontest.NewPDF(2)
	next := partition.FromReaderAt("next.pdf", bytes.NewReader(pdf), int64(len(pdf)))
	err = runJob(context.Background(), client, []*partition.Document{next}, &to)
	fmt.Println("stopped:", partition.KindOf(err))
	// Unordered output:
	// rejected as bad_document: empty.txt: empty file
	// rejected as server: stained.pdf pages 3-4: POST /general/v0/general: 500 Internal Server Error: unreadable (1 attempt, not retryable)
	// 2 done, 2 failed, 10 elements, 7 requests, 1 repeated
	// stopped: auth
}
