//go:build !unix

package folder

// nonblocking has no meaning where there are no named pipes in folders.
const nonblocking = 0
