package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// inputWait is how long a named pipe is waited for: its writer may be started beside the run.
const inputWait = 2 * time.Second

// longestSecret is the most that is read of a file with a key, a password or certificates.
const longestSecret = 1 << 20

// OpenInput opens a file that a flag names. Opening a named pipe that nobody writes to would block
// for ever: after [inputWait] that is an error. What a process substitution gives has a writer.
func OpenInput(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type result struct {
		file *os.File
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		file, err := os.Open(path)
		opened <- result{file, err}
	}()
	late := time.NewTimer(inputWait)
	defer late.Stop()
	select {
	case r := <-opened:
		return r.file, r.err
	case <-late.C:
	}
	// A writer for a moment lets the goroutine go.
	if writer, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		defer writer.Close()
		if r := <-opened; r.err == nil {
			r.file.Close()
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("nobody has written to this pipe for %s", inputWait)}
}

var errLongSecret = fmt.Errorf("it is longer than %d bytes", longestSecret)

// ReadInput reads a short file that a flag names. A device may have no end.
func ReadInput(path string) ([]byte, error) {
	file, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, longestSecret+1))
	if len(data) > longestSecret {
		err = errors.Join(err, &fs.PathError{Op: "read", Path: path, Err: errLongSecret})
	}
	return data, err
}
