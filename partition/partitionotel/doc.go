// Package partitionotel turns a client's events into OpenTelemetry spans and metrics.
//
// Pass an [Observer] to a client with [partition.WithObserver]. The providers decide where spans
// and metrics go.
//
// # Spans
//
//	quire.document       below the span in the context that the caller gave to Stream or Partition
//	  quire.part         one request's worth of it, or an answer from the cache
//	    quire.attempt    one HTTP request
//
// A failed span has the error's kind as error.type and the status as http.response.status_code.
// Spans of documents and parts also have the request id as quire.request_id, to find the request in
// the logs of client and server. A span does not have the text of the error, because that has the
// document's name and may have some of its content.
//
// Waits are events of the part: quire.sleep, quire.gate.closed and quire.gate.opened. An attempt
// that has had no answer for long has an event quire.silence. A document whose client was refused
// has an event quire.refused, and one quire.cache_failed the first time that the cache failed.
//
// The requests do not carry the attempt's span. If a transport set with [partition.WithHTTPClient]
// makes spans, they are siblings of quire.document.
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
// All metrics except the active ones and quire.closed_gates only grow. No metric has a document's
// name.
package partitionotel
