package format

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// imageTypes is the table of the kinds of images that are told apart, by how their content begins.
var imageTypes = []struct{ begins, extension string }{
	{"\x89PNG\r\n\x1a\n", ".png"},
	{"\xff\xd8\xff", ".jpg"},
}

// An imageWriter stores the images of one document's elements: see [Options.Images].
type imageWriter struct {
	create  func(name string, image []byte) (path string, err error) // nil: images stay where they are
	damaged []int                                                    // numbers of the elements whose image cannot be decoded
}

// write stores the image of an element and returns its path. Where there is no image, or none that
// can be decoded, the path is "".
func (w *imageWriter) write(number int, e element.Element) (string, error) {
	if w.create == nil || e.Metadata.ImageBase64 == "" {
		return "", nil
	}
	image, err := base64.StdEncoding.DecodeString(e.Metadata.ImageBase64)
	if err != nil || len(image) == 0 {
		w.damaged = append(w.damaged, number)
		return "", nil
	}
	return w.create(fmt.Sprintf("%d-%s%s", number, plainName(string(e.Type)), imageExtension(image)), image)
}

// warnings names the elements whose image stays as it is.
func (w *imageWriter) warnings() []string {
	switch n := len(w.damaged); n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("element %d: image_base64 is damaged and left unchanged", w.damaged[0])}
	default:
		return []string{fmt.Sprintf("%d elements, the first of them element %d: image_base64 is damaged and left unchanged", n, w.damaged[0])}
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

// longestTypeName is how much of a type's name goes into a file's name, in bytes.
const longestTypeName = 40

// plainName is an element's type fit for a file's name: letters and digits. The server may send any
// type.
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
