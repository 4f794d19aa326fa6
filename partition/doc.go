// Package partition is a client for the Unstructured partition API: a document goes in, typed
// elements come out.
//
// [Client.Stream] takes a [Document] and [Params] and yields each [element.Element] in page order.
// It cuts a PDF into chunks ([Split]) and sends them concurrently. A chunk is a run of pages that
// is sent as one request; a document that is sent whole counts as one chunk. One limit of requests
// in flight holds for the whole client. Package retry decides which requests are sent again. It
// obeys the server: an answer that says "retryable": false is final.
//
// To read the code, start with two functions. Stream.send in stream.go handles a document. It plans
// from the document and the parameters alone, starts a goroutine for each chunk, and merges the
// answers in page order as they arrive. job.send in chunk.go handles a chunk. It computes the cache
// key and looks in the cache. On a miss it cuts the chunk, waits for a slot, claims the key if processes
// share the cache ([ClaimCache]), and sends the request.
// The answer is checked while a retry is still possible. Then job.send stores the answer and frees
// the slot. If a chunk cannot be cut or gets no answer, job.answer decides what to do: send the
// document whole, or narrow the chunk, that is, send it as two halves.
//
// When the caller's context ends, waits and retries end at once. An attempt that is already under
// way may still be answered during the grace period ([WithGrace]).
//
// No page goes missing without an error, and no answer is lost: all that was answered is delivered,
// also behind a page that failed. The stream yields at most one error, and yields it last. If some
// pages are answered and others are not, it is a [PartialError], which lists the missing pages,
// whatever kept them from being answered. If nothing is answered, it is an [APIError] (a request
// failed for good) or a [DocumentError] (the document could not be sent). [KindOf] tells what went
// wrong, and [Kind.Scope] what else is affected. [Stream.Report] has the attempts, the warnings and
// the missing pages.
package partition
