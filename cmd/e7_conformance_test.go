//go:build conformance && unix

package cmd_test

import "testing"

// TestE7ManyDocumentsOnOneCache is [TestE7ProcessesOnOneCache] with 100 documents, several times.
func TestE7ManyDocumentsOnOneCache(t *testing.T) {
	for range 5 {
		for _, processes := range []int{2, 3} {
			for _, kill := range []bool{false, true} {
				(&sideBySide{texts: 70, pdfs: 30, processes: processes, kill: kill}).run(t)
			}
		}
	}
}
