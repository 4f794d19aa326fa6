//go:build !plan9

package cache

import (
	"errors"
	"syscall"
)

// unsupported reports whether a file system does not know an operation, as SMB and some FUSE file
// systems do. That a disk is full, broken or read-only is another matter.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTTY)
}

// stale reports whether a file is gone that another machine has removed while it was opened, as NFS
// says it.
func stale(err error) bool { return errors.Is(err, syscall.ESTALE) }
