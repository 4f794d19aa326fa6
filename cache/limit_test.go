//go:build linux

package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func init() { children["limit"] = childLimit }

// childLimit may write no file of more than arg bytes.
func childLimit(d *Dir, arg int) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: uint64(arg), Max: uint64(arg)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := put(d, keyFor(1), contentFor(1)); err != nil {
		return err
	}
	for range 2 {
		if err := put(d, keyFor(2), make([]byte, 2*arg)); !errors.Is(err, ErrUnavailable) || !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("too large: %w", err)
		}
	}
	if got, err := get(d, keyFor(1)); err != nil || !bytes.Equal(got, contentFor(1)) {
		return fmt.Errorf("what was there: %w", err)
	}
	return nil
}

// The operating system refuses a write in the middle of an entry.
func TestFileLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var complaints bytes.Buffer
	c := command(t, "limit", dir, 100_000)
	c.Stderr = &complaints
	require.NoError(t, c.Run(), complaints.String())
	require.Equal(t, 1, bytes.Count(complaints.Bytes(), []byte("\n")), "said once: %s", complaints.String())
	d := openDir(t, dir, Options{})
	requireHit(t, d, 1)
	requireMiss(t, d, 2)
	require.Empty(t, inTransit(t, d))
}

// A file system that is really full, where one can be mounted.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("quire-test", dir, "tmpfs", 0, "size=512k,mode=0700"); err != nil {
		t.Skip("a small file system cannot be mounted here:", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	warned := &warnings{}
	d := openDir(t, dir, Options{Warn: warned.add})
	stored, full := 0, 0
	for n := range 40 {
		switch err := put(d, keyFor(n), bytes.Repeat([]byte{byte(n)}, 30_000)); {
		case err == nil:
			stored++
		default:
			full++
			require.ErrorIs(t, err, ErrUnavailable)
			require.ErrorIs(t, err, syscall.ENOSPC)
		}
	}
	require.Greater(t, stored, 5)
	require.Greater(t, full, 5)
	require.Len(t, warned.take(), 1)
	u, err := d.Verify(t.Context(), func(p *Problem) { t.Error(p) })
	require.NoError(t, err)
	require.Equal(t, stored, u.Entries)

	_, err = d.Clear(t.Context()) // with room again it goes on
	require.NoError(t, err)
	mustPut(t, d, 1)
	requireHit(t, d, 1)
	require.NoError(t, d.Close())
}

// A directory whose mode forbids writing, for a user whom modes concern.
func TestModeForbidsWriting(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere; TestReadOnly has the rest")
	}
	path := prepared(t)
	for _, name := range []string{entriesName, runsName, "."} {
		require.NoError(t, os.Chmod(filepath.Join(path, name), 0o500))
		t.Cleanup(func() { os.Chmod(filepath.Join(path, name), 0o700) })
	}
	_, err := Open(filepath.Join(path, "deeper"), Options{})
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorIs(t, err, fs.ErrPermission)

	warned := &warnings{}
	d := openDir(t, path, Options{Warn: warned.add})
	got, err := get(d, keyFor(1))
	require.NoError(t, err)
	require.Equal(t, "old content of 1", string(got))
	for range 3 {
		err = put(d, keyFor(2), nil)
		require.ErrorIs(t, err, ErrUnavailable)
		require.ErrorIs(t, err, fs.ErrPermission)
	}
	_, err = d.Scratch()
	require.ErrorIs(t, err, ErrUnavailable)
	require.Len(t, warned.take(), 1)

	require.NoError(t, os.Chmod(entryPath(d, 1), 0))
	require.ErrorIs(t, requireMiss(t, d, 1), fs.ErrPermission)
	require.FileExists(t, entryPath(d, 1))
}
