package cache

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fixture of version 1, and its key: the SHA-256 of "quire cache fixture". Every release reads
// it; it was not written by this code.
const (
	fixture    = "testdata/v1.entry"
	fixtureKey = "04c3f805dc5f17d0dec3a384f1ce0bee4948a5ff14c90aca39528cfdde63c584"
	fixtureIs  = "[{\"type\":\"Title\",\"text\":\"Übersicht\"}]\n"
)

func TestFormatV1(t *testing.T) {
	want, err := os.ReadFile(fixture)
	require.NoError(t, err)
	key := unhex(t, fixtureKey)

	var written bytes.Buffer
	require.NoError(t, writeEntry(&written, key, func(w io.Writer) error {
		_, err := io.WriteString(w, fixtureIs)
		return err
	}))
	require.Equal(t, want, written.Bytes())

	d, _ := newDir(t, Options{})
	place(t, d, key, want)
	got, err := get(d, key)
	require.NoError(t, err)
	require.Equal(t, fixtureIs, string(got))
}

// place writes a file where the entry of a key would be.
func place(t testing.TB, d *Dir, key [32]byte, data []byte) string {
	t.Helper()
	path := filepath.Join(d.path, filepath.FromSlash(entryName(key)))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestOtherVersionStays(t *testing.T) {
	data, err := os.ReadFile(fixture)
	require.NoError(t, err)
	d, warned := newDir(t, Options{})
	key := unhex(t, fixtureKey)
	path := place(t, d, key, bytes.Replace(data, []byte("quire-cache 1\n"), []byte("quire-cache 27\n"), 1))

	_, err = get(d, key)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "version 27, this release reads version 1")
	require.FileExists(t, path)
	require.Empty(t, warned.take())

	require.NoError(t, put(d, key, []byte("new")))
	got, err := get(d, key)
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
}

// Each bit flipped, each byte replaced, each length cut: a miss, a warning, and the file is gone;
// but for the version's digit, where it may be another release's.
func TestEveryDamageIsAMiss(t *testing.T) {
	data, err := os.ReadFile(fixture)
	require.NoError(t, err)
	d, warned := newDir(t, Options{})
	key := unhex(t, fixtureKey)

	check := func(what string, at int, damaged []byte) {
		path := place(t, d, key, damaged)
		_, err := get(d, key)
		require.ErrorIs(t, err, fs.ErrNotExist, "%s at %d", what, at)
		complaints := warned.take()
		if at == len(format) && errors.Is(err, ErrVersion) {
			require.Empty(t, complaints)
			return
		}
		require.ErrorIs(t, err, ErrDamaged, "%s at %d", what, at)
		require.Len(t, complaints, 1)
		var p *Problem
		require.ErrorAs(t, complaints[0], &p)
		require.Equal(t, entryName(key), p.Path)
		require.NoFileExists(t, path, "%s at %d", what, at)
	}
	for at := range data {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1 << bit
			check("bit flipped", at, flipped)
		}
		check("cut", at, data[:at])
		check("byte lost", at, append(bytes.Clone(data[:at]), data[at+1:]...))
		check("byte doubled", at, append(bytes.Clone(data[:at+1]), data[at:]...))
		zeros := bytes.Clone(data)
		clear(zeros[at:]) // what a power cut leaves on some file systems
		if !bytes.Equal(zeros, data) {
			check("zeros from", at, zeros)
		}
	}
	check("something after", len(data), append(bytes.Clone(data), 0))
	check("another's entry", len(data), func() []byte {
		var b bytes.Buffer
		require.NoError(t, writeEntry(&b, keyFor(1), func(io.Writer) error { return nil }))
		return b.Bytes()
	}())
}

// Large entries are checked in another way.
func TestEveryDamageOfALargeEntryIsAMiss(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	key := keyFor(1)
	var b bytes.Buffer
	require.NoError(t, writeEntry(&b, key, func(w io.Writer) error { _, err := w.Write(content); return err }))
	data := b.Bytes()
	require.Greater(t, len(data), inMemory)
	r, err := readEntry(bytes.NewReader(data), int64(len(data)), key)
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, got))

	for at := 0; at < len(data); at += 1 + len(data)/300 {
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x10
		_, err := readEntry(bytes.NewReader(flipped), int64(len(flipped)), key)
		require.ErrorIs(t, err, ErrDamaged, "byte %d", at)
		_, err = readEntry(bytes.NewReader(data[:at]), int64(at), key)
		require.ErrorIs(t, err, ErrDamaged, "cut at %d", at)
	}
}

// A file that is changed in place after it was checked.
func TestChangedWhileRead(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 40_000)
	for name, change := range map[string]func(f *os.File) error{
		"byte":  func(f *os.File) error { _, err := f.WriteAt([]byte{'x'}, 600_000); return err },
		"short": func(f *os.File) error { return f.Truncate(500_000) },
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := newDir(t, Options{})
			require.NoError(t, put(d, keyFor(1), content))
			r, err := d.Get(t.Context(), keyFor(1))
			require.NoError(t, err)
			defer r.Close()
			f, err := os.OpenFile(entryPath(d, 1), os.O_WRONLY, 0)
			require.NoError(t, err)
			defer f.Close()
			require.NoError(t, change(f))
			_, err = io.ReadAll(r)
			require.ErrorIs(t, err, ErrDamaged)
		})
	}
}

// Whatever the bytes: an error, or a content that makes exactly these bytes.
func FuzzReadEntry(f *testing.F) {
	data, err := os.ReadFile(fixture)
	require.NoError(f, err)
	var key [32]byte
	copy(key[:], data[len(format)+len(version):])
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add([]byte(format + version))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readEntry(bytes.NewReader(data), int64(len(data)), key)
		if err != nil {
			require.True(t, errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion), "%v", err)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		var again bytes.Buffer
		require.NoError(t, writeEntry(&again, key, func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		}))
		require.Equal(t, data, again.Bytes())
	})
}

// A directory as version 0.1.0 has left it, with a run that was cut short: its entries are hits, and
// what is no longer needed goes.
func TestDirectoryOfEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	key := unhex(t, fixtureKey)
	entry, err := os.ReadFile(fixture)
	require.NoError(t, err)
	for name, content := range map[string]string{
		entryName(key):           string(entry),
		"CACHEDIR.TAG":           tag,
		"README":                 "This is a cache of quire.\n",
		"trimmed":                "2026-06-01T12:00:00Z\n0001-01-01T00:00:00Z\n",
		"runs/OLD/lock":          "",
		"runs/OLD/keys":          string(key[:]),
		"runs/OLD/1.new":         "cut short",
		"runs/OLD/2.scratch/one": "a chunk",
	} {
		file := filepath.Join(path, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	warned := &warnings{}
	d := openDir(t, path, Options{Warn: warned.add})
	require.Equal(t, day0, d.readMark().sure.UTC())
	require.True(t, d.Has(t.Context(), key))
	got, err := get(d, key)
	require.NoError(t, err)
	require.Equal(t, fixtureIs, string(got))
	mustPut(t, d, 1)
	require.Equal(t, 1, transitCount(t, d))
	require.FileExists(t, filepath.Join(path, filepath.FromSlash(entryName(key))))
	require.Empty(t, warned.take())
}
