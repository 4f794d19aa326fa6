package format

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/quire-dev/quire/partition/element"
)

// ErrNotElements is returned by [Read] if the input is neither of the two formats.
var ErrNotElements = errors.New("not a list of elements in the format json or jsonl")

// Read yields the elements in an output of the formats json or jsonl, in order: those of one JSON
// list, or of one JSON object after the other. It holds one element at a time. The first error ends
// it: [ErrNotElements], a damaged input or one that ends too early, or what r returned. Elements that
// were yielded before are whole.
func Read(r io.Reader) iter.Seq2[element.Element, error] {
	return func(yield func(element.Element, error) bool) {
		stopped := false
		err := read(r, func(e element.Element) bool {
			stopped = !yield(e, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(element.Element{}, err)
		}
	}
}

func read(r io.Reader, take func(element.Element) bool) error {
	in := bufio.NewReaderSize(r, 64<<10)
	list, err := startsList(in)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(in)
	if list {
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
	for n := 1; !list || dec.More(); n++ {
		var e element.Element
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF) && !list:
			return nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("element %d: the file ends too early", n)
		case err != nil && n == 1:
			return fmt.Errorf("%w: %w", ErrNotElements, err)
		case err != nil:
			return fmt.Errorf("element %d: %w", n, err)
		case e.Type == "":
			return fmt.Errorf("%w: element %d has no type", ErrNotElements, n)
		}
		if !take(e) {
			return nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return errors.New("the list of elements ends too early")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the list of elements")
	}
	return nil
}

// startsList reports whether the first thing is a list.
func startsList(in *bufio.Reader) (bool, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case b == ' ', b == '\t', b == '\r', b == '\n':
		default:
			return b == '[', in.UnreadByte()
		}
	}
}
