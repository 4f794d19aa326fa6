// Package partition is a client for the Unstructured partition API: a document goes in, typed elements come out.
//
// [Client.Stream] takes a [Document] and [Params] and yields each [Element] in page order. A PDF is cut into page chunks
// ([Split]); chunks are sent concurrently, under one limit of requests in flight for everything that goes through the client; and
// every request, whole document or chunk, is sent through the retry core of package retry, which obeys the server's own words: an
// answer that says "retryable": false is final.
//
// Nothing is lost in silence. An error is yielded once, last, as an [APIError] (a request that failed for good), a
// [DocumentError] (a document that could not be sent) or, where missing pages are allowed, a [PartialError] that names them;
// [KindOf] says what sort of failure it is. [Stream.Report] has the attempts, the warnings and the missing pages.
package partition
