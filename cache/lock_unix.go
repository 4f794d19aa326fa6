//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package cache

import (
	"errors"
	"syscall"
)

// tryLock locks a file until this process closes it or ends. The error is errLocked where it is
// locked already, also by this process, and errNoLocks where the file system has no locks.
func tryLock(f file) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case unsupported(err), errors.Is(err, syscall.ENOLCK):
			return errNoLocks
		}
		return err
	}
}
