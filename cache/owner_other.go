//go:build !unix

package cache

import "io/fs"

// numbersOf knows nothing: the mode of a file does not say here who may write to it.
func numbersOf(fs.FileInfo) (user, group int, known bool) { return 0, 0, false }

// linksOf knows nothing.
func linksOf(fs.FileInfo) (links uint64, known bool) { return 0, false }
