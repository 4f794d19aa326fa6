package cache

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// childEnv says what a copy of the test binary is to do; see children.
const childEnv = "QUIRE_CACHE_CHILD"

// children run in processes of their own, on the directory given, until they are done or killed.
var children = map[string]func(d *Dir, arg int) error{
	"write": childWrite, "share": childShare, "claim": childClaim, "once": childOnce,
}

func TestMain(m *testing.M) {
	if f := children[os.Getenv(childEnv)]; f != nil {
		if err := child(f); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(f func(*Dir, int) error) error {
	arg, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	d, err := Open(os.Args[1], Options{Warn: func(err error) { fmt.Fprintln(os.Stderr, err) }})
	if err != nil {
		return err
	}
	return errors.Join(f(d, arg), d.Close())
}

func command(t *testing.T, what, dir string, arg int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, dir, strconv.Itoa(arg))
	c.Env = append(os.Environ(), childEnv+"="+what)
	return c
}

// keyFor and contentFor: a content that is known from its number alone.
func keyFor(n int) [32]byte { return sha256.Sum256([]byte(strconv.Itoa(n))) }

func contentFor(n int) []byte {
	line := fmt.Sprintf("content %d\n", n)
	return bytes.Repeat([]byte(line), 1+n*n*97%30_000) // 10 bytes to 400 KB: both ways of reading
}

func put(d *Dir, key [32]byte, content []byte) error {
	return d.Put(context.Background(), key, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func get(d *Dir, key [32]byte) ([]byte, error) {
	r, err := d.Get(context.Background(), key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// warnings collects what a Dir warns of.
type warnings struct {
	mu   sync.Mutex
	errs []error
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs = append(w.errs, err)
}

func (w *warnings) take() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	errs := w.errs
	w.errs = nil
	return errs
}

func openDir(t *testing.T, path string, o Options) *Dir {
	t.Helper()
	d, err := Open(path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func newDir(t *testing.T, o Options) (*Dir, *warnings) {
	t.Helper()
	w := &warnings{}
	o.Warn = w.add
	return openDir(t, filepath.Join(t.TempDir(), "cache"), o), w
}

func mustPut(t *testing.T, d *Dir, n int) {
	t.Helper()
	require.NoError(t, put(d, keyFor(n), contentFor(n)))
}

func requireHit(t *testing.T, d *Dir, n int) {
	t.Helper()
	got, err := get(d, keyFor(n))
	require.NoError(t, err)
	require.True(t, bytes.Equal(contentFor(n), got), "other content of %d", n)
}

func requireMiss(t *testing.T, d *Dir, n int) error {
	t.Helper()
	_, err := get(d, keyFor(n))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotContains(t, err.Error(), "\n")
	return err
}

func entryPath(d *Dir, n int) string {
	return filepath.Join(d.path, filepath.FromSlash(entryName(keyFor(n))))
}

// inTransit lists what is in the directories of transits but locks.
func inTransit(t *testing.T, d *Dir) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(d.path, runsName, "*", "*"))
	require.NoError(t, err)
	for _, name := range found {
		if base := filepath.Base(name); base != lockName {
			names = append(names, name)
		}
	}
	return names
}

func transitCount(t *testing.T, d *Dir) int {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(d.path, runsName))
	require.NoError(t, err)
	return len(found)
}

// childWrite stores numbers from arg on for ever, and says which are stored.
func childWrite(d *Dir, arg int) error {
	if _, err := d.Scratch(); err != nil {
		return err
	}
	for n := arg; ; n++ {
		if err := put(d, keyFor(n), contentFor(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// childShare stores the numbers to 40 and reads them, as its brothers do.
func childShare(d *Dir, arg int) error {
	for round := range 40 {
		n := (round + arg*7) % 40
		if err := put(d, keyFor(n), contentFor(n)); err != nil {
			return err
		}
		for _, m := range []int{n, (n * 3) % 40, (n * 11) % 40} {
			got, err := get(d, keyFor(m))
			if errors.Is(err, fs.ErrNotExist) && m != n {
				continue
			}
			if err != nil {
				return err
			}
			if !bytes.Equal(got, contentFor(m)) {
				return fmt.Errorf("wrong content of %d", m)
			}
		}
	}
	return nil
}

// readNumbers reads numbers as a child has said them; a last line that was cut short does not
// count.
func readNumbers(t *testing.T, out []byte) (numbers []int) {
	t.Helper()
	out = out[:bytes.LastIndexByte(out, '\n')+1]
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	return numbers
}

func unhex(t *testing.T, s string) (key [32]byte) {
	t.Helper()
	_, err := hex.Decode(key[:], []byte(s))
	require.NoError(t, err)
	return key
}

var day0 = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour
