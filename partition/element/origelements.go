package element

import (
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxOrigElements bounds what [Metadata.DecodeOrigElements] inflates, in bytes.
const maxOrigElements = 256 << 20

// DecodeOrigElements returns the elements that a text chunk was made of, with their own metadata,
// such as page numbers. orig_elements is a JSON list, compressed with zlib and encoded in base64.
// Without orig_elements it returns nil and no error. More than 256 MiB, or malformed data, is an
// error.
func (m Metadata) DecodeOrigElements() ([]Element, error) {
	if m.OrigElements == "" {
		return nil, nil
	}
	inflated, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m.OrigElements)))
	if err != nil {
		return nil, fmt.Errorf("orig_elements: %w", err)
	}
	defer inflated.Close()
	data, err := io.ReadAll(io.LimitReader(inflated, maxOrigElements+1))
	if err != nil {
		return nil, fmt.Errorf("orig_elements: %w", err)
	}
	if len(data) > maxOrigElements {
		return nil, fmt.Errorf("orig_elements: more than %d MiB", maxOrigElements>>20)
	}
	var elements []Element
	if err := json.Unmarshal(data, &elements); err != nil {
		return nil, fmt.Errorf("orig_elements: %w", err)
	}
	if elements == nil {
		return nil, errors.New("orig_elements: not a list of elements")
	}
	return elements, nil
}
