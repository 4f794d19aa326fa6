package jsonlist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A Reader reads a list.
type Reader struct {
	r       *bufio.Reader
	longest int64
	scanner scanner
	begun   bool  // the bracket was read
	read    int64 // bytes taken of r
	values  int
	head    []byte
}

// A Value is one value of a list.
type Value struct {
	At   int64  // bytes before it
	Size int64  // in bytes
	Head []byte // its first [HeadSize] bytes, or all, until the next one is read
}

// HeadSize is how much of a value is kept at most, in bytes.
const HeadSize = 64 << 10

// Whole reports whether the head is all of the value.
func (v Value) Whole() bool { return v.Size == int64(len(v.Head)) }

// The errors of what is JSON, but not what was to be read.
var (
	ErrNoList = errors.New("the body is not a list of elements")
	ErrMore   = errors.New("unexpected data after the list of elements")
)

// A LengthError is a value that is too long.
type LengthError struct{ Longest int64 }

// Error is one line.
func (e *LengthError) Error() string {
	return fmt.Sprintf("an element is longer than %d MiB", e.Longest>>20)
}

// New returns a reader of a list whose values have at most so many bytes.
func New(r *bufio.Reader, longest int64) *Reader { return &Reader{r: r, longest: longest} }

// Next reads a value to its end. After the last one, and the end of what there is to read, it returns
// [io.EOF]; a list that breaks off is [io.ErrUnexpectedEOF].
func (l *Reader) Next() (Value, error) {
	c, err := l.delimiter()
	switch {
	case err != nil:
		return Value{}, err
	case c == ']':
		return Value{}, l.end()
	}
	v := Value{At: l.read}
	l.head = l.head[:0]
	l.scanner.reset()
	for l.scanner.state != ended {
		if err := l.scan(); err != nil {
			return Value{}, err
		}
		if v.Size = l.read - v.At; v.Size > l.longest {
			return Value{}, &LengthError{l.longest}
		}
	}
	v.Head = l.head
	l.values++
	return v, nil
}

// delimiter takes what is before a value, and returns its first byte; of the end of the list it takes
// the bracket.
func (l *Reader) delimiter() (byte, error) {
	c, err := l.peek()
	if err == nil && !l.begun {
		if c != '[' {
			return 0, ErrNoList
		}
		l.begun = true
		l.take(1)
		c, err = l.peek()
	}
	switch {
	case err != nil:
		return 0, err
	case c == ']':
		l.take(1)
		return c, nil
	case l.values == 0:
		return c, nil
	case c != ',':
		return 0, &SyntaxError{Offset: l.read + 1, wrong: c, where: "after array element"}
	}
	l.take(1)
	if c, err = l.peek(); c == ']' {
		err = &SyntaxError{Offset: l.read + 1, wrong: c, where: expected[beginValue]}
	}
	return c, err
}

// end makes sure that nothing comes after the list.
func (l *Reader) end() error {
	switch _, err := l.peek(); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	case err != nil:
		return err
	default:
		return ErrMore
	}
}

// peek leaves out blanks and returns the byte after them, without taking it.
func (l *Reader) peek() (byte, error) {
	for {
		p, err := l.window()
		if err != nil {
			return 0, err
		}
		for i, c := range p {
			if !isSpace(c) {
				l.take(i)
				return c, nil
			}
		}
		l.take(len(p))
	}
}

// scan takes what is there of a value.
func (l *Reader) scan() error {
	p, err := l.window()
	if err != nil {
		return err
	}
	n, err := l.scanner.scan(p)
	if wrong := (*SyntaxError)(nil); errors.As(err, &wrong) {
		wrong.Offset = l.read + int64(n) + 1
		return wrong
	}
	l.head = append(l.head, p[:min(n, HeadSize-len(l.head))]...)
	l.take(n)
	return nil
}

// window returns what is there to be read, at least a byte.
func (l *Reader) window() ([]byte, error) {
	_, err := l.r.Peek(1)
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return l.r.Peek(l.r.Buffered())
}

func (l *Reader) take(n int) {
	_, _ = l.r.Discard(n) // they are there
	l.read += int64(n)
}
