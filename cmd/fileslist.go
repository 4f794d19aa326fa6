package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// listedPathLimit is how many bytes a path in a list may have: more than any system opens.
const listedPathLimit = 64 << 10

// readFilesList reads the list of files in the file at path, or on stdin where path is "-". What is wrong with it is a usage error;
// the end of ctx ends the waiting.
func readFilesList(ctx context.Context, path string, stdin io.Reader) ([]listed, error) {
	source := stdin
	if path != standardInput {
		file, err := os.Open(path)
		if err != nil {
			return nil, usageError("--files-from %s", plainPathError(path, err))
		}
		defer file.Close() // it was only read
		source = file
	}
	in := interruptible(ctx, source)
	defer in.Close() // it was only read
	list, err := parseFilesList(in)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, usageError("--files-from %s: %s", path, rootPathError(err))
	}
	return list, nil
}

// parseFilesList reads one path a line, in their order. Lines end in \n or \r\n, or in NUL where there is one among the first
// 64 KiB; empty ones are ignored. The list is never nil beside a nil error.
func parseFilesList(r io.Reader) ([]listed, error) {
	in := bufio.NewReaderSize(r, listedPathLimit+2) // the longest path with its end
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := byte('\n')
	if bytes.IndexByte(head, 0) >= 0 {
		end = 0
	}
	list := []listed{}
	for number := 1; ; number++ {
		line, err := in.ReadSlice(end)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{end})
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
			if number == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff")) // of editors that mark UTF-8
			}
		}
		switch {
		case len(line) > listedPathLimit:
			return nil, fmt.Errorf("line %d: longer than %d bytes, no list of files", number, listedPathLimit)
		case bytes.IndexByte(line, 0) >= 0:
			return nil, fmt.Errorf("line %d: a NUL byte in a list of lines", number)
		case len(line) > 0:
			list = append(list, listed{path: string(line)})
		}
		if err != nil {
			return list, nil
		}
	}
}
