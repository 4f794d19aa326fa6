package local

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// withStubborn makes a type whose reader does not look at its context, and calls test in a bubble
// with a file of that type.
func withStubborn(t *testing.T, test func(t *testing.T, file filePart, release chan struct{})) {
	const stubborn = "text/x-rst" // a type that the API knows and this engine does not read
	defer delete(readers, stubborn)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		readers[stubborn] = func(context.Context, *Engine, *document) error {
			<-release
			return nil
		}
		test(t, filePart{"x.rst", stubborn, []byte("x")}, release)
	})
}

func TestTimeoutDoesNotWaitForWorkThatGoesOn(t *testing.T) {
	withStubborn(t, func(t *testing.T, file filePart, release chan struct{}) {
		e, err := New(Options{Timeout: 10 * time.Second, Concurrency: 1})
		require.NoError(t, err)
		start := time.Now()
		status, body := answerOf(e, multipartRequest(t, nil, file))
		require.Equal(t, http.StatusGatewayTimeout, status)
		require.Equal(t, `{"detail":"Partitioning took longer than 10s.","retryable":false}`, body)
		require.Equal(t, 10*time.Second+patience, time.Since(start))

		// The work keeps its slot until it ends.
		var next sync.WaitGroup
		next.Go(func() { status, _ = answerOf(e, multipartRequest(t, nil, note)) })
		synctest.Wait()
		require.Equal(t, http.StatusGatewayTimeout, status)
		close(release)
		next.Wait()
		require.Equal(t, http.StatusOK, status)
		require.NoError(t, e.Close())
	})
}

func TestCloseDoesNotWaitForWorkThatGoesOn(t *testing.T) {
	withStubborn(t, func(t *testing.T, file filePart, release chan struct{}) {
		e, err := New(Options{})
		require.NoError(t, err)
		var answered sync.WaitGroup
		var status int
		answered.Go(func() { status, _ = answerOf(e, multipartRequest(t, nil, file)) })
		synctest.Wait()
		start := time.Now()
		require.NoError(t, e.Close())
		answered.Wait()
		require.Equal(t, patience, time.Since(start))
		require.Equal(t, http.StatusServiceUnavailable, status)
		close(release)
	})
}

func TestWorkThatEndsInTimeIsTheAnswer(t *testing.T) {
	withStubborn(t, func(t *testing.T, file filePart, release chan struct{}) {
		e, err := New(Options{})
		require.NoError(t, err)
		time.AfterFunc(time.Minute, func() { close(release) })
		status, body := answerOf(e, multipartRequest(t, nil, file))
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "[]", body)
		require.NoError(t, e.Close())
	})
}
