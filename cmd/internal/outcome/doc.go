// Package outcome says what became of one document in a run.
//
// A run makes an [Outcome] of each file that it finds, fills it in while the document is on its
// way, and sets its [State] last. After that nothing of it changes: the output folder records it,
// the screen shows and counts it, and the exit code follows from all of them. fault.go says whose
// fault a failure is.
package outcome
