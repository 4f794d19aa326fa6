package split

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ways are how a document can be read.
var ways = map[Reader]func(*source, string, Limits) (*table, error){
	ReaderTable: read, ReaderScan: readScan, ReaderWhole: readWhole,
}

// chunksIn cuts up a document that is read in one way, and returns the sums of the chunks.
func chunksIn(data []byte, way Reader, password string) (sums [][sha256.Size]byte, err error) {
	src := newSource(context.Background(), bytes.NewReader(data), int64(len(data)))
	d, err := open(src, password, Limits{}.withDefaults(src.size), ways[way])
	if err != nil {
		return nil, err
	}
	for _, r := range Plan(d.Pages(), 10) {
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return nil, err
		}
		sums = append(sums, sha256.Sum256(b.Bytes()))
	}
	return sums, nil
}

// However a file is read, the chunks are the same.
func TestReadersAgree(t *testing.T) {
	files := map[string][]byte{"manual": manual(7).bytes(), "shared": sharing(9).bytes()}
	for _, name := range madeFiles {
		files[name.name] = name.file(t)
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			first, err := chunksIn(data, ReaderTable, "")
			require.NoError(t, err)
			for _, way := range []Reader{ReaderScan, ReaderWhole} {
				if way == ReaderWhole && (name == "hybrid" || strings.HasPrefix(name, "encrypted")) {
					continue // pdfcpu takes the objects that old readers do not see for free
				}
				sums, err := chunksIn(data, way, "")
				require.NoError(t, err, way)
				require.Equal(t, first, sums, way)
			}
		})
	}
}

// A file that more than one way can read gives the same chunks in all.
func TestReadersAgreeOnCorpus(t *testing.T) {
	both := map[Reader]int{}
	for _, name := range smallCorpus(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		first, err := chunksIn(data, ReaderTable, "")
		if err != nil {
			continue
		}
		for _, way := range []Reader{ReaderScan, ReaderWhole} {
			sums, err := chunksIn(data, way, "")
			if err != nil {
				t.Logf("%s: %s: %v", filepath.Base(name), way, err)
				continue
			}
			both[way]++
			require.Equal(t, first, sums, "%s: %s", filepath.Base(name), way)
		}
	}
	t.Log(both)
}

// Every kind of file is read with its own table, and its pages are in order.
func TestKindsOfFiles(t *testing.T) {
	for _, kind := range madeFiles {
		t.Run(kind.name, func(t *testing.T) {
			d, err := openBytes(kind.file(t), Options{})
			require.NoError(t, err)
			require.Equal(t, ReaderTable, d.Reader())
			require.Equal(t, 7, d.Pages())
			for page := 1; page <= 7; page++ {
				requirePage(t, d, page, fmt.Sprintf("(Page %d) Tj", page))
			}
		})
	}
}
