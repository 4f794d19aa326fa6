package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// OpenFile begins a file that a flag names, and makes sure, before anything is paid for, that it
// can be written. It follows links. An existing file keeps its mode; a device or a pipe is written
// to, not replaced. A named pipe that nobody reads is an error after [pipeWait].
func OpenFile(what, name string, disk *journal.Disk) (*File, error) {
	file, err := beginFile(name, disk)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, name, words.Reason(err))
	}
	return file, nil
}

// pipeWait is how long a named pipe is waited for: its reader may be started beside the run.
const pipeWait = 2 * time.Second

// openSpecial opens a device or a pipe to write to. Without a reader, opening a pipe would block for
// ever: so it is tried again until there is one.
func openSpecial(name string, mode fs.FileMode) (*os.File, error) {
	if mode&fs.ModeSocket != 0 {
		return nil, errors.New("it is a socket")
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	late := time.NewTimer(pipeWait)
	defer late.Stop()
	for {
		file, err := os.OpenFile(name, os.O_WRONLY|nonblocking, 0)
		if mode&fs.ModeNamedPipe == 0 || !errors.Is(err, syscall.ENXIO) {
			return file, err
		}
		select {
		case <-again.C:
		case <-late.C:
			return nil, fmt.Errorf("nobody has read from this pipe for %s", pipeWait)
		}
	}
}

func beginFile(name string, disk *journal.Disk) (*File, error) {
	mode := outputMode
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolderInPlace
	case !info.Mode().IsRegular():
		file, err := openSpecial(name, info.Mode())
		if err != nil {
			return nil, err
		}
		return &File{Writer: bufio.NewWriterSize(file, 64<<10), file: file, name: name}, nil
	default:
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	file, err := newFile(root, disk, hiddenName(), filepath.Base(name), mode)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	file.own = root
	if mode != outputMode {
		if err := disk.Chmod(file.file, mode); err != nil { // the umask may have taken something from it
			file.Discard()
			return nil, err
		}
	}
	return file, nil
}
