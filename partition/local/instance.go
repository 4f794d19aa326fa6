package local

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// A pdfInstance is one sandbox with PDFium in it, for one document and one goroutine.
type pdfInstance struct {
	pdfium pdfium.Pdfium
	module api.Module
	probe  *probe
	memory *sandboxMemory
	disarm func() bool // of halt
	done   func()      // counts the instance out of the runtime

	broken bool // a call failed inside the sandbox: its state is unknown

	looseBox, unicode, isHyphen api.Function
	scratch                     uint32 // 16 bytes inside the sandbox
}

var errSandbox = errors.New("the PDF reader failed on this document")

// halt stops what runs in the sandbox. It may be called from another goroutine.
func (i *pdfInstance) halt() {
	i.module.CloseWithExitCode(context.Background(), 1) //nolint:errcheck // nothing of the module is used afterwards
}

// close throws the instance away.
func (i *pdfInstance) close() {
	defer i.done()
	defer i.memory.release()
	defer i.probe.forget(i.module)
	if i.broken || i.module.IsClosed() {
		i.disarm()
		i.pdfium.Kill() //nolint:errcheck // closing a closed module
		return
	}
	i.pdfium.Close() //nolint:errcheck // halt still guards it, and nothing of the instance is used afterwards
	i.disarm()
}

// prepare looks up the functions that are called directly.
func (i *pdfInstance) prepare() error {
	if i.looseBox != nil {
		return nil
	}
	block, err := i.module.ExportedFunction("malloc").Call(context.Background(), 16)
	if err != nil || block[0] == 0 {
		i.broken = true
		return errSandbox
	}
	i.scratch = uint32(block[0])
	i.looseBox = i.module.ExportedFunction("FPDFText_GetLooseCharBox")
	i.isHyphen = i.module.ExportedFunction("FPDFText_IsHyphen")
	i.unicode = i.module.ExportedFunction("FPDFText_GetUnicode")
	return nil
}

// charBox is the box of a character of a text page as it is displayed, with the font's full height
// and the advance's full width. A character that has none has an empty box.
func (i *pdfInstance) charBox(textPage uint64, index int, v view) (box, error) {
	stack := [3]uint64{textPage, uint64(index), uint64(i.scratch)}
	if err := i.looseBox.CallWithStack(context.Background(), stack[:]); err != nil {
		i.broken = true
		return box{}, errSandbox
	}
	raw, ok := i.module.Memory().Read(i.scratch, 16)
	if !ok {
		i.broken = true
		return box{}, errSandbox
	}
	if uint32(stack[0]) == 0 {
		return box{}, nil
	}
	var edges [4]float64 // left, top, right, bottom
	for k := range edges {
		edges[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:])))
		if math.IsNaN(edges[k]) || math.Abs(edges[k]) > maxCoordinate {
			return box{}, nil
		}
	}
	return v.display(box{
		left: min(edges[0], edges[2]), right: max(edges[0], edges[2]),
		top: min(edges[1], edges[3]), bottom: max(edges[1], edges[3]),
	}), nil
}

// maxCoordinate is far beyond any page (PDF's own limit is 14,400 points) and far below where sums
// lose precision.
const maxCoordinate = 1e6

// char is the code point of a character of a text page, as the text of the page would have it.
func (i *pdfInstance) char(textPage uint64, index int) (rune, error) {
	c, err := i.ask(i.unicode, textPage, index)
	if err != nil || c != hyphenCode {
		return rune(c), err
	}
	hyphen, err := i.ask(i.isHyphen, textPage, index)
	if hyphen == 1 {
		return lineEndHyphen, err
	}
	return rune(c), err
}

// hyphenCode is what PDFium says of a hyphen at the end of a line, and of some glyphs without a
// character.
const hyphenCode = 2

// ask calls a function that takes a character and returns a number.
func (i *pdfInstance) ask(f api.Function, textPage uint64, index int) (uint32, error) {
	stack := [2]uint64{textPage, uint64(index)}
	if err := f.CallWithStack(context.Background(), stack[:]); err != nil {
		i.broken = true
		return 0, errSandbox
	}
	return uint32(stack[0]), nil
}
