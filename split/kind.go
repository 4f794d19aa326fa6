package split

import (
	"context"
	"os"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// PageKind says what a page shows, as far as it can be told without drawing the page.
type PageKind string

const (
	// PageText shows text, and neither large pictures nor many lines.
	PageText PageKind = "text"

	// PageScan shows a picture over at least half of the page and no text. Text of an OCR layer does
	// not count: it is invisible, under the picture or outside of the page.
	PageScan PageKind = "scan"

	// PageMixed shows text beside pictures or drawings.
	PageMixed PageKind = "mixed"

	// PageTable shows text within a grid of lines.
	PageTable PageKind = "table"

	// PageBlank shows nothing. A page of which this is not sure is unknown.
	PageBlank PageKind = "blank"

	// PageUnknown is damaged or takes too long to read, its fonts do not say which characters they
	// show, all of its text is white, or it shows drawings or small pictures without text.
	PageUnknown PageKind = "unknown"
)

// PageKindsVersion changes whenever [Document.PageKinds] may tell another kind for some page.
const PageKindsVersion = 1

// PageKinds returns the kind of each page of a range. Annotations and form fields count as they
// show on the screen; all layers count as visible. Colours are followed simply: white text counts where
// something dark was painted before, and a fill hides nothing. A page that cannot be read is [PageUnknown]. So
// is one whose content inflates to more than 16 MiB or has more than a million operators.
//
// The error is [ErrPages], the error of the document's reader, the cause of ctx, or [os.ErrClosed].
// When ctx ends, PageKinds returns at once, like Open.
func (d *Document) PageKinds(ctx context.Context, r PageRange) ([]PageKind, error) {
	if r.Len() == 0 || r.Last > d.Pages() {
		return nil, refuse(ErrPages, "pages %s of a document with %d pages", r, d.Pages())
	}
	t := d.table.Load()
	if t == nil {
		return nil, os.ErrClosed
	}
	return within(ctx, func() ([]PageKind, error) {
		v := newView(t, newSource(ctx, t.file, t.size))
		fonts := map[int]*typeface{}
		kinds := make([]PageKind, 0, r.Len())
		for i := r.First - 1; i < r.Last; i++ {
			kinds = append(kinds, pageKind(v, fonts, &d.tree.pages[i]))
			if v.src.err != nil {
				return nil, v.src.err
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
		return kinds, nil
	})
}

// mostPageContent is what the contents of one page may inflate to.
const mostPageContent = 16 * mebi

func pageKind(v *view, fonts map[int]*typeface, p *page) PageKind {
	v.err, v.inflated = nil, max(0, v.table.limits.DecodedBytes-mostPageContent)
	kind := PageUnknown
	err := guard(func() error {
		d := p.dict(v)
		s := &sight{view: v, fonts: fonts, page: p.visible(v, d), forms: map[int]bool{}}
		if s.page.area() <= 0 {
			return nil
		}
		s.resources = p.resources(v, d).dict
		s.state = newGraphics(s.page)
		content, ok := v.content(d["Contents"])
		if !ok {
			return nil
		}
		s.draw(content)
		s.annotations(d["Annots"])
		if v.err == nil && !s.doubt {
			kind = s.kind()
		}
		return nil
	})
	if err != nil {
		return PageUnknown
	}
	return kind
}

// visible returns the part of the page that readers show.
func (p *page) visible(v *view, d types.Dict) rect {
	box := func(key string) (rect, bool) {
		o := v.array(d[key])
		if o == nil {
			o = v.array(p.inherited.dict[key])
		}
		return v.rect(o)
	}
	media, ok := box("MediaBox")
	if !ok {
		media = rect{0, 0, 612, 792}
	}
	crop, ok := box("CropBox")
	if !ok || crop.meet(media).area() <= 0 {
		return media
	}
	return crop.meet(media)
}

// What the decision takes as large, as shares of the page.
const (
	mostOfPage    = 0.5  // a picture that is all that there is
	somePicture   = 0.03 // pictures beside text
	someDrawing   = 0.02 // drawings beside text
	smallestTable = 0.01
)

// kind decides by what was seen.
func (s *sight) kind() PageKind {
	visible, private, white := s.count()
	pictures := s.pictures / s.page.area()
	s.state.clip = s.page
	s.sketch(s.lines.takeStaves())
	switch {
	case visible+private == 0 && white > 0:
		return PageUnknown
	case visible+private == 0 && pictures >= mostOfPage:
		return PageScan
	case visible+private == 0 && !s.painted && !s.unsure:
		return PageBlank
	case visible <= private:
		return PageUnknown
	case pictures >= somePicture:
		return PageMixed
	case s.lines.enclose(s.texts, s.page):
		return PageTable
	case s.drawn() >= someDrawing:
		return PageMixed
	}
	return PageText
}

// count returns the visible characters, those of fonts that do not say what they show, and those
// that are white on white.
func (s *sight) count() (visible, private, white int) {
	for _, t := range s.texts {
		switch {
		case t.white:
			white += t.readable + t.private
		default:
			visible += t.readable
			private += t.private
		}
	}
	return visible, private, white
}
