package split

import (
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Without this pdfcpu writes a configuration folder into the user's home, and
// panics where there is none.
func init() { model.ConfigPath = "disable" }

// read parses the file, first with the empty password.
func read(ctx context.Context, r io.ReaderAt, size int64, password string, l Limits) (*table, error) {
	t, err := readWith(ctx, r, size, "", l)
	if password == "" || !errors.Is(err, ErrEncrypted) {
		return t, err
	}
	return readWith(ctx, r, size, password, l)
}

// readWith runs pdfcpu's reader beside the caller, which so comes back in time
// whatever the reader does: cancelled, it ends at its next read.
func readWith(ctx context.Context, r io.ReaderAt, size int64, password string, l Limits) (*table, error) {
	type result struct {
		table *table
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var t *table
		err := guard(func() (err error) {
			t, err = parse(ctx, r, size, password, l)
			return err
		})
		done <- result{t, err}
	}()
	select {
	case res := <-done:
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return res.table, res.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func parse(ctx context.Context, r io.ReaderAt, size int64, password string, l Limits) (*table, error) {
	head := newSource(ctx, r, size)
	if err := checkXRefStreams(head, size, l); err != nil {
		return nil, err
	}
	m := &mender{file: r, size: size, objects: map[int]string{}, lost: map[int]bool{}}
	parsed, src, err := m.parse(ctx, password, l)
	if err != nil {
		return nil, err
	}
	t := newTable(parsed, l)
	t.repairLengths(src, src.size)
	t.findLost(parsed, src)
	maps.Copy(t.lost, m.lost)
	if tried, sound := t.tryStreams(); !sound {
		switch {
		case t.encrypted && tried:
			return nil, passwordError(password)
		case !t.encrypted && encryptedFromTrailer(r, size):
			// pdfcpu looks only for an encryption dictionary that is an object.
			return nil, refuse(ErrEncrypted, "in a way that is not supported (a dictionary in the trailer)")
		}
	}
	return t, src.err
}

func configuration(password string, l Limits) *model.Configuration {
	c := model.NewDefaultConfiguration()
	c.ValidationMode = model.ValidationRelaxed
	c.Optimize = false
	c.OptimizeBeforeWriting = false
	c.OptimizeResourceDicts = false
	c.UserPW, c.OwnerPW = password, password
	c.Limits.MaxStreamBytes = l.FileBytes
	c.Limits.MaxDecodeBytes = l.DecodedBytes
	c.Limits.MaxObjectCount = l.Objects
	c.Limits.MaxXRefEntries = l.Objects
	c.Limits.MaxObjectStreamCount = l.Objects
	c.Limits.MaxRecursionDepth = l.Depth
	return c
}

func classify(err error, password string, src io.ReaderAt) error {
	switch {
	case errors.Is(err, pdfcpu.ErrWrongPassword):
		return passwordError(password)
	case strings.HasPrefix(err.Error(), "encryption"):
		return refuse(ErrEncrypted, "in a way that is not supported (%s)", reason(err))
	case errors.Is(err, zlib.ErrHeader) && mentions(src, encryptAnywhere):
		// Nothing is zlib any more: a key that only seemed to be right.
		return passwordError(password)
	case errors.Is(err, pdffilter.ErrDecodeLimitExceeded):
		return errInflates()
	case errors.Is(err, model.ErrMaxRecursionDepthExceeded):
		return refuse(ErrTooLarge, "its objects are nested too deeply")
	case strings.Contains(err.Error(), "exceeds limit"):
		return refuse(ErrTooLarge, "it has too many objects (%s)", reason(err))
	}
	return refuse(ErrDamaged, "it cannot be parsed (%s)", reason(err))
}

func passwordError(password string) error {
	if password == "" {
		return refuse(ErrEncrypted, "it needs a password")
	}
	return refuse(ErrEncrypted, "the password does not open it")
}

// reason makes a line of an error whose text may hold bytes of the file.
func reason(err error) string {
	s := strings.TrimPrefix(err.Error(), "pdfcpu: ")
	const longest = 160
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		s = strconv.QuoteToASCII(s)
	}
	return s
}

// guard turns a panic into an error: pdfcpu has some left for odd files.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(ErrDamaged, "the reader cannot follow it (%s)", reason(fmt.Errorf("%v", p)))
		}
	}()
	return f()
}

var (
	encryptAnywhere  = regexp.MustCompile(`/Encrypt\b`)
	encryptInTrailer = regexp.MustCompile(`/Encrypt` + blanks + `*<<`)
)

// encryptedFromTrailer looks where trailers are: at the end of a file, and at
// the start of one that is made for the web.
func encryptedFromTrailer(r io.ReaderAt, size int64) bool {
	const reach = 64 << 10
	return mentions(io.NewSectionReader(r, 0, min(size, reach)), encryptInTrailer) ||
		mentions(io.NewSectionReader(r, max(0, size-reach), reach), encryptInTrailer)
}

// mentions searches a file for a short piece of text.
func mentions(r io.ReaderAt, text *regexp.Regexp) bool {
	found := false
	eachMatch(r, text, func(int64) bool {
		found = true
		return false
	})
	return found
}
