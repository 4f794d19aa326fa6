package page_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/partition/element"
)

func ExampleView() {
	var body, out bytes.Buffer
	v := page.NewView("report.pdf.json", &body)
	err := v.Element(element.Element{Type: element.TypeTitle, Text: "<b>not bold</b>", Metadata: element.Metadata{PageNumber: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := v.Write(&out, func(w io.Writer) error {
		_, err := body.WriteTo(w)
		return err
	}); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "not bold") {
			fmt.Print(line)
		}
	}
	// Output: <div class="text" dir="auto">&lt;b&gt;not bold&lt;/b&gt;</div>
}
