package main

import (
	"bytes"
	"path"
	"path/filepath"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
)

// nameSources are the metadata that may have a document's name, as Bento's inputs set them; the first that is there counts.
var nameSources = [...]string{
	"filename", "path", "s3_key", "gcs_key", "blob_storage_key", "sftp_path", "hdfs_path", "nats_object_store_name",
}

// unnamed is the name of a document that nothing names.
const unnamed = "document"

// document is what a message stands for: the file that the field path names, which is opened when its turn comes, or the message's
// own content, which is not copied.
func (p *processor) document(m *service.Message) (*partition.Document, error) {
	name, err := p.nameOf(m)
	if err != nil {
		return nil, err
	}
	if p.path == nil {
		content, err := m.AsBytes()
		if err != nil {
			return nil, &partition.DocumentError{Document: name, Kind: partition.KindBadRequest, Err: err}
		}
		return partition.FromReaderAt(name, bytes.NewReader(content), int64(len(content))), nil
	}
	file, err := interpolate(p.path, m, "path")
	if err != nil {
		return nil, err
	}
	var options []partition.DocumentOption
	if name != unnamed {
		options = append(options, partition.WithName(name))
	}
	return partition.Open(file, options...)
}

// nameOf is the document's name as the server sees it.
func (p *processor) nameOf(m *service.Message) (string, error) {
	if p.name != nil {
		return interpolate(p.name, m, "name")
	}
	if p.path != nil {
		file, err := interpolate(p.path, m, "path")
		return filepath.Base(file), err
	}
	for _, source := range nameSources {
		if value, ok := m.MetaGet(source); ok && value != "" {
			return path.Base(filepath.ToSlash(value)), nil
		}
	}
	return unnamed, nil
}

func interpolate(s *service.InterpolatedString, m *service.Message, field string) (string, error) {
	value, err := s.TryString(m)
	if err != nil {
		return "", &partition.DocumentError{Document: "field " + field, Kind: partition.KindBadRequest, Err: err}
	}
	return value, nil
}
