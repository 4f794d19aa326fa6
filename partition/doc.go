// Package partition is a client for the Unstructured partition API: a document goes in, typed
// elements come out.
//
// [Client.Stream] takes a [Document] and [Params] and yields each [element.Element] in page order. A
// PDF is cut into page chunks ([Split]), which are sent concurrently under one limit of requests in flight
// for everything that goes through the client. Every chunk, and a whole document is one, passes the
// retry core of package retry, which obeys the server's own word: an answer that says "retryable":
// false is final.
//
// The way of a document is one function, Stream.send in stream.go: it plans, from the document and
// the parameters alone; it fans out, a goroutine for each chunk, in page order; it merges the
// answers in page order, as soon as the next one is there. The way of a chunk is one function,
// job.send in chunk.go: the key of its answer; is that in the cache? cut; wait for a slot; send
// through the retry core, which checks the answer while it can still be sent again; store; free the
// slot. What happens to a chunk that cannot be cut or answered, job.answer decides: it goes whole,
// or its halves go the same way.
//
// A request has two lifetimes: that of the caller's context, which ends its waits and repetitions,
// and the grace period ([WithGrace]), in which an attempt that is under way may still be answered.
//
// Nothing is lost in silence. An error is yielded once, last, as an [APIError] (a request that
// failed for good), a [DocumentError] (a document that could not be sent) or, where missing pages
// are allowed, a [PartialError] that names them; [KindOf] says what sort of failure it is, and
// [Kind.Scope] whose fault. [Stream.Report] has the attempts, the warnings and the missing pages.
package partition
