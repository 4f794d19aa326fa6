package filestat

import (
	"io/fs"
	"syscall"
)

// changeTime is when a file or its attributes were changed last, in nanoseconds, with its inode.
func changeTime(info fs.FileInfo) (int64, uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano(), s.Ino
	}
	return 0, 0
}
