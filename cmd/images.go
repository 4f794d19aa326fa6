package cmd

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
)

// imageTypes is the table of the kinds of images that are told apart, by how their content begins.
var imageTypes = []struct{ begins, extension string }{
	{"\x89PNG\r\n\x1a\n", ".png"},
	{"\xff\xd8\xff", ".jpg"},
}

// An imageWriter writes the images of one document's elements, to <name of the output>/<number of the element>-<type> below
// the folder. The number counts every element of the document, from 1, so that the same image has the same name whatever is left
// out. An image of the same name is replaced.
type imageWriter struct {
	folder  *folder.Folder
	dir     string // the folder's name as it was given
	name    string // of the output, with slashes
	damaged []int  // numbers of the elements whose image cannot be decoded
}

// write writes the image of an element and returns its path, which begins with the folder's name as it was given. An image that
// is not base64 is noted and has no path.
func (w *imageWriter) write(number int, e partition.Element) (string, error) {
	image, err := base64.StdEncoding.DecodeString(e.Metadata.ImageBase64)
	if err != nil || len(image) == 0 {
		w.damaged = append(w.damaged, number)
		return "", nil
	}
	name := path.Join(w.name, fmt.Sprintf("%d-%s%s", number, plainName(string(e.Type)), imageExtension(image)))
	file, err := w.folder.Create(name)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if _, err := file.Write(image); err != nil {
		file.Discard()
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if err := file.Commit(); err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	return path.Join(filepath.ToSlash(w.dir), name), nil
}

// warnings names the elements whose image stays as it is.
func (w *imageWriter) warnings() []string {
	switch n := len(w.damaged); n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("element %d: image_base64 is damaged and stays as it is", w.damaged[0])}
	default:
		return []string{fmt.Sprintf("%d elements, the first of them element %d: image_base64 is damaged and stays as it is", n, w.damaged[0])}
	}
}

func imageExtension(image []byte) string {
	for _, row := range imageTypes {
		if bytes.HasPrefix(image, []byte(row.begins)) {
			return row.extension
		}
	}
	return ".bin"
}

// longestTypeName is how much of a type's name goes into a file's name.
const longestTypeName = 40

// plainName is an element's type fit for a file's name: letters and digits. The server may send any type.
func plainName(elementType string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, elementType)
	if name == "" {
		return "element"
	}
	return name[:min(len(name), longestTypeName)]
}
