//go:build conformance

package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// mutationText says of how many mutated files the text is compared: every n-th.
const mutationText = 5

// mutationCount is how many mutated files are opened and cut up.
func mutationCount() int {
	if os.Getenv("QUIRE_SOAK") == "" {
		return 1_000
	}
	return 10_000
}

// mutated is a file that something has happened to.
type mutated struct {
	name, password string
	data           []byte
}

// mutationSources are small files of all kinds, among them every kind of encryption that pdfcpu and
// qpdf write.
func mutationSources(t *testing.T) []mutated {
	var all []mutated
	for _, kind := range madeFiles {
		all = append(all, mutated{name: kind.name, data: kind.file(t)})
	}
	for _, user := range []string{"", "user"} {
		for name, c := range map[string]*model.Configuration{
			"RC4 40":  model.NewRC4Configuration(user, "owner", 40),
			"RC4 128": model.NewRC4Configuration(user, "owner", 128),
			"AES 128": model.NewAESConfiguration(user, "owner", 128),
			"AES 256": model.NewAESConfiguration(user, "owner", 256),
		} {
			all = append(all, mutated{name + " " + user, user, encrypted(t, c, sharing(7).bytes())})
		}
		for _, options := range []string{"40", "128 --use-aes=n", "128 --use-aes=y", "256 --force-R5", "256"} {
			for _, linear := range []string{"", "--linearize"} {
				args := append([]string{"--allow-weak-crypto"}, strings.Fields(linear)...)
				args = append(append(args, "--encrypt", user, "owner"), strings.Fields(options)...)
				out := filepath.Join(t.TempDir(), "encrypted.pdf")
				in := filepath.Join(t.TempDir(), "plain.pdf")
				require.NoError(t, os.WriteFile(in, packedFile(t), 0o600))
				_, err := output(t, "qpdf", append(args, "--", in, out)...)
				require.NoError(t, err)
				data, err := os.ReadFile(out)
				require.NoError(t, err)
				all = append(all, mutated{"qpdf " + options + linear + " " + user, user, data})
			}
		}
	}
	for _, name := range smallCorpus(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(data) <= 100<<10 {
			all = append(all, mutated{name: filepath.Base(name), data: data})
		}
	}
	slices.SortFunc(all, func(a, b mutated) int { return strings.Compare(a.name, b.name) })
	return all
}

// mutate changes a file as bad storage, bad software and bad people do.
func mutate(r *rand.Rand, data []byte) []byte {
	if r.IntN(4) == 0 {
		names := sortedKeys(mutilations)
		if m := mutilations[names[r.IntN(len(names))]]; len(data) > 1000 {
			return m(data)
		}
	}
	data = bytes.Clone(data)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(data))
		end := min(len(data), at+1+r.IntN(100))
		switch r.IntN(7) {
		case 0:
			data[at] = byte(r.Uint32())
		case 1: // a digit, which is where the structure is
			for i := at; i < len(data); i++ {
				if data[i] >= '0' && data[i] <= '9' {
					data[i] = byte('0' + r.IntN(10))
					break
				}
			}
		case 2:
			data = slices.Delete(data, at, end)
		case 3:
			data = slices.Insert(data, at, data[at:end]...)
		case 4:
			copy(data[at:], data[r.IntN(len(data)):])
		case 5:
			data = data[:max(at, 20)]
		case 6:
			i := bytes.IndexByte(data[at:], '/')
			if i >= 0 && at+i+1 < len(data) {
				data[at+i+1] = 'X'
			}
		}
		if len(data) < 20 {
			break
		}
	}
	return data
}

// What is split reads as the whole does, and nothing but a wrong password is called one.
func TestMutations(t *testing.T) {
	tool(t, "pdftotext")
	sources := mutationSources(t)
	var mu sync.Mutex
	outcomes := map[string]int{}
	var wrong []string
	count := func(outcome string) {
		mu.Lock()
		defer mu.Unlock()
		outcomes[outcome]++
	}
	var workers sync.WaitGroup
	for worker := range 2 {
		workers.Go(func() {
			for i := worker; i < mutationCount(); i += 2 {
				r := rand.New(rand.NewPCG(uint64(i), 1))
				s := sources[r.IntN(len(sources))]
				s.data = mutate(r, s.data)
				outcome, problem := s.check(t, i%mutationText == 0)
				count(outcome)
				if problem != "" {
					mu.Lock()
					wrong = append(wrong, fmt.Sprintf("%d %s: %s", i, s.name, problem))
					mu.Unlock()
					if dir := os.Getenv("QUIRE_SPLIT_MUTATIONS"); dir != "" {
						_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.pdf", i)), s.data, 0o600)
					}
				}
			}
		})
	}
	workers.Wait()
	t.Log(len(sources), "sources:", outcomes)
	require.Empty(t, wrong)
}

// missing returns a word of a text that another does not have as often.
func missing(text, in string) (string, bool) {
	words := map[string]int{}
	for word := range strings.FieldsSeq(in) {
		words[word]++
	}
	for word := range strings.FieldsSeq(text) {
		if words[word]--; words[word] < 0 {
			return word, true
		}
	}
	return "", false
}

func (m mutated) check(t *testing.T, text bool) (outcome, problem string) {
	d, err := openBytes(m.data, Options{Password: m.password})
	switch {
	case errors.Is(err, ErrEncrypted):
		return "password", ""
	case err != nil:
		require.NotEmpty(t, refusal(err), "%v", err)
		return refusal(err), ""
	}
	var chunks bytes.Buffer
	dir := t.TempDir()
	for _, r := range Plan(d.Pages(), 10) {
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			require.NotEmpty(t, refusal(err), "%v", err)
			return "refused late", ""
		}
		name := filepath.Join(dir, "chunk.pdf")
		require.NoError(t, save(c, name))
		if text {
			out, err := output(t, "pdftotext", name, "-")
			if err != nil {
				return "split", fmt.Sprintf("pages %s: pdftotext: %v", r, err)
			}
			chunks.WriteString(out)
		}
	}
	if !text {
		return "split " + string(d.Reader()), ""
	}
	name := filepath.Join(dir, "whole.pdf")
	require.NoError(t, os.WriteFile(name, m.data, 0o600))
	args := []string{name, "-"}
	if m.password != "" {
		args = append([]string{"-upw", m.password}, args...)
	}
	whole, err := output(t, "pdftotext", args...)
	if err != nil {
		return "split, not read by pdftotext", ""
	}
	// Of a damaged file the chunks may have more than pdftotext finds, and never less.
	if word, lost := missing(whole, chunks.String()); lost {
		return "split", fmt.Sprintf("%s: %q is missing: the text is %.200q, not %.200q", d.Reader(), word, chunks.String(), whole)
	}
	return "split " + string(d.Reader()) + ", text compared", ""
}
