// Package partitionotel turns a client's events into OpenTelemetry spans and metrics.
//
// An [Observer] is given to a client with [partition.WithObserver]; what becomes of spans and metrics is up to the providers.
//
// # Spans
//
//	quire.document       below the span in the context that the caller gave to Stream or Partition
//	  quire.part         one request's worth of it, or an answer from the cache
//	    quire.attempt    one HTTP request
//
// A failed span has the error's kind as error.type, the status as http.response.status_code, and on documents and parts the
// request id as quire.request_id, by which client's and server's logs can be found. The text of an error is not in it: that has the
// document's name and the server's words, which may repeat what the document says.
//
// Waits are events of the part: quire.sleep, quire.gate.closed and quire.gate.opened. An attempt that has been without an answer
// for long has an event quire.silence, a document whose client was refused one quire.refused, and one quire.cache_failed the first
// time that the cache did not work.
//
// The requests themselves do not carry the attempt's span: a transport that makes spans, set with [partition.WithHTTPClient], makes
// them siblings of quire.document.
//
// # Metrics
//
//	quire.documents           {document}  ended; quire.outcome: ok, partial, failed, or left by the caller; error.type
//	quire.document.duration   s           quire.outcome
//	quire.active_documents    {document}
//	quire.pages               {page}      answered, where a document has pages; quire.cached
//	quire.elements            {element}   delivered
//	quire.cache.hits          {part}
//	quire.attempts            {attempt}   ended; quire.status_class: 2xx to 5xx, or none without an answer; error.type
//	quire.attempt.duration    s           quire.status_class
//	quire.active_attempts     {attempt}
//	quire.retries             {attempt}   quire.rule: the row of the retry policy that asked for it
//	quire.sent                By          of request bodies, repetitions included
//	quire.closed_gates        {gate}      1 while an outage, or a wait that the server asked for, holds back all requests
//	quire.gate.closed_time    s           added when the gate opens
//
// All but the active ones and quire.closed_gates only ever grow. No metric has a document's name.
package partitionotel
