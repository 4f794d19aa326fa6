//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package cache

// tryLock always fails: there are no locks that end with their process. A run
// counts as alive as long as it was seen lately.
func tryLock(file) error { return errNoLocks }
