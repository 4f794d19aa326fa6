package parquet

import (
	"bufio"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/quire-dev/quire/partition/format"
)

func init() {
	format.Register(format.Format{
		Name: "parquet", Extension: ".parquet", MediaType: "application/vnd.apache.parquet", Binary: true,
		Features: format.FeatureSource | format.FeatureMetadata | format.FeatureImages, Encoder: newEncoder,
	})
}

// A row group ends with either of these, so that a document of any length is written in bounded
// memory.
const (
	groupBytes = 32 << 20
	groupRows  = 100_000
)

// An encoder writes rows. Those of a row group wait in memory, in columns.
type encoder struct {
	w       *parquet.GenericWriter[any]
	options format.Options
	bytes   int // of the row group so far
	rows    int
}

func newEncoder(w *bufio.Writer, o format.Options) format.Encoder {
	return &encoder{
		w: parquet.NewGenericWriter[any](w, schema,
			parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
			parquet.CreatedBy("quire", "", ""),
			parquet.KeyValueMetadata("quire.schema", "1"),
		),
		options: o,
	}
}

// Encode writes an element.
func (f *encoder) Encode(e format.Item) error {
	r, err := newRow(e, f.options)
	if err != nil {
		return err
	}
	if _, err := f.w.WriteRows([]parquet.Row{r.values()}); err != nil {
		return err
	}
	f.rows++
	f.bytes += r.size()
	if f.rows < groupRows && f.bytes < groupBytes {
		return nil
	}
	f.rows, f.bytes = 0, 0
	return f.w.Flush()
}

// End writes the last row group and the footer.
func (f *encoder) End() error { return f.w.Close() }
