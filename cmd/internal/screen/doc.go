// Package screen is what people, and programs, see of a run.
//
// A [Console] writes standard error: messages, and below them, on a terminal, one live line; with
// progress "json" every line is an object instead. It is fed from two sides: the client's events
// ([Console.Observe]) say what is under way, and each document's outcome ([Console.Concluded],
// [Console.Tell]) what came of it. Both are counted in progress.go, from which the live line and
// the progress lines are drawn. A [Summary] adds up the outcomes at the end, for people and for
// programs.
package screen
