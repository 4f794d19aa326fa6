package split

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole corpus, cut up, and its pages looked at.
func BenchmarkCorpus(b *testing.B) {
	files := corpus(b)
	each := func(b *testing.B, task func(d *Document) error) {
		for b.Loop() {
			for _, name := range files {
				d, err := openFile(b, name, Options{})
				if err != nil {
					continue
				}
				if err := task(d); err != nil {
					require.NotEmpty(b, refusal(err), "%s: %v", name, err)
				}
				require.NoError(b, d.Close())
			}
		}
	}
	b.Run("open", func(b *testing.B) { each(b, func(*Document) error { return nil }) })
	b.Run("cut", func(b *testing.B) {
		each(b, func(d *Document) error {
			for _, r := range Plan(d.Pages(), 10) {
				c, err := d.Chunk(context.Background(), r)
				if err != nil {
					return err
				}
				if _, err := c.WriteTo(io.Discard); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("kinds", func(b *testing.B) {
		each(b, func(d *Document) error {
			_, err := d.PageKinds(context.Background(), PageRange{1, d.Pages()})
			return err
		})
	})
}
