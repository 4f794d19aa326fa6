package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"

	"github.com/quire-dev/quire/partition/element"
)

// readRows is how many rows are decoded at once.
const readRows = 64

// Read yields the elements of a file that this package wrote, in order. The source columns are not
// part of an element. The first error ends it; it begins with "parquet: ".
func Read(r io.ReaderAt, size int64) iter.Seq2[element.Element, error] {
	return func(yield func(element.Element, error) bool) {
		stopped := false
		err := read(r, size, func(e element.Element) bool {
			stopped = !yield(e, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(element.Element{}, fmt.Errorf("parquet: %w", err))
		}
	}
}

func read(source io.ReaderAt, size int64, take func(element.Element) bool) error {
	file, err := opened(source, size)
	if err != nil {
		return err
	}
	if !parquet.EqualNodes(file.Schema(), schema) {
		return errors.New("the columns are not those of elements")
	}
	n := 0
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		more, err := readGroup(rows, &n, take)
		_ = rows.Close() // it only frees memory
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// readGroup passes on the elements of a row group, and counts them.
func readGroup(rows parquet.Rows, n *int, take func(element.Element) bool) (more bool, err error) {
	batch := make([]parquet.Row, readRows)
	for {
		count, err := next(rows, batch)
		for _, values := range batch[:count] {
			*n++
			e, err := elementOf(values)
			if err != nil {
				return false, fmt.Errorf("row %d: %w", *n, err)
			}
			if !take(e) {
				return false, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("row %d: %w", *n+1, err)
		}
	}
}

func elementOf(values parquet.Row) (e element.Element, err error) {
	r := make(row, len(columns))
	for i, values := range values.Range {
		r[i] = columns[i].kind.cellFrom(values)
	}
	object, err := r.object()
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(object, &e)
}

// opened opens a file. The library panics on some damaged files.
func opened(source io.ReaderAt, size int64) (file *parquet.File, err error) {
	defer recovered(&err)
	return parquet.OpenFile(source, size)
}

func next(rows parquet.Rows, batch []parquet.Row) (n int, err error) {
	defer recovered(&err)
	return rows.ReadRows(batch)
}

func recovered(err *error) {
	if thrown := recover(); thrown != nil {
		*err = fmt.Errorf("damaged: %v", thrown)
	}
}
