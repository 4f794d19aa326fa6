package cmd

import (
	"fmt"
	"path"
	"path/filepath"
)

// An imageStore writes the images of one document's elements to files below the folder of --images,
// as <name of the output>/<name of the image>. An image of the same name is replaced.
type imageStore struct {
	folder *outputFolder
	dir    string // the folder's name as it was given
	name   string // of the document's output, with slashes and without the format's extension
}

// openImages opens the folder of --images, before any request is paid for; nil where images stay
// where they are. The caller closes it.
func (o outputOptions) openImages() (*outputFolder, error) {
	if o.images == "" {
		return nil, nil
	}
	return openOutput(o.images)
}

// store writes an image and returns its path, which begins with the folder's name as it was given.
func (s imageStore) store(name string, image []byte) (string, error) {
	name = path.Join(s.name, name)
	file, err := s.folder.create(name)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if _, err := file.Write(image); err != nil {
		file.discard()
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if err := file.commit(); err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	return path.Join(filepath.ToSlash(s.dir), name), nil
}
