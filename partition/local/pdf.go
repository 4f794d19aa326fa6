package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/split"
)

// readPDF gives the elements of every page, each page by itself.
func readPDF(ctx context.Context, e *Engine, d *document) error {
	if err := refuseBomb(ctx, d.upload); err != nil {
		return err
	}
	instance, err := e.pdf.instance(ctx)
	if err != nil {
		return err
	}
	defer instance.close()
	source := newSource(d.upload)
	defer source.detach()
	doc, err := instance.pdfium.OpenDocument(&requests.OpenDocument{FileReader: source, FileReaderSize: max(d.size, 1)})
	if err != nil {
		return openFailure(instance, err)
	}
	count, err := instance.pdfium.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return openFailure(instance, err)
	}
	if count.PageCount < 1 {
		return invalidPDF("Invalid object in /Pages")
	}
	if err := d.refuseStrategy(); err != nil {
		return err
	}
	for index := range count.PageCount {
		page, err := instance.page(ctx, doc.Document, index)
		if err != nil {
			return err
		}
		number := d.request.firstPage + index
		found, err := page.elements(ctx, number)
		if err != nil {
			return err
		}
		if d.request.pageBreaks {
			found = append(found, element.Element{Type: element.TypePageBreak, Metadata: element.Metadata{PageNumber: number}})
		}
		for _, element := range found {
			if err := d.add(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// bombBytes is how large a PDF may be to be looked through for streams that inflate without measure
// before it is read. The look takes memory of some ten times the file and what a stream inflates
// to; a bomb in a larger file meets the limit of the reader's memory.
const bombBytes = 1 << 20

// refuseBomb refuses a PDF that the splitter refuses as well, since it grows beyond all measure
// when it is decompressed. What else is wrong with a PDF is for the reader to say.
func refuseBomb(ctx context.Context, u *upload) error {
	if u.size > bombBytes {
		return nil
	}
	doc, err := split.Open(ctx, u, u.size, split.Options{})
	if err == nil {
		return doc.Close()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, split.ErrTooLarge) {
		return &failure{status: http.StatusUnprocessableEntity, detail: "File cannot be read: " + err.Error()}
	}
	return nil
}

// openFailure says why PDFium refused a document, in the API's words.
func openFailure(i *pdfInstance, err error) error {
	switch {
	case i.memory.refused:
		i.broken = true
		return tooHungry()
	case errors.Is(err, pdferrors.ErrPassword):
		return &failure{
			status: http.StatusUnprocessableEntity, detail: "File is encrypted. Please decrypt it with password.",
		}
	case errors.Is(err, pdferrors.ErrSecurity):
		return invalidPDF("its encryption is not supported")
	case errors.Is(err, pdferrors.ErrFormat), errors.Is(err, pdferrors.ErrFile), errors.Is(err, pdferrors.ErrPage):
		return invalidPDF("it is damaged, or no PDF at all")
	}
	i.broken = true
	return invalidPDF("it cannot be opened")
}

func invalidPDF(why string) *failure {
	return &failure{
		status: http.StatusUnprocessableEntity, detail: "File does not appear to be a valid PDF. Error: " + why,
	}
}

func tooHungry() *failure {
	return &failure{
		status: http.StatusUnprocessableEntity,
		detail: fmt.Sprintf("File cannot be read: the PDF reader needs more than %d MiB of memory for it.", maxSandbox>>20),
	}
}

// maxPageChars is how many characters of one page are read.
const maxPageChars = 500_000

// page reads the words of one page.
func (i *pdfInstance) page(ctx context.Context, doc references.FPDF_DOCUMENT, index int) (*page, error) {
	loaded, err := i.pdfium.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
	if err == nil {
		var p *page
		if p, err = i.loadedPage(ctx, loaded.Page); err == nil {
			_, err = i.pdfium.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
		}
		if err == nil {
			return p, nil
		}
	}
	i.broken = true
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if i.memory.refused {
		return nil, tooHungry()
	}
	if known := (*failure)(nil); errors.As(err, &known) {
		return nil, known
	}
	return nil, invalidPDF(fmt.Sprintf("page %d cannot be read", index+1))
}

func (i *pdfInstance) loadedPage(ctx context.Context, ref references.FPDF_PAGE) (*page, error) {
	byRef := requests.Page{ByReference: &ref}
	bounds, err := i.pdfium.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: byRef})
	if err != nil {
		return nil, err
	}
	rotation, err := i.pdfium.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: byRef})
	if err != nil {
		return nil, err
	}
	text, err := i.pdfium.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: byRef})
	if err != nil {
		return nil, err
	}
	chars, err := i.pdfium.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return nil, err
	}
	if chars.Count > maxPageChars {
		return nil, &failure{
			status: http.StatusUnprocessableEntity,
			detail: fmt.Sprintf("File cannot be read: a page has more than %d characters.", maxPageChars),
		}
	}
	view := newView(bounds.Rect, int(rotation.PageRotation))
	p := &page{width: view.width, height: view.height}
	if chars.Count > 0 {
		content, err := i.pdfium.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text.TextPage, Count: chars.Count})
		if err != nil {
			return nil, err
		}
		if p.words, err = i.words(ctx, content.Text, chars.Count, view); err != nil {
			return nil, err
		}
	}
	_, err = i.pdfium.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	return p, err
}

// A source reads an upload for PDFium, which keeps the reader of a document that was stopped:
// detached, it holds nothing.
type source struct {
	section atomic.Pointer[io.SectionReader]
}

func newSource(u *upload) *source {
	s := &source{}
	s.section.Store(io.NewSectionReader(u, 0, u.size))
	return s
}

func (s *source) detach() { s.section.Store(nil) }

func (s *source) Read(p []byte) (int, error) {
	if section := s.section.Load(); section != nil {
		return section.Read(p)
	}
	return 0, io.ErrClosedPipe
}

func (s *source) Seek(offset int64, whence int) (int64, error) {
	if section := s.section.Load(); section != nil {
		return section.Seek(offset, whence)
	}
	return 0, io.ErrClosedPipe
}
