package cache

import "errors"

// unsupported reports whether a file system does not know an operation.
func unsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// stale knows no such error.
func stale(error) bool { return false }
