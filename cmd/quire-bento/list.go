package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

const listName = "quire_list"

func listSpec() *service.ConfigSpec {
	return service.NewConfigSpec().Categories("Local").
		Summary("Writes a line for each message to one file, which every start of the stream begins anew.").
		Description("A line that could not be written whole, as on a full disk, is written over by the next attempt. So the file has each " +
			"message of the last run once; it is empty where there was none.").
		Field(service.NewStringField("path").Description("The file. Its folder is made where it is missing."))
}

// list is the output quire_list.
type list struct {
	path string
	disk *journal.Disk

	mu   sync.Mutex
	file *os.File
	size int64 // of the lines that are whole
}

func newList(conf *service.ParsedConfig, resources *service.Resources) (out service.Output, inFlight int, err error) {
	l := &list{disk: newDisk(resources)}
	l.path, err = conf.FieldString("path")
	return l, 1, err
}

// Connect begins the file.
func (l *list) Connect(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o777); err != nil { //nolint:gosec // the user's umask decides who may see the outputs
		return err
	}
	file, err := os.Create(l.path)
	if err != nil {
		return err
	}
	l.file, l.size = file, 0
	return nil
}

// Write returns when the message's line is on the disk.
func (l *list) Write(_ context.Context, m *service.Message) error {
	content, err := m.AsBytes()
	if err != nil {
		return err
	}
	line := append(content[:len(content):len(content)], '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return service.ErrNotConnected
	}
	_, err = l.file.WriteAt(line, l.size)
	if err == nil {
		err = l.disk.Sync(l.file)
	}
	if err != nil {
		_ = l.file.Truncate(l.size) // else the next attempt writes over it
		return &folder.WriteError{Name: l.path, Err: err}
	}
	l.size += int64(len(line))
	return nil
}

// Close ends the file.
func (l *list) Close(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	closed := l.file
	l.file = nil
	return closed.Close()
}
