package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A faultDisk fails at its steps as fail says, which gets each step's number, from 0, and name. It
// knows what would be lost in a power cut.
type faultDisk struct {
	disk
	root string
	fail func(step int, what string) error

	steps    int
	unsynced map[string]bool // files with content that is not on the disk
	renamed  map[string]undo // by the new name: renames that are not
}

type undo struct {
	from   string
	before []byte // nil: there was nothing
}

func (d *faultDisk) step(what, name string) error {
	d.steps++
	if err := d.fail(d.steps-1, what); err != nil {
		return &fs.PathError{Op: what, Path: name, Err: err}
	}
	return nil
}

func (d *faultDisk) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if flag&os.O_CREATE != 0 {
		if err := d.step("create", name); err != nil {
			return nil, err
		}
		d.unsynced[name] = true
	}
	f, err := d.disk.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultFile{f, d, name}, nil
}

func (d *faultDisk) Mkdir(name string, perm fs.FileMode) error {
	if err := d.step("mkdir", name); err != nil {
		return err
	}
	return d.disk.Mkdir(name, perm)
}

func (d *faultDisk) Rename(from, to string) error {
	if err := d.step("rename", from); err != nil {
		return err
	}
	before, _ := os.ReadFile(filepath.Join(d.root, to))
	if err := d.disk.Rename(from, to); err != nil {
		return err
	}
	d.renamed[to] = undo{from, before}
	if d.unsynced[from] {
		d.unsynced[to] = true
	}
	delete(d.unsynced, from)
	return nil
}

func (d *faultDisk) Remove(name string) error {
	if err := d.step("remove", name); err != nil {
		return err
	}
	delete(d.unsynced, name)
	return d.disk.Remove(name)
}

func (d *faultDisk) RemoveAll(name string) error {
	if err := d.step("remove", name); err != nil {
		return err
	}
	return d.disk.RemoveAll(name)
}

func (d *faultDisk) Chtimes(name string, atime, mtime time.Time) error {
	if err := d.step("chtimes", name); err != nil {
		return err
	}
	return d.disk.Chtimes(name, atime, mtime)
}

type faultFile struct {
	file
	disk *faultDisk
	name string
}

func (f *faultFile) Write(p []byte) (int, error) {
	if err := f.disk.step("write", f.name); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		if errors.Is(err, errShort) {
			err = nil
		}
		return n, err
	}
	f.disk.unsynced[f.name] = true
	return f.file.Write(p)
}

func (f *faultFile) Sync() error {
	if err := f.disk.step("sync", f.name); err != nil {
		return err
	}
	delete(f.disk.unsynced, f.name)
	for to := range f.disk.renamed {
		if filepath.Dir(to) == filepath.FromSlash(f.name) {
			delete(f.disk.renamed, to)
		}
	}
	return nil // a power cut is played, not awaited
}

func (f *faultFile) Close() error {
	err := f.disk.step("close", f.name)
	return errors.Join(f.file.Close(), err)
}

