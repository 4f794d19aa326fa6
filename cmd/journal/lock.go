package journal

import (
	"encoding/json"
	"errors"
	"fmt"
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
		return "another run is writing to it"
	}
	return fmt.Sprintf("another run is writing to it: process %d on %q, since %s",
		e.Holder.PID, e.Holder.Host, e.Holder.Since.Local().Format(time.DateTime))
}

// takeLock takes the operating system's lock, which ends with the process however that ends. A file system without locks is said.
func (j *Journal) takeLock(dir string, warn func(error)) error {
	file, err := j.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600) // made here: inside the folder, whatever stands there
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	switch got, err := lock.TryLock(); {
	case err != nil:
		warn(fmt.Errorf("%s/%s: %w: a second run on the same folder would not be noticed", Folder, lockName, err))
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
	return j.root.WriteFile(holderName, append(holder, '\n'), 0o600)
}

// holder reads who holds the lock; zero where that cannot be read.
func (j *Journal) holder() (h Holder) {
	text, err := j.root.ReadFile(holderName)
	if err != nil || json.Unmarshal(text, &h) != nil {
		return Holder{}
	}
	return h
}

func (j *Journal) releaseLock() error {
	if j.lock == nil {
		return nil
	}
	return errors.Join(j.root.Remove(holderName), j.lock.Close())
}
