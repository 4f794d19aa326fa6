// Package words spells counts, sizes and the errors of files as messages say them.
package words

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Count is a number with its noun: "1 page", "2 pages".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Size is a number of bytes, rounded down to two digits or more of a decimal unit.
func Size(bytes int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= 10*unit.size {
			return fmt.Sprintf("%d %s", bytes/unit.size, unit.name)
		}
	}
	return Count(int(bytes), "byte")
}

// Reason is the error of a file operation without the operation and the path, which the message has
// already.
func Reason(err error) error {
	path, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	default:
		return err
	}
}

// PathError is an error about a path that a command line names.
func PathError(path string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return path + ": no such file or folder"
	}
	return fmt.Sprintf("%s: %s", path, Reason(err))
}
