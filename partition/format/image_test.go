package format

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

// TestImages finds the same twice: names, content, and what the elements say.
func TestImages(t *testing.T) {
	for range 2 {
		for _, test := range []struct {
			golden, format string
			options        Options
		}{
			{"images.jsonl", "jsonl", Options{ExcludeElementTypes: types("NarrativeText")}},
			{"images.csv", "csv", Options{MetadataInclude: []string{"image_path"}}},
		} {
			stored := map[string]string{}
			test.options.Images = func(name string, image []byte) (string, error) {
				stored[name] = string(image[:min(len(image), 8)])
				return "pictures/new/docs/report.pdf/" + name, nil
			}
			got, writer := formatted(t, test.format, test.options, richElements(t)...)
			requireGolden(t, test.golden, got)
			require.Equal(t, []string{"element 25: image_base64 is damaged and left unchanged"}, writer.Warnings())
			require.Equal(t, map[string]string{
				"22-Image.png":   "\x89PNG\r\n\x1a\n",
				"23-Image.jpg":   "\xff\xd8\xff\xe0 jpe",
				"24-Oddtype.bin": "GIF89a",
			}, stored)
		}
	}
}

// An image's name never names another folder, whatever the server calls a type.
func TestImageNames(t *testing.T) {
	for elementType, want := range map[element.ElementType]string{
		"/../../x": "1-x.bin", "…": "1-element.bin", "": "1-element.bin", "..": "1-element.bin",
		"A2345678901234567890123456789012345678901234567890": "1-A234567890123456789012345678901234567890.bin",
	} {
		var names []string
		w := imageWriter{create: func(name string, _ []byte) (string, error) {
			names = append(names, name)
			return name, nil
		}}
		_, err := w.write(1, element.Element{Type: elementType, Metadata: element.Metadata{ImageBase64: "R0lG"}})
		require.NoError(t, err)
		require.Equal(t, []string{want}, names)
	}
}

func TestImageThatCannotBeStored(t *testing.T) {
	full := errors.New("disk full")
	w := imageWriter{create: func(string, []byte) (string, error) { return "", full }}
	_, err := w.write(1, element.Element{Metadata: element.Metadata{ImageBase64: "R0lG"}})
	require.ErrorIs(t, err, full)
}

func TestDamagedImages(t *testing.T) {
	w := imageWriter{create: func(string, []byte) (string, error) { return "never", nil }}
	require.Empty(t, w.warnings())
	for i, image := range []string{"a", "====", "\n"} {
		path, err := w.write(4+i, element.Element{Metadata: element.Metadata{ImageBase64: image}})
		require.NoError(t, err)
		require.Empty(t, path)
	}
	require.Equal(t, []string{"3 elements, the first of them element 4: image_base64 is damaged and left unchanged"}, w.warnings())
}
