//go:build unix

package cache

import (
	"io/fs"
	"syscall"
)

// numbersOf returns the numbers of the user and the group that a file belongs to.
func numbersOf(info fs.FileInfo) (user, group int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// linksOf returns how many names a file has.
func linksOf(info fs.FileInfo) (links uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Nlink), true
}
