// Package batch sends many documents through one client.
//
// [Run] ranges over documents and yields an [Outcome] for each, in their order or as they end. It
// opens each document, asks [Options.Earlier] whether an earlier run has done it, checks the page
// limit ([Options.MaxPages]) and sends it ([Options.Do]). [Options.Concurrency] limits the
// documents under way, and [Options.Ahead] the outcomes that wait for their turn. So a run over any
// number of documents takes a bounded amount of memory.
//
// A failed document does not end the run. A run ends early when its context ends, when it reaches a
// limit of [Options], and when it is hopeless: the key is refused, the quota is exhausted, the
// server cannot be reached, or the server fails one document after the other and answers nothing
// meanwhile. The last outcome then has the state [Ended] and says why.
//
// The package deals with documents and a client only, not with files, terminals or flags.
package batch
