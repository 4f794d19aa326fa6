package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/words"
)

const filesName = "quire_files"

// filesInFlight is how many files are brought to the disk at the same time.
const filesInFlight = 8

// noFile is part of the error of a message whose file can never be written, so that a configuration can tell it from a disk that is full.
const noFile = "no file can have this name"

func filesSpec() *service.ConfigSpec {
	return service.NewConfigSpec().Categories("Local").
		Summary("Writes each message to a file of its own, which is there whole or not at all.").
		Description("A file has a hidden name until it is on the disk, and is then renamed. Bento's output `file` writes in place: a disk " +
			"that is full, or a kill, leaves half a file. Nothing is written outside the folder. The error of a name that the file system " +
			"refuses has the words `" + noFile + "`; any other error, such as that of a full disk, may pass.").
		Field(service.NewStringField("folder").Description("Folder of the files. It is made where it is missing.")).
		Field(service.NewInterpolatedStringField("name").Description("Name of the message's file below the folder, with slashes.").
			Example(`${! metadata("nats_sequence_stream") }.jsonl`))
}

// wholeFiles is the output quire_files.
type wholeFiles struct {
	dir  string
	name *service.InterpolatedString
	disk *journal.Disk

	mu     sync.RWMutex // held by who writes, so that Close waits
	folder *folder.Folder
}

func newFiles(conf *service.ParsedConfig, resources *service.Resources) (out service.Output, inFlight int, err error) {
	f := &wholeFiles{disk: newDisk(resources)}
	if f.dir, err = conf.FieldString("folder"); err != nil {
		return nil, 0, err
	}
	if f.name, err = conf.FieldInterpolatedString("name"); err != nil {
		return nil, 0, err
	}
	return f, filesInFlight, nil
}

// Connect makes the folder and proves that it can be written.
func (f *wholeFiles) Connect(context.Context) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.folder, err = folder.Open(f.dir, f.disk)
	return err
}

// Write returns when the message's file is in its place.
func (f *wholeFiles) Write(_ context.Context, m *service.Message) error {
	name, err := f.name.TryString(m)
	if err != nil {
		return fmt.Errorf("field name: %w", err)
	}
	content, err := m.AsBytes()
	if err != nil {
		return err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.folder == nil {
		return service.ErrNotConnected
	}
	failure := (*folder.WriteError)(nil)
	if err := f.fill(name, content); errors.As(err, &failure) && failure.OfItsName() {
		return fmt.Errorf("%s: %s: %w", name, noFile, words.Reason(failure.Err))
	} else if err != nil {
		return err
	}
	return nil
}

func (f *wholeFiles) fill(name string, content []byte) error {
	file, err := f.folder.Create(name)
	if err != nil {
		return &folder.WriteError{Name: name, Err: err}
	}
	return file.Fill(func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Close waits for the files under way.
func (f *wholeFiles) Close(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.folder == nil {
		return nil
	}
	closed := f.folder
	f.folder = nil
	return closed.Close()
}

// newDisk is the disk of an output, which warns in the log.
func newDisk(resources *service.Resources) *journal.Disk {
	return journal.NewDisk(func(err error) { resources.Logger().Warn(err.Error()) })
}
