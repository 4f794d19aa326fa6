package partitionotel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitionotel"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// final is an answer that no repetition changes.
func final() partitiontest.Action {
	return partitiontest.Reply(500, `{"detail":"secret words","retryable":false}`)
}

func TestOutcomes(t *testing.T) {
	text := func(content string) *partition.Document {
		return partition.FromReaderAt("secret.txt", strings.NewReader(content), int64(len(content)))
	}
	for _, test := range []struct {
		name     string
		faults   []partitiontest.Fault
		document *partition.Document
		params   partition.Params
		tree     string
		counted  []string // of quire.documents, quire.attempts and quire.pages
	}{
		{
			name: "a file without pages", document: text("x"),
			tree:    "caller\n  quire.document\n    quire.part\n      quire.attempt http.response.status_code=200\n",
			counted: []string{"quire.attempts quire.status_class=2xx 1", "quire.documents quire.outcome=ok 1"},
		},
		{
			name: "nothing to send", document: text(""),
			tree:    "caller\n  quire.document error.type=bad_document\n    ! bad_document\n",
			counted: []string{"quire.documents error.type=bad_document quire.outcome=failed 1"},
		},
		{
			name: "refused", document: text("x"), faults: []partitiontest.Fault{{Do: partitiontest.Detail(401, "secret words")}},
			tree: strings.TrimPrefix(`
caller
  quire.document http.response.status_code=401 error.type=auth
    * quire.refused error.type=auth
    ! auth: 401 Unauthorized
    quire.part http.response.status_code=401 error.type=auth
      ! auth: 401 Unauthorized
      quire.attempt http.response.status_code=401 error.type=401
        ! 401 Unauthorized
`, "\n"),
			counted: []string{
				"quire.attempts error.type=401 quire.status_class=4xx 1", "quire.documents error.type=auth quire.outcome=failed 1",
			},
		},
		{
			name: "an answer that is none, once", document: text("x"),
			faults: []partitiontest.Fault{{Times: 1, Do: partitiontest.InvalidJSON()}},
			tree: strings.TrimPrefix(`
caller
  quire.document
    quire.part
      * quire.sleep
      quire.attempt http.response.status_code=200 error.type=truncated
        ! truncated: 200 OK
      quire.attempt http.response.status_code=200
`, "\n"),
			counted: []string{
				"quire.attempts error.type=truncated quire.status_class=2xx 1", "quire.attempts quire.status_class=2xx 1",
				"quire.documents quire.outcome=ok 1",
			},
		},
		{
			name: "pages are missing", document: pdf("secret.pdf", 4), faults: []partitiontest.Fault{{Pages: pageRange(3, 3), Do: final()}},
			params: partition.Params{Split: partition.Split{AllowFailed: true}},
			tree: strings.TrimPrefix(`
caller
  quire.document http.response.status_code=500 error.type=server
    ! server: 500 Internal Server Error
    quire.part
      quire.attempt http.response.status_code=200
    quire.part http.response.status_code=500 error.type=server
      ! server: 500 Internal Server Error
      quire.attempt http.response.status_code=500 error.type=500
        ! 500 Internal Server Error
`, "\n"),
			counted: []string{
				"quire.attempts error.type=500 quire.status_class=5xx 1", "quire.attempts quire.status_class=2xx 1",
				"quire.documents error.type=server quire.outcome=partial 1", "quire.pages quire.cached=false 2",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			record(t, partitionotel.Options{}, []partition.Option{partition.WithMaxInFlight(1)}, func(t *testing.T, r *recorder) {
				r.server.Script(append(test.faults, partitiontest.Fault{Do: partitiontest.Delay(time.Second)})...)
				_ = r.partition(t.Context(), test.document, test.params) // the outcome is in the span
				require.Equal(t, []string{test.tree}, r.trees("http.response.status_code", "error.type"))
				require.Equal(t, test.counted, r.only("quire.documents", "quire.attempts", "quire.pages"))
				require.NotContains(t, fmt.Sprintf("%+v", r.spans.GetSpans()), "secret")
			})
		})
	}
}

func TestLeftAndCanceled(t *testing.T) {
	record(t, partitionotel.Options{}, nil, func(t *testing.T, r *recorder) {
		for _, err := range r.client.Stream(t.Context(), pdf("a.pdf", 4), partition.Params{}).All() {
			require.NoError(t, err)
			break
		}
		r.server.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Hour)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, r.partition(ctx, pdf("a.pdf", 1), partition.Params{}), context.DeadlineExceeded)
		stopped, stop := context.WithCancelCause(t.Context())
		stop(errors.New("the user"))
		require.Error(t, r.partition(stopped, pdf("a.pdf", 1), partition.Params{}))
		require.Equal(t, []string{
			"quire.active_attempts 0", "quire.active_documents 0",
			"quire.documents error.type=canceled quire.outcome=failed 1",
			"quire.documents error.type=timeout quire.outcome=failed 1",
			"quire.documents quire.outcome=left 1",
		}, r.only("quire.documents", "quire.active_attempts", "quire.active_documents"))
	})
}
