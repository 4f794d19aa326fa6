//go:build unix

package local

import "syscall"

// reservePages returns size bytes of zeroes, which take memory once they are written; nil if there
// is no room for them.
func reservePages(size int) []byte {
	pages, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return pages
}

func freePages(pages []byte) {
	if pages != nil {
		syscall.Munmap(pages) //nolint:errcheck // what was mapped can be unmapped
	}
}
