//go:build unix

package folder

import "syscall"

const nonblocking = syscall.O_NONBLOCK
