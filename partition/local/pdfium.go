package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/quire-dev/quire/cache"
)

// pdfRuntime is the WebAssembly runtime with the compiled PDFium, loaded when it is first needed.
// Every document gets an instance of its own and the instance is thrown away afterwards: making one
// takes some milliseconds, and a damaged one is never reused.
//
// The sandbox has no files, no network and no environment.
type pdfRuntime struct {
	cacheDir string
	log      *slog.Logger
	limit    *memoryLimit

	mu     sync.Mutex
	loaded bool
	err    error
	pool   pdfium.Pool
	cache  wazero.CompilationCache
	probe  *probe
	next   *sandboxMemory // of the instance that is being made
	users  sync.WaitGroup // instances that are not closed
}

// instance returns a fresh instance, which is stopped when ctx ends, in the middle of a loop if
// need be. The caller closes it.
func (r *pdfRuntime) instance(ctx context.Context) (*pdfInstance, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.loaded {
		r.loaded = true
		r.err = r.load()
	}
	if r.err != nil {
		return nil, fmt.Errorf("PDF reader: %w", r.err)
	}
	memory, err := newSandboxMemory(ctx, r.limit)
	if err != nil {
		return nil, fmt.Errorf("PDF reader: %w", err)
	}
	r.probe.module, r.next = nil, memory
	handle, err := r.pool.GetInstanceWithContext(ctx)
	if err != nil {
		memory.release()
		return nil, fmt.Errorf("PDF reader: %w", err)
	}
	i := &pdfInstance{pdfium: handle, module: r.probe.module, probe: r.probe, memory: memory}
	i.disarm = context.AfterFunc(ctx, i.halt)
	i.done = r.users.Done
	r.users.Add(1)
	return i, nil
}

func (r *pdfRuntime) load() error {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // PDFium's setjmp needs it
		WithCloseOnContextDone(true)
	if r.cache = openCache(r.cacheDir, r.log); r.cache != nil {
		config = config.WithCompilationCache(r.cache)
	}
	r.probe = &probe{textPages: map[api.Module]uint64{}}
	ctx := experimental.WithFunctionListenerFactory(context.Background(), r.probe)
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return r.next }))
	pool, err := webassembly.Init(webassembly.Config{
		Context:       ctx,
		MaxTotal:      -1, // the engine's own limit holds
		FSConfig:      wazero.NewFSConfig().WithFSMount(noFiles{}, "/"),
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	r.pool = pool
	return err
}

// close waits until no instance is in use, which is soon after their contexts have ended, and frees
// the runtime.
func (r *pdfRuntime) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users.Wait()
	var errs []error
	if r.pool != nil {
		errs = append(errs, r.pool.Close())
		r.pool = nil
	}
	if r.cache != nil {
		errs = append(errs, r.cache.Close(context.Background()))
		r.cache = nil
	}
	r.loaded, r.err = true, errors.New("closed")
	return errors.Join(errs...)
}

// noFiles is a file system without a file.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// openCache returns nil where dir cannot be used or others could put machine code into it.
func openCache(dir string, log *slog.Logger) wazero.CompilationCache {
	if dir == "" {
		return nil
	}
	err := cache.CheckOwners(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(dir)
	}
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		err = fmt.Errorf("others may write to it (mode %s)", info.Mode().Perm())
	}
	if err == nil {
		err = checkContent(dir)
	}
	var compiled wazero.CompilationCache
	if err == nil {
		compiled, err = wazero.NewCompilationCacheWithDir(dir)
	}
	if err != nil {
		log.Warn("no cache for the compiled PDF reader", "dir", dir, "error", err)
		return nil
	}
	return compiled
}

// checkContent refuses a directory in which something belongs to somebody else.
func checkContent(dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, cache.CheckOwners(path))
	})
}

// A probe listens to two functions of PDFium's module and nothing else, through wazero's own hook.
// go-pdfium hides the module and the handles behind calls that cost several crossings of the
// sandbox a character; with them a page takes two a word.
type probe struct {
	module api.Module // the module that was initialised last

	mu        sync.Mutex
	textPages map[api.Module]uint64 // the handle of the text page that was loaded last
}

const (
	initLibrary  = "FPDF_InitLibrary"
	loadTextPage = "FPDFText_LoadPage"
)

// NewFunctionListener implements [experimental.FunctionListenerFactory].
func (p *probe) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	for _, name := range f.ExportNames() {
		switch name {
		case initLibrary:
			return experimental.FunctionListenerFunc(
				func(_ context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
					p.module = m
				})
		case loadTextPage:
			return textPageListener{p}
		}
	}
	return nil
}

type textPageListener struct{ probe *probe }

func (l textPageListener) After(_ context.Context, m api.Module, _ api.FunctionDefinition, results []uint64) {
	l.probe.mu.Lock()
	defer l.probe.mu.Unlock()
	l.probe.textPages[m] = results[0]
}

func (textPageListener) Before(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
}

func (textPageListener) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

func (p *probe) textPage(m api.Module) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.textPages[m]
}

func (p *probe) forget(m api.Module) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.textPages, m)
}
