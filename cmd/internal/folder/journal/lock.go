package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockName   = "lock"
	holderName = "holder.json"
)

// A Holder is the run that holds a journal's lock.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// A HeldError is a journal that another run is writing.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return "another run is using this folder"
	}
	return fmt.Sprintf("another run is using this folder: process %d on %q, since %s",
		e.Holder.PID, e.Holder.Host, e.Holder.Since.Local().Format(time.DateTime))
}

// takeLock takes a lock of the operating system, which ends with the process, however that ends. A
// file system without locks is a warning.
func (j *Journal) takeLock(dir string, warn func(error)) error {
	file, err := j.openOwn(lockName, os.O_RDWR|os.O_CREATE) // made here: inside the folder, whatever stands there
	if err != nil {
		return named(lockName, err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	switch got, err := lock.TryLock(); {
	case err != nil && broken(err):
		return errors.Join(named(lockName, err), lock.Close())
	case err != nil:
		warn(fmt.Errorf("%s/%s: %w: cannot tell whether another run is using this folder", Folder, lockName, err))
		return lock.Close()
	case !got:
		return errors.Join(&HeldError{j.holder()}, lock.Close())
	}
	j.lock = lock
	host, _ := os.Hostname() // unknown is ""
	holder, err := json.Marshal(Holder{os.Getpid(), host, time.Now()})
	if err != nil {
		return err
	}
	out, err := j.openOwn(holderName, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return named(holderName, err)
	}
	_, err = out.Write(append(holder, '\n'))
	return errors.Join(err, out.Close())
}

// holder reads who holds the lock; zero where that cannot be read.
func (j *Journal) holder() (h Holder) {
	file, err := j.openOwn(holderName, os.O_RDONLY)
	if err != nil {
		return Holder{}
	}
	defer file.Close()
	if json.NewDecoder(io.LimitReader(file, 1<<10)).Decode(&h) != nil {
		return Holder{}
	}
	return h
}

func (j *Journal) releaseLock() error {
	if j.lock == nil {
		return nil
	}
	err := j.root.Remove(holderName)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the folder is gone, or was never written to
	}
	return errors.Join(err, j.lock.Close())
}
