package main

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition/wire"
)

const folderName = "quire_folder"

func folderSpec() *service.ConfigSpec {
	return service.NewConfigSpec().Categories("Local").
		Summary("Finds the documents of a folder as `quire partition` does: a message for each file, sorted by name, and then the stream ends.").
		Description("A message has the path as its content, for the field `path` of `quire_partition`; no file is opened before its turn comes. " +
			"Bento's input `file` reads whole files, and stops for good at one that it cannot open. Hidden files, editors' lock files, empty files " +
			"and links that lead out of the folder are left out; the log says how many.\n\n### Metadata\n\n```text\n- path\n- name   of the " +
			"output: the path below the folder\n```").
		Field(service.NewStringField("folder").Description("Folder of the documents.")).
		Field(service.NewStringField("outputs").Description("Folder that is not looked into, should it be below the other one. Empty: none.").Default(""))
}

// folderInput is the input quire_folder.
type folderInput struct {
	walk *walk.Walk
	log  *service.Logger

	mu      sync.Mutex
	next    func() (walk.Entry, bool)
	stop    func()
	leftOut map[string]int // by reason
}

func newFolderInput(conf *service.ParsedConfig, resources *service.Resources) (service.Input, error) {
	root, err := conf.FieldString("folder")
	if err != nil {
		return nil, err
	}
	outputs, err := conf.FieldString("outputs")
	if err != nil {
		return nil, err
	}
	w, err := walk.New(walk.Options{Roots: []string{filepath.Clean(root)}, Output: outputs})
	if err != nil {
		return nil, err
	}
	f := &folderInput{walk: w, log: resources.Logger(), leftOut: map[string]int{}}
	return service.AutoRetryNacks(f), nil
}

// Connect begins the walk.
func (f *folderInput) Connect(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next, f.stop = iter.Pull(f.walk.Entries(context.Background()))
	}
	return nil
}

// Read returns the next document. One that cannot even be looked at is a document too: it fails when its turn comes.
func (f *folderInput) Read(context.Context) (*service.Message, service.AckFunc, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		return nil, nil, service.ErrNotConnected
	}
	for {
		entry, more := f.next()
		if !more {
			f.sayLeftOut()
			return nil, nil, service.ErrEndOfInput
		}
		if entry.Skip != "" {
			f.leftOut[entry.Skip]++
			continue
		}
		m := service.NewMessage([]byte(entry.Path))
		m.MetaSetMut("path", entry.Path)
		m.MetaSetMut("name", cmp.Or(entry.Name, filepath.Base(entry.Path)))
		return m, func(context.Context, error) error { return nil }, nil
	}
}

// sayLeftOut says once what was left out.
func (f *folderInput) sayLeftOut() {
	for _, reason := range slices.Sorted(maps.Keys(f.leftOut)) {
		f.log.Infof("left out in %s: %d, %s", wire.Printable(f.walk.Roots[0]), f.leftOut[reason], reason)
	}
	clear(f.leftOut)
}

// Close ends the walk.
func (f *folderInput) Close(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next != nil {
		f.stop()
		f.next = nil
	}
	return nil
}
