// Package filestat says whether a file is still what it was, by what the file system knows of it.
package filestat

import (
	"io/fs"
	"time"
)

// A Stat is what the file system says of a file, at a time.
type Stat struct {
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`           // nanoseconds since 1970
	CTime int64  `json:"ctime,omitempty"` // likewise; 0 where the system has none
	Inode uint64 `json:"inode,omitempty"`
	Taken int64  `json:"taken"` // when this was looked up
}

// Of is what info, looked up at the given time, says.
func Of(info fs.FileInfo, taken time.Time) Stat {
	s := Stat{Size: info.Size(), MTime: info.ModTime().UnixNano(), Taken: taken.UnixNano()}
	s.CTime, s.Inode = changeTime(info)
	return s
}

// timestampSteps is a little more than the coarsest step of file times in use: 2 s on FAT.
const timestampSteps = int64(2100 * time.Millisecond)

// Same reports whether a file is the one that s speaks of.
func (s Stat) Same(now Stat) bool {
	return s.SameContent(now) && s.CTime == now.CTime && s.Inode == now.Inode
}

// SameContent reports whether neither size nor modification time has changed. If the change time
// has, the file may only have another name or mode.
func (s Stat) SameContent(now Stat) bool { return s.Size == now.Size && s.MTime == now.MTime }

// Trusted reports whether a file could not have been changed after s was taken without its times
// showing it: these are older than s, by more than a step of the file system's clock. Else only its
// content tells. The rule is git's for its index.
func (s Stat) Trusted() bool {
	return max(s.MTime, s.CTime) < s.Taken-timestampSteps
}