// powerCut loses what was not synced: renames or not, contents in several ways.
func (d *faultDisk) powerCut(t *testing.T, way int) {
	t.Helper()
	for to, u := range d.renamed {
		if way%2 == 0 {
			continue // it was on the disk all the same
		}
		require.NoError(t, os.Rename(filepath.Join(d.root, to), filepath.Join(d.root, u.from)))
		if u.before != nil {
			require.NoError(t, os.WriteFile(filepath.Join(d.root, to), u.before, 0o600))
		}
		if d.unsynced[to] {
			d.unsynced[u.from] = true
			delete(d.unsynced, to)
		}
	}
	for name := range d.unsynced {
		path := filepath.Join(d.root, name)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		switch way / 2 {
		case 0:
			data = data[:len(data)/2]
		case 1:
			clear(data)
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
}

func newFaultDisk(t *testing.T, path string, fail func(step int, what string) error) *faultDisk {
	t.Helper()
	root, err := os.OpenRoot(path)
	require.NoError(t, err)
	return &faultDisk{disk: rootDisk{root}, root: path, fail: fail, unsynced: map[string]bool{}, renamed: map[string]undo{}}
}

// soundDisk is a Dir whose disk does not fail, and does not take the time to sync.
func soundDisk(t *testing.T, path string, o Options) *Dir {
	t.Helper()
	d, err := open(path, newFaultDisk(t, path, func(int, string) error { return nil }), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

var errShort = errors.New("short write")

// onFaultDisk opens a Dir whose disk fails at one step after the other, from the opening on, puts
// an entry over an older one and a new one, and trims. It returns what the Puts said, and whether
// the step was reached.
func onFaultDisk(t *testing.T, path string, fail func(step int, what string) error) (on *faultDisk, errs [2]error, complaints []error) {
	t.Helper()
	warned := &warnings{}
	on = newFaultDisk(t, path, fail)
	d, err := open(path, on, Options{Warn: warned.add})
	if err != nil {
		on.disk.Close()
		return on, [2]error{err, err}, nil
	}
	errs[0] = put(d, keyFor(1), []byte("new content of 1"))
	errs[1] = put(d, keyFor(2), contentFor(2))
	for n := range 3 {
		if r, err := d.Get(t.Context(), keyFor(n)); err == nil {
			r.Close()
		} else {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
	_, _ = d.Trim(t.Context())
	_ = d.Close()
	return on, errs, warned.take()
}

// prepared is a cache with an old content of 1.
func prepared(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Mkdir(path, 0o700))
	d := soundDisk(t, path, Options{})
	require.NoError(t, put(d, keyFor(1), []byte("old content of 1")))
	old := time.Now().Add(-2 * trimInterval) // the next Put trims
	require.NoError(t, os.Chtimes(filepath.Join(path, markName), old, old))
	return path
}

// requireWhole checks by a sound disk that what is there is whole, and what was said to be stored
// is there.
func requireWhole(t *testing.T, path string, errs [2]error) {
	t.Helper()
	warned := &warnings{}
	d := soundDisk(t, path, Options{Warn: warned.add})
	got, err := get(d, keyFor(1))
	switch {
	case errs[0] == nil:
		require.NoError(t, err)
		require.Equal(t, "new content of 1", string(got))
	case err == nil:
		require.Contains(t, []string{"old content of 1", "new content of 1"}, string(got))
	default:
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	got, err = get(d, keyFor(2))
	if err == nil {
		require.True(t, bytes.Equal(contentFor(2), got))
	} else {
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.Error(t, errs[1], "said to be stored")
	}
	mustPut(t, d, 3)
	require.Empty(t, inTransit(t, d), "the next process sweeps")
}

// Every step made to fail in turn, once and from then on: an error that is ErrUnavailable, said
// once, and never wrong data.
func TestEveryStepFails(t *testing.T) {
	for name, c := range map[string]struct {
		cause   error
		onwards bool
	}{
		"full for a moment": {syscall.ENOSPC, false}, "full": {syscall.ENOSPC, true}, "read-only": {syscall.EROFS, true},
		"cut short": {errShort, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := true
			for at := 0; reached; at++ {
				path := prepared(t)
				on, errs, complaints := onFaultDisk(t, path, func(step int, what string) error {
					if step < at || step > at && !c.onwards || errors.Is(c.cause, errShort) && what != "write" {
						return nil
					}
					return c.cause
				})
				reached = on.steps > at
				failed := 0
				for _, err := range errs {
					if err != nil {
						failed++
						require.ErrorIs(t, err, ErrUnavailable)
						require.NotContains(t, err.Error(), "\n")
					}
				}
				require.LessOrEqual(t, len(complaints), 1, "said once")
				require.True(t, failed == 0 || len(complaints) == 1, "said")
				requireWhole(t, path, errs)
			}
		})
	}
}

// A power cut at every step, in which unsynced contents and renames are lost or not: what was said
// to be stored is there, and nothing is wrong.
func TestPowerCut(t *testing.T) {
	errCut := errors.New("power cut")
	for way := range 4 {
		t.Run(fmt.Sprint(way), func(t *testing.T) {
			t.Parallel()
			for at, cut := 0, true; cut; at++ {
				cut = false
				path := prepared(t)
				on, errs, _ := onFaultDisk(t, path, func(step int, _ string) error {
					if step < at {
						return nil
					}
					cut = true
					return errCut
				})
				on.powerCut(t, way)
				requireWhole(t, path, errs)
			}
		})
	}
}

// A directory that is only readable serves what it has.
func TestReadOnly(t *testing.T) {
	path := prepared(t)
	on, errs, complaints := onFaultDisk(t, path, func(_ int, what string) error {
		if what == "close" {
			return nil
		}
		return syscall.EROFS
	})
	require.NotZero(t, on.steps)
	for _, err := range errs {
		require.ErrorIs(t, err, ErrUnavailable)
		require.ErrorIs(t, err, syscall.EROFS)
	}
	require.Len(t, complaints, 1)
	require.True(t, strings.HasPrefix(complaints[0].Error(), "cache unavailable: "), complaints[0])

	d, err := open(path, newFaultDisk(t, path, on.fail), Options{})
	require.NoError(t, err)
	defer d.Close()
	got, err := get(d, keyFor(1))
	require.NoError(t, err)
	require.Equal(t, "old content of 1", string(got))
}
