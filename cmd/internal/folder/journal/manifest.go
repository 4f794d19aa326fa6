package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// load reads the manifest, and what of it can be read counts.
func (j *Journal) load(warn func(error)) error {
	var err error
	if j.manifest, err = j.openOwn(manifestName, os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	damaged := 0
	err = eachLine(j.manifest, func(offset int64, line []byte) error {
		if offset == 0 {
			if version := formatOf(line); version != format {
				return &unknownFormatError{version}
			}
			return nil
		}
		j.lines++
		var r struct {
			Name      string `json:"name"`
			NameBytes []byte `json:"name_bytes"`
			State     State  `json:"state"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			damaged++
			return nil
		}
		name := whole(r.Name, r.NameBytes)
		j.index[keyOf(name)] = place{offset: offset, failing: r.State != Done}
		return nil
	}, &j.end)
	if unknown := (*unknownFormatError)(nil); errors.As(err, &unknown) {
		return j.startAfresh(unknown, warn)
	}
	if err != nil {
		return err
	}
	if damaged > 0 {
		warn(fmt.Errorf("%s/%s: %d of %d records cannot be read; their documents will be sent again", Folder, manifestName, damaged, j.lines))
	}
	if j.end == 0 {
		return j.beginAnew(warn)
	}
	return j.manifest.Truncate(j.end) // a torn last line
}

// header is the first line of a manifest.
var header = fmt.Sprintf(`{"quire_manifest":%d}`+"\n", format)

// beginAnew begins a manifest that has no whole line: one that is new, or was torn at once.
// Anything else is put aside.
func (j *Journal) beginAnew(warn func(error)) error {
	start := make([]byte, len(header))
	n, err := j.manifest.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < len(header) && header[:n] == string(start[:n]) {
		return j.begin()
	}
	return j.startAfresh(&unknownFormatError{}, warn)
}

// begin writes the first line of an empty manifest.
func (j *Journal) begin() error {
	if err := j.manifest.Truncate(0); err != nil {
		return err
	}
	_, err := j.manifest.WriteAt([]byte(header), 0)
	j.end = int64(len(header))
	return err
}

// formatOf is the version in the first line, 0 where that says none.
func formatOf(line []byte) int {
	var header struct {
		Format int `json:"quire_manifest"`
	}
	if json.Unmarshal(line, &header) != nil {
		return 0
	}
	return header.Format
}

// An unknownFormatError is a manifest of another version than this one, or no manifest at all.
type unknownFormatError struct{ version int }

func (e *unknownFormatError) Error() string {
	if e.version == 0 {
		return "not a manifest"
	}
	return fmt.Sprintf("the manifest has format %d, this version of quire writes format %d", e.version, format)
}

// startAfresh puts a manifest that cannot be read aside.
func (j *Journal) startAfresh(why *unknownFormatError, warn func(error)) error {
	aside := manifestName + ".unknown"
	warn(fmt.Errorf("%s/%s: %w: renamed to %s; every document will be sent again", Folder, manifestName, why, aside))
	if err := j.manifest.Close(); err != nil {
		return err
	}
	if err := j.disk.Rename(j.root, manifestName, aside); err != nil {
		return err
	}
	var err error
	if j.manifest, err = j.root.OpenFile(manifestName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	j.index, j.lines, j.end = map[nameKey]place{}, 0, 0
	return j.begin()
}

// longestLine is how much of a line is held in memory at least; the middle of a longer one is not
// looked at.
const longestLine = 1 << 20

// eachLine calls f with every whole line of a file and where it starts; end becomes where the last
// whole line ends.
func eachLine(r io.Reader, f func(offset int64, line []byte) error, end *int64) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	length := int64(0)
	for {
		piece, err := lines.ReadSlice('\n')
		length += int64(len(piece))
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(long) <= longestLine {
				long = append(long, piece...)
			}
			continue
		}
		line := piece
		if long != nil {
			line, long = append(long, piece...), nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil // what is behind the last line's end was torn
		case err != nil:
			return err
		}
		offset := *end
		*end += length
		length = 0
		if err := f(offset, line); err != nil {
			return err
		}
	}
}
