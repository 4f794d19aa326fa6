package cache

import (
	"errors"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	failImmediately = 1
	exclusive       = 2

	errorLockViolation = syscall.Errno(33)
)

// tryLock locks a file until this process closes it or ends. The error is errLocked where it is
// locked already, also by this process, and errNoLocks where the file system has no locks.
func tryLock(f file) error {
	var from syscall.Overlapped // the first byte, which need not be there
	ok, _, err := lockFileEx.Call(f.Fd(), exclusive|failImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&from)))
	switch {
	case ok != 0:
		return nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return errLocked
	case errors.Is(err, errors.ErrUnsupported):
		return errNoLocks
	}
	return err
}
