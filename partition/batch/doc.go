// Package batch takes many documents through one client.
//
// [Run] ranges over documents and yields an [Outcome] for each, in their order or as they end. A
// document's way is one function: it is opened, checked against what an earlier run did
// ([Options.Earlier]) and against the page limit ([Options.MaxPages]), and sent ([Options.Do]).
// Documents under way are bounded by [Options.Concurrency], outcomes that wait for their turn by
// [Options.Ahead], so a run over any number of documents takes a bounded amount of memory.
//
// A document that fails does not end the run. A run ends early when its context ends, at a limit of
// [Options], and when it is hopeless: the key is refused, the quota is spent, nobody reaches the
// server, or the server fails one document after the other and answers nothing meanwhile. What it
// did not come to is not lost in silence: the last outcome then has the state [Ended] and says why.
//
// The package knows documents and a client only: no files, no terminal, no flags.
package batch
