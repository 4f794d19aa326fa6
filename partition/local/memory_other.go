//go:build !unix

package local

// reservePages returns size bytes of zeroes.
func reservePages(size int) []byte { return make([]byte, size) }

// freePages leaves them to the garbage collector.
func freePages([]byte) {}
