// Package settings holds what only the programs of this module may set of a client: package wire
// does.
package settings

import "time"

// Grace is how long a client waits by default for requests under way when a document ends early.
const Grace = 20 * time.Second

// Settings are given to partition.WithSettings. What is "" changes nothing.
type Settings struct {
	// Engine names the engine behind an in-process transport, with its version, so that answers of
	// another version are not taken from the cache. A server needs no name.
	Engine string
	// KeySource is where the API key is from, such as a file's name, for the message that the key was
	// refused.
	KeySource string
	// HoldElements is for a program whose loops over elements wait for no other document: what a large
	// element takes of memory is held until the loop goes on.
	HoldElements bool
}
